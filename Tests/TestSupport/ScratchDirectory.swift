import Foundation

/// A directory of a test's own, gone when the test lets go of it.
public final class ScratchDirectory: Sendable {
  /// The directory's absolute path.
  public let path: String

  /// Makes a new empty directory under the system's temporary one.
  public init() throws {
    path = NSTemporaryDirectory() + Leftovers.mark + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of an entry, whether it is there or not.
  public func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file and gives its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let file = path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}
