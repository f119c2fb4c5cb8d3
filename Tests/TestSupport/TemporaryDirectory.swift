import Foundation

/// A folder of a test's own, gone with the last reference to it.
public final class TemporaryDirectory: Sendable {
  /// Where it lies, without a trailing slash.
  public let path: String

  /// Makes the folder.
  public init() throws {
    var template = Array("\(NSTemporaryDirectory())/hoist-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file into the folder and returns its path.
  @discardableResult
  public func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Writes a file of `count` bytes that are the same for the same seed.
  @discardableResult
  public func file(_ name: String, count: Int, seed: UInt64 = 1) throws -> String {
    var generator = SeededGenerator(seed: seed)
    var bytes = [UInt8]()
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    return try file(name, bytes.prefix(count))
  }
}
