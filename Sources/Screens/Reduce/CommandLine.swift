import ScalarText

/// A line of the command line: the name of an action, and its argument.
struct CommandLine: Hashable, Sendable {
  let word: String
  let argument: String

  /// `nil` if the line is blank.
  init?(_ line: String) {
    let trimmed = line[...].trimmingUnescaped(\.isWhiteSpace).unicodeScalars
    let word = trimmed.prefix { !$0.isWhiteSpace }
    guard !word.isEmpty else { return nil }
    var rest = trimmed[word.endIndex...].drop(while: \.isWhiteSpace)
    // Some actions have names of two words on the screen.
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

  /// Words for actions besides those that the screen shows.
  private static let others: [String: Action.Name] = [
    "q": .quit, "q!": .quit, "quit!": .quit, "wq": .quit, "exit": .quit, "rate": .limit,
    "rm": .remove, "delete": .remove, "skip": .remove, "cancel": .remove, "abort": .remove,
    "h": .help, "search": .find, "go on": .startStop, "resume": .startStop, "stop all": .startStop,
    "start": .startStop, "pause all": .pauseAll, "resend": .retry, "upload": .add, "list": .server,
    "speed": .limit, "bandwidth": .limit, "parallel": .lanes, "concurrency": .lanes,
    "copy": .copyURL, "open": .openURL, "copy as curl": .copyAsCurl, "send first": .moveToTop,
    "send sooner": .moveUp, "send later": .moveDown, "clear done": .clear, "clear all": .clear,
    "colours": .theme, "colors": .theme, "files": .browse,
  ]

  private static let otherWords = Dictionary(grouping: others.keys.sorted()) { others[$0] }

  /// The actions by the words that the screen shows for them: "retry all", "copy url".
  private static let shown: [String: Action.Name] = Dictionary(
    actions.compactMap { action in action.hint.map { ($0.lowercasedASCII, action.name) } }
  ) { first, _ in first }

  /// Whether files are named that are to be resumed; without an argument, `resume` is about the queue.
  var resumesFiles: Bool { isResume && !argument.isEmpty }
  /// Whether an argument would name files to resume.
  var isResume: Bool { word == "resume" }

  /// Whether the word says that the queue is to start or, if false, that it is to stop; nil if it says neither.
  var wantsStart: Bool? {
    switch word {
    case "resume", "start", "go on": true
    case "stop", "stop all": false
    default: nil
    }
  }

  /// The action that an argument would be for.
  var actionOfArgument: Action? {
    isResume ? Self.actions.first { $0.name == .pause } : action
  }

  /// The action of the queue that the word stands for.
  var action: Action? {
    if resumesFiles { return actionOfArgument }
    // A name that is not an action of the queue may be another word for such an action: `delete` stands for `remove`.
    return [Action.Name(word: word), Self.shown[word], Self.others[word]].lazy
      .compactMap { name in Self.actions.first { $0.name == name } }.first
  }

  /// The actions that the command line runs.
  static let actions = Action.inMode(.queue).filter { !$0.traits.contains(.keyOnly) }

  /// The actions that match a word being typed, the best first: by their names and the other words for them, or else
  /// by what they do.
  static func matching(_ text: String) -> [Action] {
    // A word that runs a command offers only that command, not similar ones.
    if let name = others[text.lowercasedASCII] { return actions.filter { $0.name == name } }
    let matcher = Matcher(text)
    // The best of an action's words counts: "dele" is nearer to `delete`, which removes a row, than to
    // `delete-uploaded`. Words other than its name count as two letters longer, and so as less close.
    let named = actions.compactMap { action -> (rank: Matcher.Rank, action: Action)? in
      let words = [action.name.word, action.hint ?? ""] + (otherWords[action.name] ?? [])
      let ranks = words.enumerated().compactMap { index, word in
        var rank = matcher.rank(word)
        if index > 0 { rank?.length += 2 }
        return rank
      }
      return ranks.min().map { ($0, action) }
    }
    if named.isEmpty {
      return actions.ranked(by: matcher) { [$0.name.word, $0.hint ?? "", $0.help] }
    }
    // `sorted` is stable.
    return named.sorted { $0.rank < $1.rank }.map(\.action)
  }

  /// The command that an unknown word probably stands for.
  static func nearest(_ word: String) -> Action? {
    let words = actions.map(\.name.word) + shown.keys + others.keys
    return NearestName.of(word, among: words.sorted()).flatMap { CommandLine($0)?.action }
  }
}
