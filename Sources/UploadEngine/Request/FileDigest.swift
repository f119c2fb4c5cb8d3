import Digests
import Foundation
import MultipartForm
import UploadModel

/// Digests of files and of ranges in them. All are nil if the file cannot be read to its end.
package enum FileDigest {
  /// Why an upload fails if the digests of its file cannot be computed.
  static let failure = Failure.Cause.unreadable("its checksums could not be computed")

  /// The 32 bytes of the SHA-256.
  package static func sha256(of file: FileLocation) -> [UInt8]? {
    digests([.sha256], of: file)?[.sha256].flatMap { [UInt8](hexadecimal: $0) }
  }

  /// The digests that placeholders ask for, from an open file or a range in it, computed in one pass. If it is recorded,
  /// the file's `moment` covers that reading.
  static func digests(
    _ wanted: Set<ContentDigests.Algorithm>, of file: HeldFile, in range: Range<Int64>? = nil,
    isRecorded: Bool = false
  ) -> ContentDigests? {
    let algorithms = Array(wanted)
    var hashes = algorithms.map(\.function)
    let range = range ?? 0..<file.identity.size
    var offset = range.lowerBound
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while offset < range.upperBound {
      let most = min(Int(clamping: range.upperBound - offset), buffer.count)
      let count = buffer.withUnsafeMutableBytes { bytes -> Int? in
        let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[..<most])
        if isRecorded { return (try? file.read(into: piece, at: offset)).map { most } }
        return try? file.peek(into: piece, at: offset)
      }
      guard let count, count > 0 else { return nil }
      buffer.withUnsafeBytes { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        for index in hashes.indices { hashes[index].update(piece) }
      }
      offset += Int64(count)
    }
    let digits = hashes.map { $0.finalize().hexadecimal }
    return ContentDigests(Dictionary(uniqueKeysWithValues: zip(algorithms, digits)))
  }

  /// The digests that placeholders ask for, of a file or of its first bytes.
  package static func digests(
    _ wanted: Set<ContentDigests.Algorithm>, of file: FileLocation, first count: Int64 = .max
  ) -> ContentDigests? {
    (try? HeldFile(file)).flatMap {
      digests(wanted, of: $0, in: 0..<min(count, $0.identity.size))
    }
  }
}
