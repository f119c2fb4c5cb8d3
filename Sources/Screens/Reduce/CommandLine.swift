import ScalarText

/// A line of the command line: the name of an action, and its argument.
struct CommandLine: Hashable, Sendable {
  let word: String
  let argument: String

  /// `nil` if the line is blank.
  init?(_ line: String) {
    let trimmed = line.unicodeScalars.drop(while: \.isWhiteSpace)
    let word = trimmed.prefix { !$0.isWhiteSpace }
    guard !word.isEmpty else { return nil }
    self.word = String(word)
    var rest = trimmed[word.endIndex...].drop(while: \.isWhiteSpace)
    // A backslash makes the space after it part of a name.
    while let last = rest.last, last.isWhiteSpace, rest.dropLast().last != "\\" {
      rest.removeLast()
    }
    argument = String(rest)
  }

  /// Shorter words that people expect.
  private static let shorter = ["q": "quit", "rm": "remove", "h": "help"]

  /// The action of the queue that is meant.
  var action: Action? {
    let name = Action.Name(word: Self.shorter[word] ?? word)
    return Self.actions.first { $0.name == name }
  }

  /// Everything that can be asked for here.
  static let actions = Action.inMode(.queue)

  /// The actions that match a word being typed: those that begin with it, or else those whose words contain it.
  static func matching(_ text: String) -> [Action] {
    let begun = actions.filter { $0.name.word.hasPrefix(scalars: text) }
    if !begun.isEmpty { return begun }
    let matcher = Matcher(text)
    return actions.filter { matcher.matches($0.name.word) || matcher.matches($0.help) }
  }
}
