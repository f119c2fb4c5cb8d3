// Held until the multipart room moves in.
public struct FileIdentity: Hashable, Sendable, Codable {
  public var device: UInt64
  public var inode: UInt64
  public var size: Int64
  public var modified: Int64
  public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }
}
public struct FileLocation: Hashable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public var bytes: [UInt8]
  public init(_ path: String) { bytes = Array(path.utf8) }
  public init(bytes: [UInt8]) { self.bytes = bytes }
  public init(stringLiteral value: String) { self.init(value) }
  public var description: String { String(decoding: bytes, as: UTF8.self) }
  public var lastComponent: String {
    description.split(separator: "/").last.map(String.init) ?? description
  }
}
