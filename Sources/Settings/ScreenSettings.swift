/// What the configuration says about the screen: the tables `[screen]`, `[keys]` and `[theme]`.
///
/// Only the texts and their places are read here; the screen's code interprets them.
public struct ScreenSettings: Sendable {
  /// A key of the configuration, its value, and its place for error messages.
  public struct Entry<Value: Sendable>: Sendable {
    /// The last part of the key.
    public let key: String
    /// What it is set to.
    public let value: Value
    let keyPath: String
    let file: String?
    let line: Int?

    /// An error at this place.
    public func error(_ reason: String) -> ConfigError {
      var error = ConfigError(keyPath: keyPath, reason)
      error.file = file
      error.line = line
      return error
    }
  }

  /// The file that it was read from; nil if there is none.
  public var file: String?
  /// Whether the mouse is used.
  public var usesMouse = true
  /// Whether uploads continue without a screen once it is left or its terminal is closed.
  public var goesOnInBackground = false
  /// What happens when nothing is left to send.
  public var whenDone: Entry<String>?
  /// The command to run then, with its arguments.
  public var onEnd: Entry<[String]>?
  /// Keys for actions, sorted by action.
  public var keys: [Entry<[String]>] = []
  /// Looks for roles, sorted by role, and the theme that they change.
  public var theme: [Entry<String>] = []
}
