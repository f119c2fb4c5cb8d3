import Digests
import Foundation
import ScalarText

/// The sum that a request says its body has (tus 1.0.0, "Checksum").
struct Checksum {
  /// The algorithms that are known, as a header field lists them.
  static let algorithms = "sha1,sha256"

  private let wanted: Data
  private var hash: any HashFunction

  /// The sum that `Upload-Checksum` holds: an algorithm, a space, and the sum in Base64.
  init(_ value: String) throws(Refusal) {
    let words = value.split(scalar: " ", maxSplits: 1)
    switch words[0] {
    case "sha1": hash = SHA1()
    case "sha256": hash = SHA256()
    default:
      throw Refusal(.badRequest, "The checksums that are taken are \(Self.algorithms).")
    }
    guard words.count == 2, let sum = Data(base64Encoded: words[1].trimming(\.isBlank)) else {
      throw Refusal(.badRequest, "The checksum is not Base64.")
    }
    wanted = sum
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

  /// Whether what has come has that sum.
  var matches: Bool { hash.finalize().elementsEqual(wanted) }
}
