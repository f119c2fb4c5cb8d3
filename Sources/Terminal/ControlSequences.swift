import CNcurses
import Foundation
import ScalarText
import Screens

/// What is sent to the terminal beside what ncurses sends. All of it is ignored by terminals that do
/// not know it.
enum ControlSequences {
  /// Bracketed paste on.
  static let enter = "\u{1B}[?2004h"
  /// Saves the window's title (xterm control sequences).
  static let keepTitle = "\u{1B}[22;2t"
  /// The opposite of both.
  static let leave = "\u{1B}[?2004l\u{1B}[23;2t"
  /// Synchronized output: what comes in between is shown at once (DEC private mode 2026).
  static let beginUpdate = "\u{1B}[?2026h"
  static let endUpdate = "\u{1B}[?2026l"

  /// Sets the window's title, which must not contain control characters.
  static func title(_ title: String) -> String { "\u{1B}]2;\(title)\u{07}" }

  /// Enables reports of clicks and the wheel, in the form without a limit on columns (xterm modes 1000 and
  /// 1006).
  static let mouseOn = "\u{1B}[?1000h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1000l"

  /// Puts text on the clipboard of the person's machine, which may be far away (OSC 52).
  static func copy(_ text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
  }

  /// Shows progress beside the title (OSC 9;4); `nil` takes it away.
  static func progress(_ progress: Frame.Progress?) -> String {
    guard let progress else { return "\u{1B}]9;4;0\u{1B}\\" }
    return "\u{1B}]9;4;\(progress.hasFailures ? 4 : 1);\(progress.percent)\u{1B}\\"
  }

  /// Asks for a notification on the desktop. The text holds no control characters.
  static func notification(_ text: String, _ kind: TerminalFeatures.Notification) -> String {
    switch kind {
    case .osc9: "\u{1B}]9;\(text)\u{07}"
    case .osc99: "\u{1B}]99;;\(text)\u{1B}\\"
    // A semicolon would end the text.
    case .osc777: "\u{1B}]777;notify;hoist;\(text.replacing(scalars: ";", with: ","))\u{07}"
    }
  }

  /// Restores the terminal without ncurses, after a crash.
  static func rescue() -> String {
    endUpdate + mouseOff + leave
      + ["sgr0", "cnorm", "rmkx", "rmcup"].map(capability).joined() + "\r\n"
  }

  /// A string capability of the terminal, without padding, which only hardware needed.
  static func capability(_ name: String) -> String {
    let value = name.withCString { tigetstr(UnsafeMutablePointer(mutating: $0)) }
    // -1 says that there is no such string capability, NULL that this terminal lacks it.
    guard let value, Int(bitPattern: value) != -1 else { return "" }
    var text = String(cString: value)
    while let start = text.range(scalars: "$<"),
      let end = text.unicodeScalars[start.upperBound...].firstIndex(of: ">")
    {
      text.unicodeScalars.removeSubrange(start.lowerBound...end)
    }
    return text
  }

  /// Whether the terminal has a window or status line with a title.
  static var hasTitle: Bool {
    !capability("tsl").isEmpty
      || "XT".withCString { tigetflag(UnsafeMutablePointer(mutating: $0)) } == 1
  }
}
