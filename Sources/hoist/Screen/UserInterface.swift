import Screens
import Terminal

/// What a session shows itself on, and hears the person by: the screen of a terminal, or plain lines.
@MainActor
protocol UserInterface: AnyObject {
  /// Is told of what the person does.
  var onEvents: ([AppEvent]) -> Void { get set }
  /// Whether what it shows may go beyond ASCII.
  var isUTF8: Bool { get }
  /// The size of the screen.
  var size: Size { get }

  /// Shows how things stand.
  func show(_ state: AppState)
  /// Shows everything again.
  func redraw()
  /// Catches the person's ear.
  func ring()
  /// Stops the program as the shell's job control does.
  func suspend()
  /// Puts a text on the clipboard.
  func copy(_ text: String)
  /// Tells a person who looks elsewhere.
  func notify(_ text: String)
  /// Leaves; nothing is shown afterwards.
  func restore()
}

extension Terminal: UserInterface {
  func show(_ state: AppState) { draw(render(state, size: size)) }
}
