import ScalarText

/// An action that the user can ask for, with a key or on the command line. The table `Action.all` is the only source
/// for key dispatch, the help overlay, the footer, the buttons of dialogs, the command line and the documentation.
package struct Action: Sendable {
  /// Names an action, in the table and for rebinding keys.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case down, up, pageDown, pageUp, top, bottom
    case add, browse, details, retry, retryAll, remove, pause, clear
    case mark, markRange, markAll, invertMarks, clearMarks
    case moveDown, moveUp, moveToTop, undo, redo, edit, rename, sort
    case find, filter, findNext, findPrevious
    case nextFailed, nextActive, failures, writeList
    case startStop, pauseAll, limit, lanes, moreLanes, fewerLanes, target
    case copyURL, copyAsCurl, theme
    case nextPane, previousPane, queue, server, history, log
    case targets, tryTarget, makeDefault
    case refresh, openURL, delete, deleteNow, deleteUploaded
    case command, help, redraw, suspend, quit, interrupt
    case accept, close, complete, completeBack, earlier, later
    case open, parent, toggleHidden
    case left, right, lineStart, lineEnd
    case deleteBack, deleteForward, deleteWord, deleteLine
    case finishThenQuit, goOnInBackground, stopAndQuit, finishThese, pauseNow, addAgain, keepAnyway
    case failWhen, saveRule
    case sendAgainNow, arrived, removeNow
    case replaceThere, skipThere, keepBoth, replaceAllThere, skipAllThere, keepAllBoth
    case next, previous

    /// The name in the configuration and on the command line: `retry-all`.
    package var word: String { rawValue.replacing(scalars: "URL", with: "Url").dashed }

    package init?(word: String) {
      guard let name = Self.byWord[word] else { return nil }
      self = name
    }

    private static let byWord = Dictionary(uniqueKeysWithValues: allCases.map { ($0.word, $0) })
  }

  /// Properties of an action besides its keys and its words.
  struct Traits: OptionSet, Sendable {
    let rawValue: Int
    /// Has no meaning without a screen.
    static let visual = Self(rawValue: 1)
    /// Only moves the cursor or changes the view, so range marking continues.
    static let looks = Self(rawValue: 1 | 2)
    /// Changes items of the queue or their order, so it must wait until the queue has been read.
    static let edits = Self(rawValue: 4)
    /// Is not on the command line: it is about the next key, or another command does the same.
    static let keyOnly = Self(rawValue: 1 | 8)
  }

  package let name: Name
  /// The modes in which it works.
  package let modes: [Mode]
  /// The keys that ask for it unless they are rebound.
  package let keys: [Key]
  /// What it does, in one line.
  package let help: String
  /// A word or two for the footer and for buttons; `nil` if there is no room for it.
  package let hint: String?
  /// The argument on the command line, such as "SPEED"; `nil` if it takes none.
  package let argument: String?
  /// Its place in the queue's footer, counted from the left; actions without one come last.
  let footer: Int
  let traits: Traits

  /// A row of the table. One that names no modes works in the queue.
  init(
    _ name: Name, _ keys: [Key], in modes: [Mode] = [.queue], _ help: String,
    hint: String? = nil, argument: String? = nil, footer: Int = 99, traits: Traits = []
  ) {
    self.name = name
    self.modes = modes
    self.keys = keys
    self.help = help
    self.hint = hint
    self.argument = argument
    self.footer = footer
    self.traits = traits
  }

  /// The actions of one mode, in the order of the table.
  package static func inMode(_ mode: Mode) -> [Action] { byMode[mode] ?? [] }

  private static let byMode: [Mode: [Action]] = Dictionary(
    uniqueKeysWithValues: Mode.allCases.map { mode in
      (mode, all.filter { $0.modes.contains(mode) })
    })
}

extension Action.Name {
  private static let traits = Dictionary(
    Action.all.map { ($0.name, $0.traits) }, uniquingKeysWith: { $0.union($1) })

  /// Whether any row of the table gives the action this trait.
  func has(_ trait: Action.Traits) -> Bool { Self.traits[self]?.contains(trait) == true }
}

extension String {
  /// An identifier as people write it: `retry-all` for `retryAll`.
  var dashed: String {
    reduce(into: "") { word, character in
      word += (character.isUppercase ? "-" : "") + character.lowercased()
    }
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  package init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
