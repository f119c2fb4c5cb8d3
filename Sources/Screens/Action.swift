/// What has the keyboard.
public enum Mode: String, Hashable, Sendable, CaseIterable {
  case queue, prompt, limit, details, help, quitting, removing
}

/// Something a person can ask for with a key.
///
/// `Action.all` is the one table from which key dispatch, the help overlay, the footer and the
/// buttons of dialogs are made.
public struct Action: Sendable {
  /// Names an action, in the table and for whoever rebinds keys.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case down, up, pageDown, pageUp, top, bottom
    case add, details, retry, retryAll, remove, pause, clearDone
    case mark, markAll, invertMarks, clearMarks
    case moveDown, moveUp, moveToTop
    case startStop, pauseAll, limit, moreLanes, fewerLanes
    case help, redraw, suspend, quit, interrupt
    case accept, close, complete, completeBack
    case left, right, lineStart, lineEnd
    case deleteBack, deleteForward, deleteWord, deleteLine
    case finishThenQuit, stopAndQuit, removeNow, next, previous
  }

  /// Its name.
  public let name: Name
  /// Where it works.
  public let modes: [Mode]
  /// The keys that ask for it unless they are rebound.
  public let keys: [Key]
  /// What it does, in one line.
  public let help: String
  /// A word or two for the footer and for buttons; `nil` where there is no room for it.
  public let hint: String?

  private init(
    _ name: Name, in modes: Mode..., keys: [Key], help: String, hint: String? = nil
  ) {
    self.name = name
    self.modes = modes
    self.keys = keys
    self.help = help
    self.hint = hint
  }

  /// All actions; within a mode the order is that of the footer and of the help overlay.
  public static let all: [Action] = [
    // The queue.
    Action(.add, in: .queue, keys: ["a"], help: "add files by path", hint: "add"),
    Action(
      .details, in: .queue, keys: [.enter], help: "everything about the file and its failure",
      hint: "details"),
    Action(
      .retry, in: .queue, .details, keys: ["r"], help: "send a failed file again", hint: "retry"),
    Action(
      .remove, in: .queue, keys: ["x", .delete], help: "remove from the queue", hint: "remove"),
    Action(
      .retryAll, in: .queue, keys: ["R"], help: "retry all failed files", hint: "retry all"),
    Action(.pause, in: .queue, keys: ["p"], help: "pause or go on with a file", hint: "pause"),
    Action(.pauseAll, in: .queue, keys: ["P"], help: "pause or go on with all files"),
    Action(
      .startStop, in: .queue, keys: ["s"], help: "begin no more files, or go on beginning them"),
    Action(.limit, in: .queue, keys: ["u"], help: "limit the bandwidth", hint: "limit"),
    Action(.moreLanes, in: .queue, keys: ["+"], help: "send one more at once"),
    Action(.fewerLanes, in: .queue, keys: ["-"], help: "send one fewer at once"),
    Action(.clearDone, in: .queue, keys: ["c"], help: "clear what is done", hint: "clear"),
    Action(
      .mark, in: .queue, keys: [" "], help: "mark, for what is asked next", hint: "mark"),
    Action(.markAll, in: .queue, keys: [.control("a")], help: "mark all"),
    Action(.invertMarks, in: .queue, keys: [.control("r")], help: "mark what is not marked"),
    Action(.clearMarks, in: .queue, keys: [.escape], help: "clear the marks"),
    Action(.moveDown, in: .queue, keys: ["J"], help: "send later"),
    Action(.moveUp, in: .queue, keys: ["K"], help: "send sooner"),
    Action(.moveToTop, in: .queue, keys: ["T"], help: "send first"),

    // Moving about.
    Action(.down, in: .queue, .details, .help, keys: ["j", .down], help: "down"),
    Action(.up, in: .queue, .details, .help, keys: ["k", .up], help: "up"),
    Action(
      .pageDown, in: .queue, .details, .help, keys: [.control("d"), .pageDown],
      help: "a page down"),
    Action(
      .pageUp, in: .queue, .details, .help, keys: [.control("u"), .pageUp], help: "a page up"),
    Action(.top, in: .queue, .details, .help, keys: ["g", .home], help: "to the top"),
    Action(.bottom, in: .queue, .details, .help, keys: ["G", .end], help: "to the bottom"),

    // The prompt for a path.
    Action(.accept, in: .prompt, keys: [.enter], help: "add what is typed", hint: "add"),
    Action(.complete, in: .prompt, keys: [.tab], help: "complete the path", hint: "complete"),
    Action(
      .completeBack, in: .prompt, keys: [.backTab], help: "back through the completions"),
    Action(.left, in: .prompt, .limit, keys: [.left, .control("b")], help: "left"),
    Action(.right, in: .prompt, .limit, keys: [.right, .control("f")], help: "right"),
    Action(
      .lineStart, in: .prompt, .limit, keys: [.home, .control("a")],
      help: "to the start of the line"),
    Action(
      .lineEnd, in: .prompt, .limit, keys: [.end, .control("e")], help: "to the end of the line"),
    Action(
      .deleteBack, in: .prompt, .limit, keys: [.backspace, .control("h")],
      help: "delete the character before the cursor"),
    Action(
      .deleteForward, in: .prompt, .limit, keys: [.delete, .control("d")],
      help: "delete the character under the cursor"),
    Action(
      .deleteWord, in: .prompt, .limit, keys: [.control("w")],
      help: "delete a word, or a part of the path"),
    Action(
      .deleteLine, in: .prompt, .limit, keys: [.control("u")], help: "delete up to the cursor"),

    // The prompt for the bandwidth.
    Action(.accept, in: .limit, keys: [.enter], help: "limit to what is typed", hint: "limit"),

    // Questions.
    Action(
      .stopAndQuit, in: .quitting, keys: ["s", "y"], help: "stop what is being sent and quit",
      hint: "stop and quit"),
    Action(
      .finishThenQuit, in: .quitting, keys: ["f"], help: "quit when everything has been sent",
      hint: "finish, then quit"),
    Action(
      .removeNow, in: .removing, keys: ["y", "x"], help: "break it off and remove it",
      hint: "remove"),
    Action(
      .close, in: .quitting, .removing, keys: [.escape, "c", "n", "q"], help: "leave it as it is",
      hint: "cancel"),
    Action(
      .accept, in: .quitting, .removing, keys: [.enter, " "], help: "the button that is lit"),
    Action(
      .next, in: .quitting, .removing, keys: [.tab, .right, .down, "l", "j"],
      help: "the next button"),
    Action(
      .previous, in: .quitting, .removing, keys: [.backTab, .left, .up, "h", "k"],
      help: "the button before"),

    // Leaving a dialog.
    Action(
      .close, in: .prompt, .limit, keys: [.escape, .control("c"), .control("g")],
      help: "close and change nothing", hint: "cancel"),
    Action(
      .close, in: .details, keys: [.escape, "q", .enter], help: "close", hint: "close"),
    Action(.close, in: .help, keys: [.escape, "q", .enter, "?"], help: "close", hint: "close"),

    // Everywhere, as far as the keys are free.
    Action(
      .help, in: .queue, .details, keys: ["?", .function(1)], help: "this help", hint: "help"),
    Action(.quit, in: .queue, keys: ["q"], help: "quit", hint: "quit"),
    Action(
      .interrupt, in: .queue, .details, .help, .quitting, .removing, keys: [.control("c")],
      help: "quit; twice: at once"),
    Action(
      .redraw, in: .queue, .prompt, .limit, .details, .help, .quitting, .removing,
      keys: [.control("l")],
      help: "paint the screen again"),
    Action(
      .suspend, in: .queue, .prompt, .limit, .details, .help, .quitting, .removing,
      keys: [.control("z")], help: "stop and go to the shell; fg comes back"),
  ]

  /// The actions of one mode, in the order of the table.
  static func inMode(_ mode: Mode) -> [Action] { byMode[mode] ?? [] }

  /// What the key is called that asks for an action, for a sentence that mentions it.
  static func key(for name: Name, in mode: Mode, ascii: Bool) -> String {
    inMode(mode).first { $0.name == name }?.keys.first?.label(ascii: ascii) ?? "?"
  }

  /// What `key` asks for in `mode`; `nil` where it asks for nothing.
  static func asked(by key: Key, in mode: Mode) -> Name? { byKey[mode]?[key] }

  private static let byMode: [Mode: [Action]] = Dictionary(
    uniqueKeysWithValues: Mode.allCases.map { mode in
      (mode, all.filter { $0.modes.contains(mode) })
    })

  private static let byKey: [Mode: [Key: Name]] = byMode.mapValues { actions in
    Dictionary(
      actions.flatMap { action in action.keys.map { ($0, action.name) } },
      uniquingKeysWith: { first, _ in first })
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// The key that types this character.
  public init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
