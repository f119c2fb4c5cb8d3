import Foundation
import ScalarText

/// Whether and how an upload to a target resumes.
package struct ResumeRules: Hashable, Sendable {
  /// The protocol by which server and client agree on how much has arrived.
  package enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each attempt sends the whole file.
    case off
    /// tus 1.0.0 (https://tus.io/protocols/resumable-upload).
    case tus
    /// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload): the usual request, which can resume if the
    /// server says so.
    case http
    /// tus or Resumable Uploads for HTTP, whichever the server speaks.
    case auto
  }

  package var mode: Mode
  /// The most bytes of the file in one request; if nil, one request carries all the remaining bytes.
  package var chunk: Int64?
  /// The size in bytes from which a file is worth the additional requests that resuming takes. A smaller file goes in
  /// the target's own request and cannot resume.
  package var least: Int64 = 0
  /// Whether the request that creates a tus upload carries the beginning of the file (creation-with-upload). That saves
  /// a round trip, but if the reply is lost, the beginning stays on the server until it expires.
  package var sendsAlong = false
  /// Metadata to give the server in addition to `filename` and `filetype`, or in place of them.
  package var metadata: [Target.Field] = []
  /// The requests in which files go in pieces, if the target describes such requests; the mode is then `off`.
  package var pieces: PieceRules?

  package init(mode: Mode = .off, chunk: Int64? = nil) { (self.mode, self.chunk) = (mode, chunk) }

  package var isOn: Bool { mode != .off || pieces != nil }

  /// Whether a separate request creates each upload before any part of the file is sent, and each further attempt first
  /// asks how much the server has.
  package var createsFirst: Bool { mode == .tus }

  /// Whether a file of this size can resume.
  package func holds(for size: Int64) -> Bool {
    pieces.map { $0.holds(for: size) } ?? (isOn && size >= least)
  }

  /// A file as its metadata describe it to a tus server.
  package func sentFile(_ item: UploadItem, _ values: Template.Values) -> SentFile {
    func sent(_ name: String) -> String? {
      allMetadata.first { $0.name == name }?.value.filled(with: values)
    }
    return SentFile(
      name: sent("filename") ?? item.fileName, mediaType: sent("filetype") ?? item.mediaType,
      size: item.size)
  }

  /// The file's name and type, unless the target sets them itself, then the target's other metadata.
  var allMetadata: [Target.Field] {
    let names = Set(metadata.map(\.name))
    let usual = [("filename", "{file.name}"), ("filetype", "{file.type}")].compactMap {
      name, source in
      (try? Template(source)).map { Target.Field(name: name, value: $0) }
    }
    return usual.filter { !names.contains($0.name) } + metadata
  }

  /// The value of `Upload-Metadata` (tus 1.0.0, "Creation"): keys, each with its Base64-encoded value.
  package func metadataHeader(with values: Template.Values) -> String {
    allMetadata.map { field in
      let value = field.value.filled(with: values)
      return value.isEmpty
        ? field.name : "\(field.name) \(Data(value.rawBytes).base64EncodedString())"
    }.joined(separator: ",")
  }
}
