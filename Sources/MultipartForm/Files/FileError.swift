import Foundation

/// Why a file cannot be sent, or can no longer be sent as promised.
public struct FileError: Error, Hashable, Sendable {
  /// What the path turned out to be instead of a regular file.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable {
    case directory
    /// A named pipe.
    case fifo
    /// A character or block device.
    case device
    /// A Unix domain socket.
    case socket
    /// A kind of file that this library does not know.
    case other
  }

  /// The step that the system refused.
  @nonexhaustive
  public enum Step: String, Hashable, Sendable {
    /// Looking at the file's metadata (`stat`).
    case inspect
    /// Opening it for reading.
    case open
    /// Reading its bytes.
    case read
  }

  /// What is wrong with the file.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// There is no file at the path.
    case vanished
    /// The file has fewer bytes than before. Sizes in bytes.
    case shrunk(from: Int64, to: Int64)
    /// The file has more bytes than before. Sizes in bytes.
    case grown(from: Int64, to: Int64)
    /// Another file has taken its place at the path.
    case replaced
    /// The file was written to, but has the same size.
    case modified
    /// The system refused this step, with this `errno`.
    case unreadable(errno: Int32, during: Step)
    /// The path names something that is not a regular file.
    case notARegularFile(Kind)
    /// The file claims to be empty but has content, like files in `/proc`, so its length cannot be promised.
    case sizeUnknown
    /// The URL does not name a file on this machine.
    case notAFileURL
    /// The range does not lie within the file. Range and size in bytes.
    case rangeOutsideFile(Range<Int64>, size: Int64)
  }

  /// The file.
  public let file: FileLocation
  /// What is wrong with it.
  public let reason: Reason

  /// Makes an error about a file.
  public init(_ file: FileLocation, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// Whether the file exists but has changed. Looking at it again and starting over can succeed.
  public var isChange: Bool {
    switch reason {
    case .shrunk, .grown, .replaced, .modified: true
    case .vanished, .unreadable, .notARegularFile, .sizeUnknown, .notAFileURL, .rangeOutsideFile:
      false
    }
  }
}

extension FileError: CustomStringConvertible, LocalizedError {
  /// What failed, with which file, why, and what to do about it.
  public var description: String { "\(file): " + reason.description }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension FileError.Reason: CustomStringConvertible {
  /// The reason and what to do about it, without the file's name.
  public var description: String {
    switch self {
    case .vanished:
      "there is no such file. Check its path."
    case .shrunk(let before, let now):
      "the file shrank from \(before) to \(now) bytes since it was looked at. "
        + "Send it again once nothing is writing to it."
    case .grown(let before, let now):
      "the file grew from \(before) to \(now) bytes since it was looked at. "
        + "Send it again once nothing is writing to it."
    case .replaced:
      "another file has taken its place since it was looked at. Send it again."
    case .modified:
      "the file was written to since it was looked at. Send it again once nothing is writing to it."
    case .unreadable(let code, let step):
      "cannot \(step.rawValue) the file: \(String(cString: strerror(code))). "
        + "Check its permissions and its disk."
    case .notARegularFile(let kind):
      "not a regular file (\(kind.rawValue)). Only regular files can be sent."
    case .sizeUnknown:
      "the system does not know the file's size, as with files in /proc. Copy it and send the copy."
    case .notAFileURL:
      "not the URL of a file on this machine. Download it and send the copy."
    case .rangeOutsideFile(let range, let size):
      "bytes \(range.lowerBound) to \(range.upperBound) are not all in the file, "
        + "which has \(size) bytes."
    }
  }
}
