import CNcurses
import Foundation
import ScalarText
import Screens

/// Sequences that are sent to the terminal besides the output of ncurses. Terminals ignore those that they do not know.
enum ControlSequences {
  /// Turns bracketed paste on.
  static let enter = "\u{1B}[?2004h"
  /// Asks for the colour of the background (OSC 11).
  static let askBackground = "\u{1B}]11;?\u{1B}\\"
  /// A question that all terminals answer (DA1).
  static let askLast = "\u{1B}[c"
  /// Turns reports of changes between dark and light on and off (mode 2031).
  static let watchBackground = "\u{1B}[?2031h"
  static let unwatchBackground = "\u{1B}[?2031l"
  /// Pushes the window's title on the terminal's stack (xterm control sequences).
  static let keepTitle = "\u{1B}[22;2t"
  /// Turns bracketed paste off and restores the title.
  static let leave = "\u{1B}[?2004l\u{1B}[23;2t"
  /// Synchronized output (DEC private mode 2026): everything up to `endUpdate` is shown at once.
  static let beginUpdate = "\u{1B}[?2026h"
  static let endUpdate = "\u{1B}[?2026l"

  /// Sets the window's title, which must not contain control characters.
  static func title(_ title: String) -> String { "\u{1B}]2;\(title)\u{07}" }

  /// Enables reports of clicks, the wheel and drags (xterm mode 1002) in the format that does not limit columns (1006).
  static let mouseOn = "\u{1B}[?1002h\u{1B}[?1006h"
  static let mouseOff = "\u{1B}[?1006l\u{1B}[?1002l"

  /// Enables reports of whether the window has the focus (xterm mode 1004).
  static let focusOn = "\u{1B}[?1004h"
  static let focusOff = "\u{1B}[?1004l"

  /// Asks whether the terminal has kitty's keyboard protocol; pushes the mode in which no key's sequence looks like the
  /// beginning of another's; pops that mode. The stack of modes belongs to the alternate screen.
  static let askKeyboard = "\u{1B}[?u"
  static let pushKeyboard = "\u{1B}[>1u"
  static let popKeyboard = "\u{1B}[<1u"

  /// Links the following text to an address, which must be printable ASCII (OSC 8); an empty address ends the link.
  /// Pieces with the same number belong together.
  static func link(_ address: String, number: UInt8) -> String {
    "\u{1B}]8;\(address.isEmpty ? "" : "id=hoist\(number)");\(address)\u{1B}\\"
  }

  /// Puts text on the clipboard of the machine at which the user sits, even if hoist runs on another (OSC 52).
  static func copy(_ text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
  }

  /// Shows progress beside the title (OSC 9;4); `nil` removes it.
  static func progress(_ progress: Frame.Progress?) -> String {
    guard let progress else { return "\u{1B}]9;4;0\u{1B}\\" }
    return "\u{1B}]9;4;\(progress.hasFailures ? 4 : 1);\(progress.percent)\u{1B}\\"
  }

  /// Requests a desktop notification. The text must not contain control characters.
  static func notification(_ text: String, _ kind: TerminalFeatures.Notification) -> String {
    switch kind {
    case .osc9: "\u{1B}]9;\(text)\u{07}"
    case .osc99: "\u{1B}]99;;\(text)\u{1B}\\"
    // A semicolon would end the text.
    case .osc777: "\u{1B}]777;notify;hoist;\(text.replacing(scalars: ";", with: ","))\u{07}"
    }
  }

  /// Restores the terminal without ncurses, after a crash.
  static func rescue(hasKeyboard: Bool, hasLinks: Bool) -> String {
    endUpdate + (hasLinks ? link("", number: 0) : "") + (hasKeyboard ? popKeyboard : "") + focusOff
      + mouseOff + unwatchBackground + leave
      + ["sgr0", "cnorm", "rmkx", "rmcup"].map(capability).joined() + "\r\n"
  }

  /// A string capability of the terminal, without its padding, which only hardware terminals needed.
  static func capability(_ name: String) -> String {
    // -1 means that terminfo has no such string capability, NULL that this terminal lacks it.
    guard let value = tigetstr(name), Int(bitPattern: value) != -1 else { return "" }
    var text = String(cString: value)
    while let start = text.range(scalars: "$<"),
      let end = text.unicodeScalars[start.upperBound...].firstIndex(of: ">")
    {
      text.unicodeScalars.removeSubrange(start.lowerBound...end)
    }
    return text
  }

  /// A capability with its parameters filled in.
  static func filled(_ capability: String, _ first: Int, _ second: Int = 0) -> String {
    String(cString: curses_fill(capability, Int32(first), Int32(second)))
  }

  /// A numeric capability of the terminal; negative if terminfo does not have it.
  static func number(_ name: String) -> Int { Int(tigetnum(name)) }

  static func flag(_ name: String) -> Bool { tigetflag(name) == 1 }
}
