import Digests
import Foundation

/// A file that arrived in full.
public struct StoredFile: Hashable, Sendable, Encodable {
  /// The name of the file's form field; empty for a file sent without a form.
  public var field: String
  /// The file name as the client sent it. It is not safe as a path.
  public var name: String
  /// The name of the file in the receiver's folder.
  public var stored: String
  /// The length, in bytes.
  public var size: Int64
  /// The Content-Type as the client sent it; `text/plain` for a part of a form without one.
  public var type: String
  /// SHA-256 of the content, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// The URL from which the file can be fetched.
  public var url: String
}

extension StoredFile {
  /// The SHA-256 as the value of `Repr-Digest` (RFC 9530 §3).
  var digestField: String? {
    [UInt8](hexadecimal: sha256).map { "sha-256=:\(Data($0).base64EncodedString()):" }
  }
}
