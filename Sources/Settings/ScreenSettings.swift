/// What the configuration says about the screen: the tables `[screen]`, `[keys]` and `[theme]`.
///
/// Only the texts and their places are read here; the screen's code interprets them.
package struct ScreenSettings: Sendable {
  /// A key of the configuration, its value, and its place for error messages.
  package struct Entry<Value: Sendable>: Sendable {
    /// The last part of the key.
    package let key: String
    /// What it is set to.
    package let value: Value
    let keyPath: String
    let file: String?
    let line: Int?

    /// An error at this place.
    package func error(_ reason: String) -> ConfigError {
      var error = ConfigError(keyPath: keyPath, reason)
      error.file = file
      error.line = line
      return error
    }
  }

  /// The file that it was read from; nil if there is none.
  package var file: String?
  /// Whether the mouse is used.
  package var usesMouse = true
  /// Whether uploads continue without a screen once it is left or its terminal is closed.
  package var goesOnInBackground = false
  /// What happens when nothing is left to send.
  package var whenDone: Entry<String>?
  /// The command to run then, with its arguments.
  package var onEnd: Entry<[String]>?
  /// Keys for actions, sorted by action.
  package var keys: [Entry<[String]>] = []
  /// Looks for roles, sorted by role, and the theme that they change.
  package var theme: [Entry<String>] = []
}
