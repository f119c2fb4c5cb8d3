import Foundation

/// A media type, and where the guess came from.
public struct MediaTypeGuess: Hashable, Sendable, CustomStringConvertible {
  /// Where a guess came from.
  @nonexhaustive
  public enum Source: Hashable, Sendable {
    /// The caller named the type.
    case override
    /// The file's name matched a pattern, such as `*.tar.gz` or `makefile`, in the table with this name.
    case extensionTable(pattern: String, name: String)
    /// libmagic recognised the first bytes of the file.
    case content
    /// Nothing is known; the type is ``MediaType/octetStream``.
    case unknown(Reason)
  }

  /// Why nothing is known about a file.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The name reveals nothing and the file has no content.
    case emptyFile
    /// The path leads to a folder, a pipe, a device or the like, which is not read.
    case notARegularFile
    /// The file could not be read; with the value of `errno`.
    case unreadable(Int32)
    /// libmagic has no database on this machine or cannot load it; with libmagic's message.
    case noDatabase(String)
    /// libmagic did not recognise the bytes.
    case unrecognised
  }

  /// The guessed type.
  public var type: MediaType
  /// Where the guess came from.
  public var source: Source

  /// The type that the file's first bytes indicate, if they contradict its name.
  public var contradiction: MediaType?

  /// A guess with its source.
  public init(type: MediaType, source: Source) {
    self.type = type
    self.source = source
  }

  /// For people, for example `image/jpeg by extension .jpg (mime.types)`.
  public var description: String { "\(type) \(explanation)" }

  /// Where the type came from and what contradicts it, for people: `by extension .jpg (mime.types), but its content is
  /// application/x-executable`.
  public var explanation: String {
    "\(source)\(contradiction.map { ", but its content is \($0)" } ?? "")"
  }
}

extension MediaTypeGuess.Source: CustomStringConvertible {
  /// For people, for example `by extension .jpg (mime.types)`.
  public var description: String {
    switch self {
    case .override: "as specified"
    case .extensionTable(let pattern, let name):
      pattern.utf8.starts(with: "*.".utf8)
        ? "by extension \(pattern.dropFirst()) (\(name))" : "by name \(pattern) (\(name))"
    case .content: "by content (libmagic)"
    case .unknown(let reason): "unknown (\(reason))"
    }
  }
}

extension MediaTypeGuess.Reason: CustomStringConvertible {
  /// The reason in words, such as `empty file`.
  public var description: String {
    switch self {
    case .emptyFile: "empty file"
    case .notARegularFile: "not a regular file"
    case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
    case .noDatabase(let words): "no libmagic database: \(words)"
    case .unrecognised: "content not recognised"
    }
  }
}
