import Digests
import Foundation
import NIOCore

/// A stored file that is open for reading. It is closed when the object is released.
final class StoredContent {
  private static let pieceSize = 256 << 10

  /// The length of the file when it was opened, in bytes.
  let size: Int64
  private let descriptor: Int32

  init(descriptor: Int32, size: Int64) {
    self.descriptor = descriptor
    self.size = size
  }

  deinit { close(descriptor) }

  /// The SHA-256 of all bytes that have not been read yet, as hexadecimal digits.
  var sha256: String {
    var hash = SHA256()
    while let piece = read(atMost: .max) { piece.withUnsafeReadableBytes { hash.update($0) } }
    return hash.finalize().hexadecimal
  }

  /// The next bytes; nil at the end, or if they cannot be read.
  func read(atMost rest: Int64) -> ByteBuffer? {
    var buffer = ByteBuffer()
    let wanted = Int(min(rest, Int64(Self.pieceSize)))
    let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { target in
      max(0, Foundation.read(descriptor, target.baseAddress, wanted))
    }
    return count > 0 ? buffer : nil
  }
}
