import Digests
import Foundation
import MultipartForm
import UploadModel

/// Digests of files and of ranges in them.
package enum FileDigest {
  /// The 32 bytes of the SHA-256; nil if the file cannot be read to its end.
  package static func sha256(of file: FileLocation) -> [UInt8]? {
    digests([SHA256()], of: file)?.first
  }

  /// The checksum of a range of a file; nil if it cannot be read to its end.
  static func sum(
    _ algorithm: TusServer.Checksum, of file: HeldFile, in range: Range<Int64>
  ) -> [UInt8]? {
    switch algorithm {
    case .sha1: digests([SHA1()], of: file, in: range)?.first
    case .sha256: digests([SHA256()], of: file, in: range)?.first
    }
  }

  /// The digests that placeholders ask for, from an open file or a range in it; nil if it cannot be read to its end.
  static func digests(
    _ wanted: Set<ContentDigests.Algorithm>, of file: HeldFile, in range: Range<Int64>? = nil
  ) -> ContentDigests? {
    named(wanted) { digests($0, of: file, in: range ?? 0..<file.identity.size) }
  }

  /// The digests that placeholders ask for; nil if the file cannot be read to its end.
  package static func digests(
    _ wanted: Set<ContentDigests.Algorithm>, of file: FileLocation
  ) -> ContentDigests? {
    named(wanted) { digests($0, of: file) }
  }

  private static func named(
    _ wanted: Set<ContentDigests.Algorithm>, _ compute: ([any HashFunction]) -> [[UInt8]]?
  ) -> ContentDigests? {
    let algorithms = Array(wanted)
    return compute(algorithms.map(\.function)).map { digests in
      ContentDigests(
        Dictionary(uniqueKeysWithValues: zip(algorithms, digests.map(\.hexadecimal))))
    }
  }

  private static func digests(
    _ hashes: [any HashFunction], of file: HeldFile, in range: Range<Int64>
  ) -> [[UInt8]]? {
    var offset = range.lowerBound
    return digests(hashes) { buffer in
      let left = Int(clamping: range.upperBound - offset)
      guard left > 0 else { return 0 }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, left)])
      guard let count = try? file.peek(into: room, at: offset), count > 0 else { return nil }
      offset += Int64(count)
      return count
    }
  }

  private static func digests(
    _ hashes: [any HashFunction], of file: FileLocation
  ) -> [[UInt8]]? {
    let descriptor = file.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return digests(hashes) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        return count < 0 ? nil : count
      }
    }
  }

  /// Computes several digests in one pass.
  ///
  /// - Parameter next: reads the next bytes and returns their number: 0 at the end, nil if they cannot be read.
  private static func digests(
    _ hashes: [any HashFunction], reading next: (UnsafeMutableRawBufferPointer) -> Int?
  ) -> [[UInt8]]? {
    var hashes = hashes
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      guard let count = buffer.withUnsafeMutableBytes({ next($0) }) else { return nil }
      guard count > 0 else { return hashes.map { $0.finalize() } }
      buffer.withUnsafeBytes { bytes in
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        for index in hashes.indices { hashes[index].update(piece) }
      }
    }
  }
}
