import Crypto
import Foundation
import MultipartForm

/// The SHA-256 of files (FIPS 180-4), to compare their contents.
public enum FileDigest {
  /// The 32 bytes of the digest; nil if the file cannot be read to its end.
  public static func sha256(of file: FileLocation) -> [UInt8]? {
    let descriptor = file.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? Array(hash.finalize()) : nil }
      buffer.withUnsafeBytes {
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
    }
  }
}
