import ScalarText
import UploadModel

/// A line of the command line: the word of an action, and what it is to be done with.
struct CommandLine: Hashable, Sendable {
  let word: String
  let argument: String

  /// `nil` where the line is blank.
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
  private static let shorter = ["q": "quit", "rm": "remove", "w": "start-stop", "h": "help"]

  /// The action of the queue that is meant.
  var action: Action? {
    let name = Action.Name(word: Self.shorter[word] ?? word)
    return Self.actions.first { $0.name == name }
  }

  /// Everything that can be asked for here.
  static let actions = Action.inMode(.queue)

  /// The words of all that can be asked for, sorted.
  static let words = actions.map(\.name.word).sorted()
}

/// The orders in which the queue can be put.
enum SortOrder: String, CaseIterable, Sendable {
  case name, smallest, largest, type, failed, reverse

  /// What the menu calls it.
  var words: String {
    switch self {
    case .name: "by name"
    case .smallest: "smallest first"
    case .largest: "largest first"
    case .type: "by type"
    case .failed: "failed first"
    case .reverse: "the other way round"
    }
  }

  /// The rows in this order; equal ones stay as they are.
  func sorted(_ rows: [Queue.Row]) -> [ItemID] {
    let items = rows.map(\.item)
    let order: [UploadItem]
    switch self {
    case .name: order = items.stablySorted { $0.fileName < $1.fileName }
    case .smallest: order = items.stablySorted { $0.size < $1.size }
    case .largest: order = items.stablySorted { $0.size > $1.size }
    case .type: order = items.stablySorted { $0.mediaType < $1.mediaType }
    case .failed: order = items.stablySorted { $0.state.hasFailed && !$1.state.hasFailed }
    case .reverse: order = items.reversed()
    }
    return order.map(\.id)
  }
}

extension ItemState {
  fileprivate var hasFailed: Bool {
    if case .failed = self { true } else { false }
  }
}

extension Array {
  fileprivate func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { a, b in
      isBefore(a.element, b.element) || (!isBefore(b.element, a.element) && a.offset < b.offset)
    }.map(\.element)
  }
}
