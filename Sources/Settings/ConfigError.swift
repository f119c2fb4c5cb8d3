import UploadModel

/// An error in the configuration: where it is, what was found, what was expected, and what was probably meant.
package struct ConfigError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path as the user knows it; nil if the error is on the command line.
  package var file: String?
  /// The line in the file, from 1, if known.
  package var line: Int?
  /// The path of keys to the value, such as `targets.demo.url`; empty for the file as a whole.
  package var keyPath: String
  /// What is wrong and what would be right, as one sentence without its full stop.
  package var problem: String

  /// What makes it an error.
  enum Scope: Sendable {
    /// The key alone, whatever its value and the other keys are.
    case key
    /// The value alone, whatever the other keys are.
    case value
    /// Perhaps what other keys are, or that they are missing.
    case others
  }

  var scope = Scope.others

  package init(file: String? = nil, line: Int? = nil, keyPath: String = "", _ problem: String) {
    (self.file, self.line, self.keyPath, self.problem) = (file, line, keyPath, problem)
  }

  /// Whether it is about the key at this path, or about a table or an array that contains that key.
  func isAbout(_ path: String) -> Bool { path.keys(below: keyPath) != nil }

  /// The error with its place last, for lines that may be cut off: `expected … (config.toml:3: targets.demo.url)`.
  package var reasonFirst: String {
    place.isEmpty
      ? SafeText.line(problem) : SafeText.line("\(problem) (\(place.joined(separator: ": ")))")
  }

  private var place: [String] {
    [file.map { file in line.map { "\(file):\($0)" } ?? file }, keyPath]
      .compactMap { $0 }.filter { !$0.isEmpty }
  }

  /// The error with its place first: `config.toml:3: targets.demo.url: expected …`.
  package var description: String {
    // Keys and values come from a file, so they must be made safe for a terminal.
    SafeText.line((place + [problem]).joined(separator: ": "))
  }
}
