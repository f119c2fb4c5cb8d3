import Foundation

/// A file that arrived in full.
public struct StoredFile: Hashable, Sendable, Encodable {
  /// The name of the form field that it came in.
  public var field: String
  /// The file name as the client sent it. It is not safe as a path.
  public var name: String
  /// The name of the file in the receiver's folder.
  public var stored: String
  /// The length, in bytes.
  public var size: Int64
  /// The part's Content-Type as the client sent it, `text/plain` if it sent none.
  public var type: String
  /// SHA-256 of the content, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// Where the file can be fetched.
  public var url: String
}

extension StoredFile {
  /// The SHA-256 as the value of a `Repr-Digest` (RFC 9530 §3); nil if it is not known.
  var digestField: String? {
    let digits = Array(sha256.utf8)
    let bytes = stride(from: 1, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0 - 1...$0], as: UTF8.self), radix: 16)
    }
    return bytes.count == 32 ? "sha-256=:\(Data(bytes).base64EncodedString()):" : nil
  }
}
