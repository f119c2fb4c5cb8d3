/// What has the keyboard focus.
package enum Mode: String, Hashable, Sendable, CaseIterable {
  // The panes.
  case queue, server, history, log, targets
  // Lines of text.
  case prompt, limit, command, find, form, setup, pick
  // Dialogs over the panes.
  case details, page, help, browser, menu, failures
  // Questions, which come last.
  case quitting, pausing, breakingOff, removing, deleting, deletingTarget, keepingTarget
  case addingAgain, sendingAgain, savingRule, nameTaken

  /// The panes, which share most keys.
  static let panes: [Mode] = [.queue, .server, .history, .log, .targets]
  /// The panes whose rows can be marked and looked for by name.
  static let marked: [Mode] = [.queue, .server, .history]
  /// The panes whose rows can be looked for by name, or by their text.
  static let named = marked + [.log, .targets]
  /// Where characters are typed, and nothing else moves.
  static let lines: [Mode] = [.prompt, .limit, .command, .find, .form, .setup]
  /// Where characters are typed.
  static let typing = lines + [.pick]
  /// Modes in which the user can move up and down: those with a list, and those with a text to read and scroll.
  static let moving = panes + [.browser, .menu, .failures, .details, .page, .help]
  static let questions = Array(allCases.drop { $0 != .quitting })
}
