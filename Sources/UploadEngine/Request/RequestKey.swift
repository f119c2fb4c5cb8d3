import Crypto
import Foundation

/// What `{uuid}` stands for in a request.
enum RequestKey {
  /// The key of files that go together: always the same for the same files in the same order, also
  /// after a crash, so that the server knows the repetition. A file alone is known by its own.
  static func of(_ files: [UUID]) -> UUID? {
    guard files.count > 1 else { return files.first }
    var hash = SHA256()
    for file in files { withUnsafeBytes(of: file.uuid) { hash.update(bufferPointer: $0) } }
    var bytes = Array(hash.finalize().prefix(16))
    // Of the kind whose making is one's own (RFC 9562 §5.8).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
