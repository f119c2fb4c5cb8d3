import Digests
import Foundation
import ScalarText

/// The checksum that a request gives for its body (tus 1.0.0, "Checksum").
struct Checksum {
  /// The supported algorithms, in the format of the header field that lists them.
  static let algorithms = "sha1,sha256"

  private let wanted: Data
  private var hash: any HashFunction

  /// The checksum in `Upload-Checksum`: an algorithm, a space, and the Base64-encoded sum.
  init(_ value: String) throws(Refusal) {
    let words = value.split(scalar: " ", maxSplits: 1)
    switch words[0] {
    case "sha1": hash = SHA1()
    case "sha256": hash = SHA256()
    default:
      throw Refusal(.badRequest, "The supported checksum algorithms are \(Self.algorithms).")
    }
    guard words.count == 2, let sum = Data(base64Encoded: words[1].trimming(\.isBlank)) else {
      throw Refusal(.badRequest, "The checksum is not Base64.")
    }
    wanted = sum
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

  /// Whether the bytes that have arrived have this checksum.
  var matches: Bool { hash.finalize().elementsEqual(wanted) }
}
