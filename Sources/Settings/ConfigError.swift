import UploadModel

/// What is wrong in the configuration: where, what was found, what was expected, and what was probably meant.
package struct ConfigError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, as the user knows it; nil if the fault is on the command line.
  package var file: String?
  /// The line in the file, from 1, if it is known.
  package var line: Int?
  /// The keys that lead to the value: `targets.demo.url`. Empty for the file as a whole.
  package var keyPath: String
  /// What is wrong and what would be right, as a sentence without its full stop.
  package var problem: String

  /// A fault at a key.
  package init(file: String? = nil, line: Int? = nil, keyPath: String = "", _ problem: String) {
    self.file = file
    self.line = line
    self.keyPath = keyPath
    self.problem = problem
  }

  /// The text for places that may show only its beginning: `expected … (config.toml:3: targets.demo.url)`.
  package var reasonFirst: String {
    place.isEmpty
      ? SafeText.line(problem) : SafeText.line("\(problem) (\(place.joined(separator: ": ")))")
  }

  private var place: [String] {
    [file.map { file in line.map { "\(file):\($0)" } ?? file }, keyPath]
      .compactMap { $0 }.filter { !$0.isEmpty }
  }

  /// `config.toml:3: targets.demo.url: expected …`.
  package var description: String {
    // Keys and values come from a file, and this goes to a terminal.
    return SafeText.line((place + [problem]).joined(separator: ": "))
  }
}
