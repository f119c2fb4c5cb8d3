import Digests
import Foundation

/// The value of `{uuid}` in a request.
package enum RequestKey {
  /// The key of the files in one request. It is the same for the same files in the same order, even after a
  /// crash, so that the server recognises a repetition. A single file uses its own UUID.
  package static func of(_ files: [UUID]) -> UUID? {
    guard files.count > 1 else { return files.first }
    var hash = SHA256()
    for file in files { withUnsafeBytes(of: file.uuid) { hash.update($0) } }
    // Version 8, whose bits are chosen freely (RFC 9562 §5.8).
    return hash.finalize().withUnsafeBytes { UUID($0.loadUnaligned(as: uuid_t.self), version: 8) }
  }
}
