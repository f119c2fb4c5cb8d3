import NIOHTTP1
import ScalarText
import UploadDraft

/// What a request says about a resumable upload (draft-ietf-httpbis-resumable-upload, "State").
struct ResumableRequest {
  /// The version of the draft that the client speaks ("Draft Version Identification").
  let version: DraftVersion
  /// Whether the request completes the upload.
  let isLast: Bool
  /// The offset of the request's content in the upload, if the request gives it.
  let offset: Int64?
  /// The length of the whole upload in bytes, if the request gives it.
  let length: Int64?
  /// Whether the request gives the length of the whole upload in an invalid format, or gives several that differ.
  private let hasBadLength: Bool
  /// The length of the request's content, if the request gives it.
  let contentLength: Int64?

  /// Nil if the request does not ask for a resumable upload, or names an unknown version; it is then an ordinary
  /// request. In older versions, a request that appends to an upload completes it unless it says otherwise.
  init?(_ head: HTTPRequestHead, appends: Bool = false) {
    guard let version = DraftVersion.of(head),
      let isLast = version.isComplete({ Self.text($0, head) })
        ?? (appends && !version.has(.markedReplies) ? true : nil)
    else { return nil }
    (self.version, self.isLast) = (version, isLast)
    offset = Self.text("upload-offset", head).flatMap(Self.count)
    let lines = version.has(.length) ? head.headers[canonicalForm: "upload-length"] : []
    // Nil for an invalid one.
    let lengths = lines.map { Self.count(String($0)) }
    length = lengths.first ?? nil
    hasBadLength = lengths.contains(nil) || Set(lengths).count > 1
    contentLength = head.contentLength
  }

  /// The length of the whole upload, of which `offset` bytes had arrived before the request; nil if neither the request
  /// nor an earlier one gives it. Throws 400 if the request contradicts itself or an earlier request.
  func wholeLength(after offset: Int64, known: Int64?) throws(Refusal) -> Int64? {
    if hasBadLength {
      throw Refusal(.badRequest, "Upload-Length must be a single whole number of bytes, 0 or more.")
    }
    var end: Int64?
    if isLast, let contentLength {
      let (sum, overflow) = offset.addingReportingOverflow(contentLength)
      guard !overflow else { throw Self.inconsistent }
      end = sum
    }
    let said = [known, length, end].compactMap { $0 }
    guard Set(said).count <= 1 else { throw Self.inconsistent }
    return said.first
  }

  private static let inconsistent = Refusal(
    .badRequest, "inconsistent length values for upload", problem: "inconsistent-upload-length")

  private static func text(_ name: String, _ head: HTTPRequestHead) -> String? {
    let lines = head.headers[canonicalForm: name]
    return lines.isEmpty ? nil : lines.joined(separator: ",")
  }

  private static func count(_ text: String) -> Int64? {
    FieldValue(item: text)?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension DraftVersion {
  /// The version that a request names.
  static func of(_ head: HTTPRequestHead) -> DraftVersion? {
    DraftVersion(named: head.headers[versionField].first)
  }
}
