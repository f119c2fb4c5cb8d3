import Foundation

/// The path of a file as the system sees it: bytes without NUL, which on Linux need not be UTF-8.
public struct FileLocation: Hashable, Sendable {
  /// The path's bytes, exactly as the system calls get them.
  public let bytes: [UInt8]

  /// The path that this text names, in UTF-8.
  public init(_ path: some StringProtocol) { bytes = Array(path.utf8) }

  /// The path that a `file:` URL names, whose percent-encoded bytes need not be UTF-8.
  ///
  /// - Throws: ``FileError/Reason/notAFileURL`` if the URL does not name a file on this machine.
  public init(_ url: URL) throws(FileError) {
    guard url.isFileURL, ["", "localhost"].contains(url.host ?? "") else {
      throw FileError(FileLocation(url.absoluteString), .notAFileURL)
    }
    let path = Array(url.absoluteURL.path(percentEncoded: true).utf8)
    bytes = ExtendedValue.percentDecoded(path[...]) ?? path
  }

  /// The path with these bytes, such as `readdir` returns. A path that contains NUL cannot be opened
  /// (``FileError/Reason/unreadable(errno:during:)`` with `EINVAL`).
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// The last component, for a part's file name; bytes that are not UTF-8 become U+FFFD.
  public var lastComponent: String { String(decoding: lastComponentBytes, as: UTF8.self) }

  /// The bytes of the last component.
  package var lastComponentBytes: ArraySlice<UInt8> {
    let end = bytes.lastIndex { $0 != ASCII.slash }.map { $0 + 1 } ?? 0
    let start = bytes[..<end].lastIndex(of: ASCII.slash).map { $0 + 1 } ?? 0
    return bytes[start..<end]
  }

  /// Calls the body with the path as a C string. A NUL inside the path would end the string early: see ``isUsable``.
  package func withCString<Result>(
    _ body: (UnsafePointer<CChar>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text in
      // There is room for at least the terminator, so there is an address.
      guard let address = text.baseAddress else { preconditionFailure("an empty C string") }
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(text).copyMemory(from: $0) }
      address[bytes.count] = 0
      return try body(address)
    }
  }

  /// Whether the system can open this path at all. It cannot if the path contains a NUL.
  package var isUsable: Bool { !bytes.contains(0) }
}

extension FileLocation: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The path as text; bytes that are not UTF-8 become U+FFFD. It is not made safe for a terminal.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The path that the literal names, in UTF-8.
  public init(stringLiteral value: String) { self.init(value) }
}

extension FileLocation: Codable {
  /// Reads a string, or an array of bytes if the path was not UTF-8.
  ///
  /// - Throws: `DecodingError` if it is neither.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(text)
    } else {
      self.init(bytes: try container.decode([UInt8].self))
    }
  }

  /// Writes a string, or an array of bytes if the path is not UTF-8.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text)
    } else {
      try container.encode(bytes)
    }
  }
}
