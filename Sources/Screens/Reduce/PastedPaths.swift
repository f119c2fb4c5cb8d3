import ScalarText
import UploadModel

/// Paths as terminals and file managers paste them: one on each line or several in a row, in quotes, with
/// backslashes, or as `file://` URLs (RFC 8089).
package enum PastedPaths {
  /// The paths in `text`, or `nil` if it is not plainly a list of paths.
  static func parse(_ text: String) -> [PathInput]? {
    var paths: [PathInput] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingUnescaped(\.isBlank)
      if line.isEmpty || line.hasPrefix(scalars: "#") && line.contains(scalars: "://") { continue }
      guard let found = parseLine(line) else { return nil }
      paths += found
    }
    return paths.isEmpty ? nil : paths
  }

  /// The paths in `text` line by line, and the lines that are not plainly paths, so that a file with an odd name does
  /// not cause the others to be lost.
  static func parts(of text: String) -> (paths: [PathInput], odd: [String]) {
    var (paths, odd) = ([PathInput](), [String]())
    for line in text.split(whereSeparator: \.isNewline) {
      let line = String(line.trimmingUnescaped(\.isBlank))
      if let found = parse(line) { paths += found } else if !line.isEmpty { odd.append(line) }
    }
    return (paths, odd)
  }

  /// The paths that the user typed one after the other. Wildcards in quotes are literal.
  package static func typed(_ text: String) -> [PathInput] {
    guard let words = words(text[...]), !words.contains(where: \.text.isEmpty) else {
      return [.typed(text)]
    }
    return words.map { $0.isURL ? path($0) : $0.isQuoted ? .exact($0.text) : .typed($0.text) }
  }

  /// The words of a line as a shell would see them; `nil` if a quote stays open.
  package static func shellWords(_ text: String) -> [String]? { words(text[...])?.map(\.text) }

  /// A path, escaped so that `shellWords` reads it as one word.
  static func escaped(_ path: String) -> String {
    path.unicodeScalars.reduce(into: "") { word, scalar in
      if " \t\\'\"".unicodeScalars.contains(scalar) { word.unicodeScalars.append("\\") }
      word.unicodeScalars.append(scalar)
    }
  }

  /// Undoes `escaped`, for a word that may not be complete.
  static func unescaped(_ word: String) -> String {
    var (path, rest) = (String.UnicodeScalarView(), word.unicodeScalars[...])
    while let scalar = rest.popFirst() {
      path.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(path)
  }

  private static func parseLine(_ line: Substring) -> [PathInput]? {
    if let words = words(line), words.allSatisfy({ isAbsolute($0.text) || $0.isURL }) {
      return words.map(path)
    }
    // A path with bare spaces, as file managers copy it.
    return isAbsolute(String(line)) ? [path(Word(text: String(line), isQuoted: false))] : nil
  }

  private static func path(_ word: Word) -> PathInput {
    if word.isURL {
      let bytes = decoded(word.text)
      // Not every name is text.
      return String(validating: bytes, as: UTF8.self).map(PathInput.exact) ?? .bytes(bytes)
    }
    return word.text.hasPrefix(scalars: "~") && !word.isQuoted
      ? .typed(word.text) : .exact(word.text)
  }

  private static func isAbsolute(_ text: String) -> Bool {
    text.hasPrefix(scalars: "/") || text.hasPrefix(scalars: "~/")
  }

  private struct Word {
    var text = ""
    var isQuoted = false
    var isURL: Bool { text.lowercased().hasPrefix(scalars: "file://") }
  }

  /// Splits as a POSIX shell does, without expanding anything; `nil` if a quote stays open.
  private static func words(_ line: Substring) -> [Word]? {
    var words: [Word] = []
    var word: Word?
    var quote: Unicode.Scalar?
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if let open = quote {
        if scalar == open {
          quote = nil
        } else if scalar == "\\", open == "\"", let next = rest.first,
          "\"\\$`".unicodeScalars.contains(next)
        {
          word?.text.unicodeScalars.append(next)
          rest.removeFirst()
        } else {
          word?.text.unicodeScalars.append(scalar)
        }
      } else if scalar.isBlank {
        if let ended = word { words.append(ended) }
        word = nil
      } else if scalar == "'" || scalar == "\"" {
        quote = scalar
        word = word ?? Word()
        word?.isQuoted = true
      } else {
        word = word ?? Word()
        word?.text.unicodeScalars.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
      }
    }
    if let ended = word { words.append(ended) }
    return quote == nil && !words.isEmpty ? words : nil
  }

  /// The path of a `file:` URL: without the host, percent-decoded.
  private static func decoded(_ url: String) -> [UInt8] {
    let path = url.utf8.dropFirst("file://".utf8.count).drop { $0 != UInt8(ascii: "/") }
    return PercentEncoding.decode(Array(path)[...])
  }
}

extension Substring {
  /// Without the blanks at its ends. A backslash makes the space after it part of a name.
  func trimmingUnescaped(_ isBlank: (Unicode.Scalar) -> Bool) -> Substring {
    var trimmed = unicodeScalars.drop(while: isBlank)
    while let last = trimmed.last, isBlank(last), trimmed.dropLast().last != "\\" {
      trimmed.removeLast()
    }
    return Substring(trimmed)
  }
}
