import CNcurses
import Foundation
import ScalarText
import Screens

/// Turns the codes that ncurses has read into events: characters, function keys, whole pastes.
///
/// All codes of one key press arrive in one batch, since ncurses waits a moment after Escape.
nonisolated struct KeyDecoder {
  /// What `wget_wch` returned.
  enum Code: Equatable {
    case character(UInt32)
    case function(Int32)
  }

  /// The key codes for both ends of a bracketed paste, above those of ncurses.
  static let pasteStart: Int32 = 2000
  static let pasteEnd: Int32 = 2001
  /// The key code for the beginning of a mouse report.
  static let mouseStart: Int32 = 2002
  /// The key codes for the beginnings of the terminal's answers: those about itself, and the one about its background.
  static let reportStart: Int32 = 2003
  static let backgroundStart: Int32 = 2004
  /// The key codes for a window that has gained the focus, and for one that has lost it.
  static let focusIn: Int32 = 2005
  static let focusOut: Int32 = 2006
  /// The longest paste, in characters: more than anyone pastes intentionally.
  static let longestPaste = 1 << 20

  /// The paste so far; nil outside a paste.
  private var pasted: [Unicode.Scalar]?
  /// The mouse report so far; nil outside a report.
  private var report: String?
  /// Where the left button went down, and whether the mouse has moved since; nil if the button is up.
  private var press: (row: Int, column: Int, isMoved: Bool)?
  /// The answer so far, and whether it is about the background; nil outside an answer.
  private var answer: (isOfBackground: Bool, text: String)?
  private var answers: [Answer] = []

  /// A report of the terminal that is not a key.
  enum Answer: Equatable {
    case background(Theme.Background)
    /// The user has changed the terminal's colours.
    case backgroundChanged
    /// The terminal has kitty's keyboard protocol.
    case keyboard
    /// All questions so far have been answered, or will not be.
    case end
  }

  /// The answers since the last call.
  mutating func takeAnswers() -> [Answer] {
    defer { answers = [] }
    return answers
  }

  mutating func decode(_ codes: [Code]) -> [AppEvent] {
    var events: [AppEvent] = []
    var rest = codes[...]
    while let code = rest.popFirst() {
      if pasted != nil {
        if let text = paste(code) { events.append(.paste(text)) }
        continue
      }
      if report != nil, case .character(let value) = code {
        events += mouse(value).map(AppEvent.mouse)
        continue
      }
      report = nil
      // Any other control character is a key, so that an answer that breaks off does not swallow ^c.
      if answer != nil, case .character(let value) = code, value >= 32 || value == 7 || value == 27
      {
        readAnswer(value, &rest)
        continue
      }
      answer = nil
      switch code {
      case .function(Self.pasteStart): pasted = []
      case .function(Self.mouseStart): report = ""
      case .function(Self.reportStart): answer = (false, "")
      case .function(Self.backgroundStart): answer = (true, "")
      case .function(Self.focusIn): events.append(.focus(true))
      case .function(Self.focusOut): events.append(.focus(false))
      case .function(let number):
        if let key = Self.functionKey(number) { events.append(.key(key)) }
      case .character(27) where rest.isEmpty || rest.first == .character(27):
        events.append(.key(.escape))
      case .character(27): if let key = Self.sequence(&rest) { events.append(.key(key)) }
      case .character(let value):
        if let key = Self.key(value) { events.append(.key(key)) }
      }
    }
    return events
  }

  /// Consumes one code of a paste; returns the whole text at the end of the paste.
  private mutating func paste(_ code: Code) -> String? {
    switch code {
    case .character(let value):
      // Within a paste, terminals send line breaks as carriage returns, like the Enter key.
      if let scalar = Unicode.Scalar(value == 13 ? 10 : value) { pasted?.append(scalar) }
      if let count = pasted?.count, count < Self.longestPaste { return nil }
    case .function(Self.pasteEnd): break
    case .function: return nil
    }
    return pasted.take().map { String(String.UnicodeScalarView($0)) }
  }

  /// Consumes one character of a report, which is `button;column;row` and then `M` for a press or a move, or `m` for a
  /// release (xterm modes 1002 and 1006). At the end of the report, returns its events.
  private mutating func mouse(_ value: UInt32) -> [Mouse] {
    guard let text = report.take(), let scalar = Unicode.Scalar(value), text.utf8.count < 20
    else { return [] }
    if scalar == ";" || ("0"..."9").contains(scalar) {
      report = text + String(scalar)
      return []
    }
    let numbers = text.split(scalar: ";").map { Int($0) }
    guard scalar == "M" || scalar == "m", numbers.count == 3, let button = numbers[0],
      let column = numbers[1], let row = numbers[2], column > 0, row > 0
    else { return [] }
    // Shift, Alt and Control (4, 8, 16) make no difference.
    return mouse(button & ~28, isUp: scalar == "m", row: row - 1, column: column - 1)
  }

  /// A click is reported only when the button goes up where it went down, since it may become a drag until then.
  private mutating func mouse(_ button: Int, isUp: Bool, row: Int, column: Int) -> [Mouse] {
    func mouse(_ kind: Mouse.Kind) -> Mouse { Mouse(kind, row: row, column: column) }
    switch (button, isUp) {
    case (0, false): press = (row, column, false)
    case (0, true): return press.take().map { [mouse($0.isMoved ? .drop : .click)] } ?? []
    case (32, false):
      guard let start = press, start.isMoved || start.row != row else { return [] }
      press?.isMoved = true
      let grab = start.isMoved ? [] : [Mouse(.grab, row: start.row, column: start.column)]
      return grab + [mouse(.drag)]
    case (2, false): return [mouse(.menu)]
    case (64, false): return [mouse(.wheelUp)]
    case (65, false): return [mouse(.wheelDown)]
    default: break
    }
    return []
  }

  /// Consumes one character of an answer. One about the background ends with BEL or ESC \ (OSC 11), any other with a
  /// letter.
  private mutating func readAnswer(_ value: UInt32, _ rest: inout ArraySlice<Code>) {
    guard let (isOfBackground, text) = answer.take(), let scalar = Unicode.Scalar(value),
      text.utf8.count < 64
    else { return }
    let isEnd = isOfBackground ? value == 7 || value == 27 : (0x40...0x7E).contains(value)
    guard isEnd else {
      answer = (isOfBackground, text + String(scalar))
      return
    }
    switch (isOfBackground, scalar) {
    case (true, _):
      if value == 27, rest.first == .character(0x5C) { rest.removeFirst() }
      if let background = Self.background(text) { answers.append(.background(background)) }
    case (false, "c"): answers.append(.end)
    case (false, "u"): answers.append(.keyboard)
    case (false, "n") where text.hasPrefix(scalars: "997;"): answers.append(.backgroundChanged)
    default: break
    }
  }

  /// Whether a colour such as `rgb:1e1e/2020/30ff` is dark or light; nil if the text is not a colour.
  private static func background(_ text: String) -> Theme.Background? {
    guard let start = text.range(scalars: ":") else { return nil }
    let parts = text.unicodeScalars[start.upperBound...].split(separator: "/").prefix(3)
      .compactMap { part in
        UInt32(String(part), radix: 16).map { Double($0) / (pow(16, Double(part.count)) - 1) }
      }
    guard parts.count == 3 else { return nil }
    // The perceived brightness (ITU-R BT.601).
    return parts[0] * 0.299 + parts[1] * 0.587 + parts[2] * 0.114 < 0.5 ? .dark : .light
  }

  /// The key of a sequence of kitty's keyboard protocol, which terminfo does not list. Drops a key with Alt, and any
  /// other sequence (ECMA-48 §5.4), since its characters would trigger actions if they were taken for keys.
  private static func sequence(_ rest: inout ArraySlice<Code>) -> Key? {
    guard case .character(let second)? = rest.popFirst() else { return nil }
    switch second {
    case UInt32(UInt8(ascii: "O")): rest = rest.dropFirst()
    case UInt32(UInt8(ascii: "[")):
      var parameters = ""
      while case .character(let value)? = rest.popFirst() {
        guard let scalar = Unicode.Scalar(value) else { return nil }
        if (0x40...0x7E).contains(value) { return key(scalar, parameters) }
        parameters.unicodeScalars.append(scalar)
      }
    default: break
    }
    return nil
  }

  /// The key of a sequence `ESC [ number:… ; modifiers:… ; text final`, of which everything but `final` may be missing.
  private static func key(_ final: Unicode.Scalar, _ parameters: String) -> Key? {
    let numbers = parameters.split(scalar: ";").map { part in
      part.split(scalar: ":").first.flatMap { Int($0) } ?? 1
    }
    guard numbers.allSatisfy({ $0 >= 0 }), parameters.utf8.count < 32 else { return nil }
    // Caps Lock and Num Lock (64, 128) make no difference.
    let modifiers = ((numbers.dropFirst().first ?? 1) &- 1) & ~192
    let (isShifted, isControlled) = (modifiers == 1, modifiers == 4 || modifiers == 5)
    let number = numbers.first ?? 1
    switch final {
    case "u" where modifiers == 0: return keysByNumber[number] ?? digit(number)
    case "u" where isShifted: return number == 9 ? .backTab : keysByNumber[number]
    case "u" where isControlled:
      // Control with i, j or m gives Tab or Enter, as in all other terminals.
      let others: [Int: Key] = [0x69: .tab, 0x6A: .enter, 0x6D: .enter]
      let letter = UInt32(exactly: number).flatMap { (0x61...0x7A).contains($0) ? $0 - 0x60 : nil }
      return others[number] ?? letter.flatMap { key($0) }
    case "~" where modifiers == 0: return keysByTilde[number]
    case _ where modifiers == 0 && number == 1: return keysByLetter[final]
    default: return nil
    }
  }

  /// A digit of the keypad.
  private static func digit(_ number: Int) -> Key? {
    (57399...57408).contains(number) ? .character(Character("\(number - 57399)")) : nil
  }

  private static let keysByNumber: [Int: Key] = [
    27: .escape, 13: .enter, 9: .tab, 127: .backspace, 57409: ".", 57410: "/", 57411: "*",
    57412: "-", 57413: "+", 57414: .enter, 57417: .left, 57418: .right, 57419: .up, 57420: .down,
    57421: .pageUp, 57422: .pageDown, 57423: .home, 57424: .end, 57425: .insert, 57426: .delete,
  ]
  private static let keysByLetter: [Unicode.Scalar: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "P": .function(1),
    "Q": .function(2), "S": .function(4),
  ]
  private static let keysByTilde: [Int: Key] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]

  private static func key(_ value: UInt32) -> Key? {
    switch value {
    case 9: return .tab
    case 10, 13: return .enter
    case 127: return .backspace
    case 1...26: return Unicode.Scalar(value + 0x60).map { .control(Character($0)) }
    case 0..<32, 0x80..<0xA0: return nil
    default: return Unicode.Scalar(value).map { .character(Character($0)) }
    }
  }

  private static let keys: [Int32: Key] = [
    KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_HOME: .home,
    KEY_END: .end, KEY_PPAGE: .pageUp, KEY_NPAGE: .pageDown, KEY_ENTER: .enter,
    KEY_BACKSPACE: .backspace, KEY_DC: .delete, KEY_IC: .insert, KEY_BTAB: .backTab,
  ]

  private static func functionKey(_ number: Int32) -> Key? {
    (1...12).contains(number - KEY_F0) ? .function(Int(number - KEY_F0)) : keys[number]
  }
}
