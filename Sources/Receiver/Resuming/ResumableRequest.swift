import NIOHTTP1
import ScalarText
import StructuredFields

/// What a request says about a resumable upload (draft-ietf-httpbis-resumable-upload, "State").
struct ResumableRequest {
  /// The version of the draft that both sides have to speak ("Draft Version Identification").
  static let interopVersion: Int64 = 8

  /// Whether the request carries the last part.
  let isLast: Bool
  /// The offset of the request's content in the upload, if the request gives it.
  let offset: Int64?
  /// The length of the whole in bytes, if the request gives it.
  let length: Int64?
  /// The length of the request's content, if it is given.
  let contentLength: Int64?

  /// Nil if the request says nothing about this, or means another version; it is then an ordinary request.
  init?(_ head: HTTPRequestHead) {
    guard Self.value("upload-draft-interop-version", head)?.integer == Self.interopVersion,
      let isLast = Self.value("upload-complete", head)?.boolean
    else { return nil }
    self.isLast = isLast
    offset = Self.count("upload-offset", head)
    length = Self.count("upload-length", head)
    contentLength = head.contentLength
  }

  /// The length of the whole according to everything that the request says.
  ///
  /// - Parameter offset: how much had arrived before it.
  /// - Throws: 400 if it contradicts itself, or what was said before.
  func wholeLength(after offset: Int64, known: Int64?) throws(Refusal) -> Int64? {
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

  private static func value(_ name: String, _ head: HTTPRequestHead) -> FieldValue? {
    let lines = head.headers[canonicalForm: name]
    return lines.isEmpty ? nil : FieldValue(item: lines.joined(separator: ","))
  }

  private static func count(_ name: String, _ head: HTTPRequestHead) -> Int64? {
    value(name, head)?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }
}
