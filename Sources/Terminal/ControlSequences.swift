import CNcurses

/// What is sent to the terminal beside what ncurses sends. All of it is ignored by terminals that do
/// not know it.
enum ControlSequences {
  /// Bracketed paste on; the window's title is put away (xterm control sequences).
  static let enter = "\u{1B}[?2004h\u{1B}[22;2t"
  /// The opposite.
  static let leave = "\u{1B}[?2004l\u{1B}[23;2t"
  /// Synchronized output: what comes in between is shown at once (DEC private mode 2026).
  static let beginUpdate = "\u{1B}[?2026h"
  static let endUpdate = "\u{1B}[?2026l"

  /// Gives the window a title that holds no control characters.
  static func title(_ title: String) -> String { "\u{1B}]2;\(title)\u{07}" }

  /// Everything that undoes the screen, for a program that cannot ask ncurses any more.
  static func rescue() -> String {
    endUpdate + leave
      + ["sgr0", "cnorm", "rmkx", "rmcup"].map(capability).joined() + "\r\n"
  }

  /// A string of the terminal's description, without the padding that only hardware needed.
  static func capability(_ name: String) -> String {
    let value = name.withCString { tigetstr(UnsafeMutablePointer(mutating: $0)) }
    // -1 says that there is no such string capability, NULL that this terminal lacks it.
    guard let value, Int(bitPattern: value) != -1 else { return "" }
    var text = String(cString: value)
    while let start = text.range(of: "$<"), let end = text[start.upperBound...].firstIndex(of: ">")
    {
      text.removeSubrange(start.lowerBound...end)
    }
    return text
  }

  /// Whether the terminal has a window or status line with a title.
  static var hasTitle: Bool {
    !capability("tsl").isEmpty
      || "XT".withCString { tigetflag(UnsafeMutablePointer(mutating: $0)) } == 1
  }
}
