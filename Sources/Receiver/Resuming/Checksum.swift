import Crypto
import Foundation
import ScalarText

/// The sum that a request says its body has (tus 1.0.0, "Checksum").
struct Checksum {
  /// The algorithms that are known, as a header field lists them.
  static let algorithms = "sha1,sha256"

  private enum Hash {
    case sha1(Insecure.SHA1)
    case sha256(SHA256)
  }

  private let wanted: Data
  private var hash: Hash

  /// The sum that `Upload-Checksum` holds: an algorithm, a space, and the sum in Base64.
  init(_ value: String) throws(Refusal) {
    let words = value.split(scalar: " ", maxSplits: 1)
    switch words[0] {
    case "sha1": hash = .sha1(Insecure.SHA1())
    case "sha256": hash = .sha256(SHA256())
    default:
      throw Refusal(.badRequest, "The checksums that are taken are \(Self.algorithms).")
    }
    guard words.count == 2, let sum = Data(base64Encoded: words[1].trimming(\.isBlank)) else {
      throw Refusal(.badRequest, "The checksum is not Base64.")
    }
    wanted = sum
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    switch hash {
    case .sha1(var sum):
      sum.update(bufferPointer: bytes)
      hash = .sha1(sum)
    case .sha256(var sum):
      sum.update(bufferPointer: bytes)
      hash = .sha256(sum)
    }
  }

  /// Whether what has come has that sum.
  var matches: Bool {
    switch hash {
    case .sha1(let sum): Data(sum.finalize()) == wanted
    case .sha256(let sum): Data(sum.finalize()) == wanted
    }
  }
}
