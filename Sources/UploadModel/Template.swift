import Foundation

/// A text with placeholders: `{file.name}`, `{now.iso8601}`, … Braces are doubled to stand for
/// themselves. A template never runs code.
public struct Template: Hashable, Sendable {
  private enum Piece: Hashable, Sendable {
    case text(String)
    case slot(Placeholder)
  }

  /// What a template may ask for.
  public enum Placeholder: String, CaseIterable, Sendable {
    /// The file's name with its extension.
    case fileName = "file.name"
    /// The file's name without its last extension.
    case fileStem = "file.stem"
    /// The file's last extension, without the dot.
    case fileExtension = "file.ext"
    /// The file's size in bytes.
    case fileSize = "file.size"
    /// The file's media type.
    case fileType = "file.type"
    /// Milliseconds since 1970.
    case unixMilliseconds = "unix_ms"
    /// Seconds since 1970.
    case unixSeconds = "unix_s"
    /// The time in UTC: 2026-11-20T22:15:00Z.
    case iso8601 = "now.iso8601"
    /// A random UUID, new for each file.
    case uuid = "uuid"
  }

  /// What a template is filled in with.
  public struct Values: Sendable {
    /// The file's name as it lies on disk.
    public var fileName: String
    /// The file's size in bytes.
    public var fileSize: Int64
    /// The file's media type.
    public var fileType: String
    /// The wall clock.
    public var now: Date
    /// The random identifier of this file's upload.
    public var uuid: UUID

    /// The values for one file.
    public init(fileName: String, fileSize: Int64, fileType: String, now: Date, uuid: UUID) {
      self.fileName = fileName
      self.fileSize = fileSize
      self.fileType = fileType
      self.now = now
      self.uuid = uuid
    }
  }

  /// A placeholder that does not exist, or a brace without its partner.
  public struct Mistake: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what would be right.
    public let description: String
  }

  private var pieces: [Piece]

  /// A template that is just this text.
  public init(literal text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

  /// Reads `source`. `environment` answers `{env.NAME}` once, now.
  public init(
    _ source: String, environment: (String) -> String? = { _ in nil }
  ) throws(Mistake) {
    pieces = []
    var text = ""
    var rest = Substring(source)
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        text.append(character)
        rest.removeFirst()
      case "}":
        throw Mistake(description: "\"}\" without \"{\" before it; write \"}}\" for a brace")
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw Mistake(description: "\"{\" without \"}\" after it; write \"{{\" for a brace")
        }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if name.hasPrefix("env.") {
          let variable = String(name.dropFirst(4))
          guard !variable.isEmpty else {
            throw Mistake(description: "{env.} names no environment variable")
          }
          guard let value = environment(variable) else {
            throw Mistake(description: "the environment variable \(variable) is not set")
          }
          text += value
        } else if let slot = Placeholder(rawValue: name) {
          if !text.isEmpty { pieces.append(.text(text)) }
          text = ""
          pieces.append(.slot(slot))
        } else {
          let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
          throw Mistake(
            description: "unknown placeholder {\(name)}; there are \(known) {env.NAME}")
        }
      default:
        text.append(character)
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
  }

  /// What stands outside the placeholders, the values of environment variables included.
  public var fixedText: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot: ""
      }
    }.joined()
  }

  /// The text with every placeholder filled in.
  public func filled(with values: Values) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot(let slot): slot.value(in: values)
      }
    }.joined()
  }
}

extension Template.Placeholder {
  fileprivate func value(in values: Template.Values) -> String {
    switch self {
    case .fileName: values.fileName
    case .fileStem: Self.split(values.fileName).stem
    case .fileExtension: Self.split(values.fileName).ext
    case .fileSize: String(values.fileSize)
    case .fileType: values.fileType
    case .unixMilliseconds: String(Int64(values.now.timeIntervalSince1970 * 1000))
    case .unixSeconds: String(Int64(values.now.timeIntervalSince1970))
    case .iso8601: values.now.formatted(.iso8601)
    case .uuid: values.uuid.uuidString.lowercased()
    }
  }

  /// A leading dot makes a hidden file, not an extension.
  private static func split(_ name: String) -> (stem: String, ext: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }
}
