import ScalarText

/// Folds long lists of files, numbers or identifiers on a command line before ArgumentParser sees them: its parsing time
/// grows with the square of their number, and reaches 15 seconds for five thousand.
///
/// No option takes more than one value, and no command takes more than one word before its list: a
/// subcommand, as in `queue retry`, or a target, as in `rm`. So among consecutive words that are not options, all
/// but the first two certainly belong to the list, whatever comes before them. A long list is replaced by
/// one word that has its words in it, each after a NUL, which no real argument can contain. Commands that take a list
/// unfold it.
enum ArgumentLists {
  private static let shortest = 64

  static func folded(_ arguments: [String]) -> [String] {
    guard arguments.count > shortest else { return arguments }
    var folded: [String] = []
    func add(_ list: ArraySlice<String>) {
      if list.count < shortest {
        folded += list
      } else {
        folded.append(list.map { "\0\($0)" }.joined())
      }
    }
    var rest = arguments[...]
    while !rest.isEmpty {
      let words = rest.prefix { !$0.hasPrefix(scalars: "-") || $0 == "-" }
      folded += words.prefix(2)
      add(words.dropFirst(2))
      rest = rest.dropFirst(words.count)
      guard let option = rest.popFirst() else { break }
      folded.append(option)
      // Everything after "--" is a file.
      if option == "--" {
        add(rest)
        break
      }
    }
    return folded
  }

  /// The arguments of a command with the folded lists restored.
  static func unfolded(_ files: [String]) -> [String] {
    files.flatMap { file in
      guard file.hasPrefix(scalars: "\0") else { return [file] }
      return Array(file.split(scalar: "\0").dropFirst())
    }
  }

  /// A message of ArgumentParser about a folded list in quotes, with only the list's first word in it.
  static func shortened(_ message: String) -> String {
    let pieces = message.split(scalar: "\0")
    guard pieces.count > 2, let last = pieces.last else { return message }
    let end = last.split(scalar: "'").last ?? ""
    return "\(pieces[0])\(pieces[1]) and \(pieces.count - 2) more'\(end)"
  }
}
