import Screens
import Terminal

/// The session's interface to the user: the screen of a terminal, or plain lines.
@MainActor
protocol UserInterface: AnyObject {
  /// Called with the user's input.
  var onEvents: ([AppEvent]) -> Void { get set }
  /// What to say when the program is suspended; nil for nothing.
  var wordsOnSuspension: () -> String? { get set }
  /// Whether the interface can show more than ASCII.
  var isUTF8: Bool { get }
  var size: Size { get }
  /// Whether states that follow one another at once must all be shown, not only the last of them.
  var showsEachState: Bool { get }

  func show(_ state: AppState)
  /// Shows everything again.
  func redraw()
  func ring()
  /// Stops the program as the shell's job control does.
  func suspend()
  /// Puts a text on the clipboard.
  func copy(_ text: String)
  /// Shows a desktop notification.
  func notify(_ text: String)
  /// Gives the terminal back; nothing is shown afterwards.
  func restore()
}

extension Terminal: UserInterface {
  var showsEachState: Bool { false }

  func show(_ state: AppState) { draw(render(state, size: size)) }
}
