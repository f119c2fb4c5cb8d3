/// Words for a person to paste into a POSIX shell (XCU §2.2).
public enum ShellWord {
  /// The text as one word, in quotes where it needs them.
  public static func quoted(_ text: String) -> String {
    let isPlain = text.wholeMatch(of: /[A-Za-z0-9@%+=:,.\/_-]+/) != nil
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
