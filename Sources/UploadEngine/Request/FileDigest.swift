import Digests
import Foundation
import MultipartForm
import UploadModel

/// Digests of files and of ranges in them, such as SHA-256 (FIPS 180-4).
package enum FileDigest {
  /// The 32 bytes of the digest; nil if the file cannot be read to its end.
  package static func sha256(of file: FileLocation) -> [UInt8]? {
    digest(SHA256(), of: file)
  }

  /// The checksum of a range of a file; nil if it cannot be read to its end.
  static func sum(
    _ algorithm: TusServer.Checksum, of file: HeldFile, in range: Range<Int64>
  ) -> [UInt8]? {
    switch algorithm {
    case .sha1: digest(SHA1(), of: file, in: range)
    case .sha256: digest(SHA256(), of: file, in: range)
    }
  }

  /// The sums that placeholders ask for, of a file that is held; nil where it cannot be read to its end.
  static func digests(of file: HeldFile) -> ContentDigests? {
    let range = 0..<file.identity.size
    guard let sha256 = digest(SHA256(), of: file, in: range),
      let md5 = digest(MD5(), of: file, in: range)
    else { return nil }
    return ContentDigests(sha256: sha256.hexadecimal, md5: md5.hexadecimal)
  }

  private static func digest<Hash: HashFunction>(
    _ start: Hash, of file: HeldFile, in range: Range<Int64>
  ) -> [UInt8]? {
    var hash = start
    var offset = range.lowerBound
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while offset < range.upperBound {
      let count = buffer.withUnsafeMutableBytes {
        let room = UnsafeMutableRawBufferPointer(
          rebasing: $0[..<min($0.count, Int(clamping: range.upperBound - offset))])
        return (try? file.peek(into: room, at: offset)) ?? 0
      }
      guard count > 0 else { return nil }
      offset += Int64(count)
      buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    return hash.finalize()
  }

  /// The digests that placeholders ask for; nil if the file cannot be read to its end.
  package static func digests(of file: FileLocation) -> ContentDigests? {
    guard let sha256 = digest(SHA256(), of: file), let md5 = digest(MD5(), of: file)
    else { return nil }
    return ContentDigests(sha256: sha256.hexadecimal, md5: md5.hexadecimal)
  }

  private static func digest<Hash: HashFunction>(
    _ start: Hash, of file: FileLocation
  ) -> [UInt8]? {
    let descriptor = file.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hash = start
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count == 0 { break }
      guard count > 0 else { return nil }
      buffer.withUnsafeBytes {
        hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
    }
    return hash.finalize()
  }
}
