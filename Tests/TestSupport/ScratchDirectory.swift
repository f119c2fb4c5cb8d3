import Foundation
import Synchronization

/// A directory of a test's own. It is gone when the tests have ended.
public final class ScratchDirectory: Sendable {
  /// The directory's absolute path.
  public let path: String

  /// The directories to remove when the process ends. Not before: for a minute, ext4 gives the number of a deleted file
  /// to no other, and looks for a free one so long that it took a fifth of the tests' time.
  private static let made = Mutex<[String]>([])
  private static let removal: Void = {
    // Who runs several processes removes the folders of all of them in the end.
    guard ProcessInfo.processInfo.environment["HOIST_KEEP_FOLDERS"] == nil else { return }
    atexit {
      for path in ScratchDirectory.made.withLock({ $0 }) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }()

  /// Makes a new empty directory under the system's temporary one.
  public init() throws {
    _ = Self.removal
    path = NSTemporaryDirectory() + Leftovers.mark + UUID().uuidString
    Self.made.withLock { [path] in $0.append(path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The path of an entry, whether it is there or not.
  public func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file and gives its path.
  @discardableResult
  public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let file = path(name)
    // Not by Foundation, which waits until the disk has each file: a tenth of what tests took.
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    try Array(bytes).withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        rest = rest.dropFirst(count)
      }
    }
    return file
  }

  /// Writes a file of `count` bytes that are the same for the same seed, and gives its path.
  @discardableResult
  public func write(_ name: String, count: Int, seed: UInt64 = 1) throws -> String {
    var generator = SplitMix64(seed: seed)
    return try write(name, generator.bytes(count))
  }
}
