/// What the configuration says about the screen: the tables `[screen]`, `[keys]` and `[theme]`. Only strings and their
/// places are stored here; the screen's code interprets them.
package struct ScreenSettings: Sendable {
  /// A key, its value, and its place for error messages.
  package struct Entry<Value: Sendable>: Sendable {
    /// The last part of the key.
    package let key: String
    package let value: Value
    /// An error at its place, without words.
    let place: ConfigError

    /// An error at this place.
    package func error(_ reason: String) -> ConfigError {
      var error = place
      error.problem = reason
      return error
    }
  }

  /// Whether clicks and the wheel are used.
  package var usesMouse = true
  /// Whether uploads continue in the background once the user leaves the screen or its terminal is closed.
  package var goesOnInBackground = false
  /// What to do when nothing is left to send.
  package var whenDone: Entry<String>?
  /// The command to run when nothing is left to send, with its arguments.
  package var onEnd: Entry<[String]>?
  /// The keys that trigger each action, sorted by action.
  package var keys: [Entry<[String]>] = []
  /// The styles of roles, sorted by role, and the name of the theme that they modify.
  package var theme: [Entry<String>] = []
}
