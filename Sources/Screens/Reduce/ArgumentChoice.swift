import Scheduling
import UploadModel

/// What can be typed next on the command line: an argument for an action, or the name of an action.
struct ArgumentChoice: Hashable, Sendable {
  /// The word to type for it.
  var word: String
  /// What it means.
  var note = ""
  /// Other words for it.
  var others: [String] = []
  /// The argument and the keys, if it is an action.
  var argument = ""
  var keys = ""

  /// The texts by which it is found, the best first.
  var texts: [String] { [word] + others + [note] }
}

extension Action.Name {
  /// Whether other arguments than the choices are accepted.
  var takesAnything: Bool { self != .theme && self != .sort }
}

extension AppState {
  /// What to offer for the last word of a line: commands, or arguments of the command `before` it. The best come first;
  /// `count` is how many there are. Nil if there is nothing to choose from.
  func choices(
    for word: String, after before: String
  ) -> (first: [ArgumentChoice], count: Int)? {
    guard let command = CommandLine(before) else {
      let commands = CommandLine.matching(word).map { action in
        let keys = keymap.keys(for: action).map { $0.label(ascii: isASCII) }
        return ArgumentChoice(
          word: action.name.word, note: action.help,
          argument: action.argument.map { " \($0)" } ?? "", keys: keys.joined(separator: " "))
      }
      return (commands, commands.count)
    }
    let word = PastedPaths.unescaped(word)
    if let isOfUse = use(of: command) { return files(word, where: isOfUse) }
    let offered = command.action.flatMap { choices(after: $0.name) }
    return offered.map { $0.ranked(by: Matcher(word), \.texts) }.map { ($0, $0.count) }
  }

  /// Which files a command is of use for; nil if files are not its argument.
  private func use(of command: CommandLine) -> ((UploadItem) -> Bool)? {
    if command.isResume { return { $0.state == .paused } }
    return switch command.action?.name {
    case .retry: isRetriable
    case .pause: { $0.canBePaused }
    case .edit: { $0.canBeEdited }
    case .arrived: { $0.mayHaveArrived }
    case .remove, .details: { _ in true }
    default: nil
    }
  }

  /// The arguments to offer for an action on the command line; nil if there is nothing to choose from.
  private func choices(after name: Action.Name) -> [ArgumentChoice]? {
    switch name {
    case .target: options.targets.map { ArgumentChoice(word: $0.name, note: $0.url) }
    case .sort:
      SortOrder.allCases.map {
        ArgumentChoice(word: $0.rawValue, note: $0.words, others: $0.others)
      }
    case .theme: Theme.all.map { ArgumentChoice(word: $0.name, note: $0.note) }
    case .limit:
      [ArgumentChoice(word: "off", note: "no limit", others: ["none"])]
        + ["500k", "1M", "2M", "5M", "10M"].compactMap { word in
          ByteCount.speed(word).map {
            ArgumentChoice(word: word, note: HumanReadable.speed(Double($0)))
          }
        }
    case .lanes:
      [ArgumentChoice(word: "auto", note: "hoist finds the number")]
        + [1, 2, 4, 8, 16].map {
          ArgumentChoice(word: "\($0)", note: HumanReadable.count($0, "file"))
        }
    case .filter: RowKind.examples.map { ArgumentChoice(word: $0) }
    default: nil
    }
  }

  /// More than a person would look through.
  private static let mostFiles = 500

  /// What the files that match a word depend on. Their states change often, and say nothing about that, unless they
  /// decide which rows there are.
  struct OfferedFiles: Equatable, Sendable {
    var queue: ItemList.Version
    var filter: String
    var word: String
  }

  /// The files of the list that a command is of use for and that match a word, the best first. Equal names are one
  /// choice, since a name on the command line stands for all files that have it, also those that the filter hides. All
  /// are looked at, but compared with the word only if that or the files have changed.
  private func files(
    _ word: String, where isOfUse: (UploadItem) -> Bool
  ) -> (first: [ArgumentChoice], count: Int) {
    var version = queue.stateVersion
    if !list.followsKinds { version.kinds = 0 }
    let source = OfferedFiles(queue: version, filter: list.filter, word: word)
    let matching = offeredFiles.value(for: source) { _ in
      var named: [String: [ItemID]] = [:]
      for item in items { named[item.fileName, default: []].append(item.id) }
      return names(matching: word).compactMap { named.removeValue(forKey: $0) }
    }
    var (choices, count): ([ArgumentChoice], Int) = ([], 0)
    for ids in matching {
      let rows = ids.compactMap { queue.row($0) }.filter { isOfUse($0.item) }
      guard let row = rows.first else { continue }
      count += 1
      guard choices.count < Self.mostFiles else { continue }
      let files = ids.count > 1 ? rows.count : 1
      let note =
        files > 1 ? HumanReadable.count(files, "file") : StateLabel(of: row, in: self).forms.first
      choices.append(ArgumentChoice(word: PastedPaths.escaped(row.item.fileName), note: note ?? ""))
    }
    return (choices, count)
  }

  /// The names in the list that match a word, the best first.
  private func names(matching word: String) -> [String] {
    let matcher = Matcher(word)
    let names = (0..<rowCount).compactMap { row($0)?.item.fileName }
    if matcher.isEmpty { return names }
    let ranked = names.enumerated().compactMap { index, name in
      matcher.rank(name, isLoose: true).map { (rank: $0, row: index) }
    }
    return ranked.sorted { ($0.rank, $0.row) < ($1.rank, $1.row) }.map { names[$0.row] }
  }
}

extension Theme {
  /// What distinguishes the theme, in a few words.
  fileprivate var note: String {
    switch name {
    case "default": "dark or light, like the terminal"
    case "dark", "light": "on the terminal's own background"
    case "solarized": "light"
    case "contrast": "no need to tell red from green"
    case "plain": "no colours"
    default: "dark"
    }
  }
}
