import Digests
import Foundation
import ScalarText

/// Where a reply gives a checksum of the content that the server has stored.
package struct ReplySum: Hashable, Sendable {
  /// The place of the checksum: a JSON value or a header field.
  package var place: ReplyPlace
  /// Its algorithm; nil if the header field's name or value says which one it is.
  package var algorithm: ContentDigests.Algorithm?

  package init(_ place: ReplyPlace, _ algorithm: ContentDigests.Algorithm? = nil) {
    (self.place, self.algorithm) = (place, algorithm)
  }

  /// Header fields whose name or value says which algorithm was used, and the algorithm that each most likely uses.
  private static let known: [String: ContentDigests.Algorithm] = [
    "repr-digest": .sha256, "content-digest": .sha256, "digest": .sha256, "oc-checksum": .sha1,
    "x-amz-checksum-sha256": .sha256, "x-amz-checksum-sha1": .sha1, "x-amz-checksum-crc32": .crc32,
    "x-amz-checksum-crc32c": .crc32c, "x-goog-hash": .crc32c, "content-md5": .md5,
  ]

  /// The algorithm to compute each file's own checksum with; nil if none is known.
  package var wanted: ContentDigests.Algorithm? {
    if let algorithm { return algorithm }
    return if case .header(let name) = place { Self.known[name] } else { nil }
  }

  /// The header field with which a request asks for the checksum (RFC 9530 §4); nil if there is no such field.
  var request: (name: String, value: String)? {
    let fields = ["repr-digest": "Want-Repr-Digest", "content-digest": "Want-Content-Digest"]
    guard case .header(let name) = place, let field = fields[name], let wanted else { return nil }
    return (field, "\(wanted.name)=10")
  }

  /// What a reply says about a file's content.
  package enum Finding: Hashable, Sendable {
    /// The checksum matches the file.
    case same(ContentDigests.Algorithm)
    /// The checksum does not match the file: `theirs` is the server's, and `ours` the file's own.
    case other(ContentDigests.Algorithm, theirs: String, ours: String)
  }

  /// What a reply says about a file; nil if the reply has no checksum that can be compared.
  func finding(in content: ReplyContent, of end: TransferEnd) -> Finding? {
    if wanted == .md5, place.namesETag, end.isEncryptedByKey { return nil }
    let text: String?
    switch place {
    case .pointer(let pointer): text = pointer.text(in: content.document, file: end.place.index)
    // If the request has several files, a header field is not about any one of them.
    case .header(let name): text = end.place.count == 1 ? end.headers[name] : nil
    case .pattern: text = nil
    }
    guard let text, let digests = end.digests else { return nil }
    // A checksum by an unknown algorithm says nothing. Of several known ones, a single one that differs decides.
    var same: Finding?
    for (algorithm, theirs) in Self.sums(in: text, wanted) {
      guard let ours = digests[algorithm] else { continue }
      if theirs != ours { return .other(algorithm, theirs: theirs, ours: ours) }
      same = same ?? .same(algorithm)
    }
    return same
  }

  /// The checksums in a text, as hexadecimal digits. The text may be `sha-256=:…:, md5=:…:` (RFC 9530), `SHA-256=…`
  /// (RFC 3230), `SHA1:…`, or a single checksum without its algorithm. In the text, each may be in hexadecimal digits
  /// or Base64, with or without quotation marks.
  private static func sums(
    in text: String, _ usual: ContentDigests.Algorithm?
  ) -> [(ContentDigests.Algorithm, String)] {
    let members = text.split(scalar: ",").map { $0.trimming(\.isWhiteSpace) }
    let named = members.compactMap { member -> (ContentDigests.Algorithm, String)? in
      let scalars = member.unicodeScalars
      guard let mark = scalars.firstIndex(where: { $0 == "=" || $0 == ":" }),
        let algorithm = ContentDigests.Algorithm(named: String(scalars[..<mark])),
        let sum = digits(String(scalars[scalars.index(after: mark)...]), algorithm)
      else { return nil }
      return (algorithm, sum)
    }
    if !named.isEmpty { return named }
    guard members.count == 1, let usual, let sum = digits(members[0], usual) else { return [] }
    return [(usual, sum)]
  }

  private static func digits(_ text: String, _ algorithm: ContentDigests.Algorithm) -> String? {
    let bare = text.trimming { $0 == ":" || $0 == "\"" || $0.isWhiteSpace }
    let readings = [[UInt8](hexadecimal: bare), Data(base64Encoded: bare).map(Array.init)]
    return readings.compactMap(\.self).first { $0.count == algorithm.size }?.hexadecimal
  }
}

extension ReplyPlace {
  /// Whether it is where S3 and its copies give an entity tag.
  fileprivate var namesETag: Bool {
    switch self {
    case .header(let name): name == "etag"
    case .pointer(let pointer): pointer.tokens.last?.lowercased() == "etag"
    case .pattern: false
    }
  }
}

extension TransferEnd {
  /// Whether S3 has encrypted what it stored with a key of KMS (SSE-KMS, DSSE-KMS) or of the client (SSE-C). The entity
  /// tag is then not the MD5 of the content (Amazon S3 API, "Object").
  fileprivate var isEncryptedByKey: Bool {
    headers["x-amz-server-side-encryption-customer-algorithm"] != nil
      || headers["x-amz-server-side-encryption-aws-kms-key-id"] != nil
      || headers["x-amz-server-side-encryption"].map { $0.lowercased() != "aes256" } == true
  }
}
