import Glibc

/// Distinguishes one state of a file from another without reading the file.
///
/// A write that keeps the size goes unnoticed if it falls into the same tick of the kernel's clock (up to 4 ms on
/// Linux) as an earlier write, or if the modification time is set back afterwards. A ``BodyReader`` still detects both.
public struct FileIdentity: Hashable, Sendable, Codable {
  /// The number of the device that the file is on (`st_dev`).
  public var device: UInt64
  /// The file's inode number on that device (`st_ino`).
  public var inode: UInt64
  /// The size in bytes.
  public var size: Int64
  /// The time of the last change of the content, in nanoseconds since 1970. It is a file's own time, which may be any
  /// that the system knows, a number of seconds in 64 bits: nanoseconds in 64 bits would end in 2262.
  public var modified: Int128 {
    get { Int128(seconds) * Self.second + Int128(nanoseconds) }
    set { (seconds, nanoseconds) = Self.parts(of: newValue) }
  }
  // The time as the system gives it, which takes less room than its 128 bits and their alignment.
  private var seconds: Int64
  private var nanoseconds: UInt32

  private static let second: Int128 = 1_000_000_000

  private static func parts(of time: Int128) -> (seconds: Int64, nanoseconds: UInt32) {
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: second)
    return remainder < 0
      ? (Int64(clamping: quotient - 1), UInt32(remainder + second))
      : (Int64(clamping: quotient), UInt32(remainder))
  }

  /// Makes an identity from stored values, for example from a queue's database.
  public init(device: UInt64, inode: UInt64, size: Int64, modified: Int128) {
    self.device = device
    self.inode = inode
    self.size = size
    (seconds, nanoseconds) = Self.parts(of: modified)
  }

  /// Asks the system for the identity of the file at a path; symbolic links are followed. The file is not opened, so
  /// this does not block on a FIFO.
  ///
  /// - Throws: ``FileError`` if there is no file, it cannot be inspected, or it is not a regular file.
  public init(of path: FileLocation) throws(FileError) {
    self = try SystemFile.look(at: path).identity
  }

  /// The identity of a file that can be read, as far as its permissions show.
  package init(ofReadable path: FileLocation) throws(FileError) {
    let look = try SystemFile.look(at: path)
    try SystemFile.checkReadable(path, look)
    self = look.identity
  }

  /// Whether any process, including this one, has the file at a path open for writing. Nil if that cannot be told,
  /// because it is not a regular file, it belongs to another user, or its file system has no leases (fcntl(2)).
  package static func isOpenForWriting(_ path: FileLocation) -> Bool? {
    (try? SystemFile(opening: path))?.isOpenForWriting()
  }

  /// What happened to a file that had this identity earlier; nil if nothing did.
  func change(to now: FileIdentity) -> FileError.Reason? {
    if device != now.device || inode != now.inode { return .replaced }
    if now.size < size { return .shrunk(from: size, to: now.size) }
    if now.size > size { return .grown(from: size, to: now.size) }
    return modified == now.modified ? nil : .modified
  }
}

/// The identity of a file or folder on this machine, independent of its path and its state.
package struct FilePlace: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  package init(_ status: stat) {
    (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
  }
}

/// Shows, without reading a file again, whether it still has the content that was read. Unlike an identity, it does so
/// even if the file's modification time was set back.
package struct FileStamp: Hashable, Sendable {
  package let identity: FileIdentity
  /// The time of the last change to the file's content or metadata (`st_ctime`), in nanoseconds since 1970. Programs
  /// cannot set it.
  package let changed: Int64

  /// Makes a stamp from stored values.
  package init(identity: FileIdentity, changed: Int64) {
    (self.identity, self.changed) = (identity, changed)
  }
}

extension FileIdentity {
  private enum CodingKeys: String, CodingKey {
    case device, inode, size, modified
  }

  /// Reads an identity as ``encode(to:)`` writes it.
  ///
  /// - Throws: `DecodingError` if it is not one.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      device: try values.decode(UInt64.self, forKey: .device),
      inode: try values.decode(UInt64.self, forKey: .inode),
      size: try values.decode(Int64.self, forKey: .size),
      modified: try values.decode(Int128.self, forKey: .modified))
  }

  /// Writes the identity, the time in nanoseconds.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(device, forKey: .device)
    try values.encode(inode, forKey: .inode)
    try values.encode(size, forKey: .size)
    try values.encode(modified, forKey: .modified)
  }
}
