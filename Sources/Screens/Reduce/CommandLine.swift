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
    var rest = trimmed[word.endIndex...].drop(while: \.isWhiteSpace)
    // A backslash makes the space after it part of a name.
    while let last = rest.last, last.isWhiteSpace, rest.dropLast().last != "\\" {
      rest.removeLast()
    }
    // Some actions are two words on the screen.
    let next = rest.prefix { !$0.isWhiteSpace }
    let both = "\(String(word)) \(String(next))".lowercasedASCII
    if Self.shown[both] != nil || Self.others[both] != nil {
      self.word = both
      rest = rest[next.endIndex...].drop(while: \.isWhiteSpace)
    } else {
      self.word = String(word).lowercasedASCII
    }
    argument = String(rest)
  }

  /// The last word and what comes before it. A backslash makes a space part of a word.
  static func lastWord(of text: String) -> (before: String, word: String) {
    let scalars = text.unicodeScalars
    var (start, isEscaped) = (scalars.startIndex, false)
    for index in scalars.indices {
      if scalars[index] == " ", !isEscaped { start = scalars.index(after: index) }
      isEscaped = scalars[index] == "\\" && !isEscaped
    }
    return (String(scalars[..<start]), String(scalars[start...]))
  }

  /// Other words for actions, besides those that the screen shows for them.
  private static let others: [String: Action.Name] = [
    "q": .quit, "exit": .quit, "rm": .remove, "delete": .remove, "h": .help, "search": .find,
    "go on": .startStop, "resume": .startStop, "list": .server, "speed": .limit,
    "bandwidth": .limit, "copy": .copyURL, "open": .openURL,
  ]

  /// What the screen calls the actions: "retry all", "copy url".
  private static let shown: [String: Action.Name] = Dictionary(
    actions.compactMap { action in action.hint.map { ($0.lowercasedASCII, action.name) } }
  ) { first, _ in first }

  /// The action of the queue that is meant.
  var action: Action? {
    let name = Action.Name(word: word) ?? Self.shown[word] ?? Self.others[word]
    return Self.actions.first { $0.name == name }
  }

  /// Everything that can be asked for here.
  static let actions = Action.inMode(.queue)

  /// The actions that match a word being typed, the best first: by their names, or else by their other words.
  static func matching(_ text: String) -> [Action] {
    let matcher = Matcher(text)
    let named = actions.filter { matcher.matches($0.name.word) }
    return (named.isEmpty ? actions : named).ranked(by: matcher) {
      [$0.name.word, $0.hint ?? "", $0.help]
    }
  }
}
