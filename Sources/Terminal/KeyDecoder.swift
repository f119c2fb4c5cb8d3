import CNcurses
import Foundation
import ScalarText
import Screens

/// Turns the codes that ncurses read into events: characters, function keys, whole pastes.
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
  /// The key codes for the beginnings of answers: those of the terminal about itself, and its background.
  static let reportStart: Int32 = 2003
  static let backgroundStart: Int32 = 2004
  /// More characters than anyone pastes intentionally.
  static let longestPaste = 1 << 20

  /// The paste so far; nil outside a paste.
  private var pasted: [Unicode.Scalar]?
  /// The mouse report so far; nil outside a report.
  private var report: String?
  /// The answer so far, and whether it is about the background; nil outside an answer.
  private var answer: (isOfBackground: Bool, text: String)?
  private var answers: [Answer] = []

  /// What the terminal has said without being a key.
  enum Answer: Equatable {
    case background(Theme.Background)
    /// The user has changed the terminal's colours.
    case backgroundChanged
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
        if let mouse = mouse(value) { events.append(.mouse(mouse)) }
        continue
      }
      report = nil
      // Any other control character is a key: an answer that breaks off must not take ^c.
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
      case .function(let number):
        if let key = Self.functionKey(number) { events.append(.key(key)) }
      case .character(27):
        if rest.isEmpty || rest.first == .character(27) {
          events.append(.key(.escape))
        } else {
          Self.skipSequence(&rest)
        }
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
      // In a paste, terminals send line breaks as carriage returns, like the Enter key.
      if let scalar = Unicode.Scalar(value == 13 ? 10 : value) { pasted?.append(scalar) }
      if let count = pasted?.count, count < Self.longestPaste { return nil }
    case .function(Self.pasteEnd): break
    case .function: return nil
    }
    defer { pasted = nil }
    return pasted.map { String(String.UnicodeScalarView($0)) }
  }

  /// Consumes one character of a report, which is `button;column;row` and then `M` for a press or `m` for a
  /// release (xterm mode 1006). At the end of the report, returns the click or wheel step, or nil for anything else.
  private mutating func mouse(_ value: UInt32) -> Mouse? {
    guard let text = report, let scalar = Unicode.Scalar(value), text.utf8.count < 20 else {
      report = nil
      return nil
    }
    if scalar == ";" || ("0"..."9").contains(scalar) {
      report = text + String(Character(scalar))
      return nil
    }
    report = nil
    let numbers = text.split(scalar: ";").map { Int($0) }
    guard scalar == "M", numbers.count == 3, let button = numbers[0], let column = numbers[1],
      let row = numbers[2], column > 0, row > 0
    else { return nil }
    // Shift, Alt and Control (4, 8, 16) make no difference.
    let kind: Mouse.Kind
    switch button & ~28 {
    case 0: kind = .click
    case 64: kind = .wheelUp
    case 65: kind = .wheelDown
    default: return nil
    }
    return Mouse(kind, row: row - 1, column: column - 1)
  }

  /// Consumes one character of an answer. One about the background ends with BEL or ESC \ (OSC 11), any other with a
  /// letter.
  private mutating func readAnswer(_ value: UInt32, _ rest: inout ArraySlice<Code>) {
    guard let (isOfBackground, text) = answer, let scalar = Unicode.Scalar(value),
      text.utf8.count < 64
    else {
      answer = nil
      return
    }
    let isEnd = isOfBackground ? value == 7 || value == 27 : (0x40...0x7E).contains(value)
    guard isEnd else {
      answer?.text.unicodeScalars.append(scalar)
      return
    }
    answer = nil
    switch (isOfBackground, scalar) {
    case (true, _):
      if value == 27, rest.first == .character(0x5C) { rest.removeFirst() }
      if let background = Self.background(text) { answers.append(.background(background)) }
    case (false, "c"): answers.append(.end)
    case (false, "n") where text.hasPrefix(scalars: "997;"): answers.append(.backgroundChanged)
    default: break
    }
  }

  /// Whether a colour such as `rgb:1e1e/2020/30ff` is dark.
  private static func background(_ text: String) -> Theme.Background? {
    guard let start = text.range(scalars: ":") else { return nil }
    let parts = text.unicodeScalars[start.upperBound...].split(separator: "/").prefix(3)
      .compactMap { part in
        UInt32(String(part), radix: 16).map { Double($0) / (pow(16, Double(part.count)) - 1) }
      }
    guard parts.count == 3 else { return nil }
    // As bright as it looks (ITU-R BT.601).
    return parts[0] * 0.299 + parts[1] * 0.587 + parts[2] * 0.114 < 0.5 ? .dark : .light
  }

  /// Drops a key with Alt, or a sequence that terminfo does not list (ECMA-48 §5.4). Interpreted as keys, its
  /// characters would trigger actions.
  private static func skipSequence(_ rest: inout ArraySlice<Code>) {
    guard case .character(let second)? = rest.popFirst() else { return }
    switch second {
    case UInt32(UInt8(ascii: "O")): rest = rest.dropFirst()
    case UInt32(UInt8(ascii: "[")):
      while case .character(let value)? = rest.popFirst() {
        if (0x40...0x7E).contains(value) { return }
      }
    default: break
    }
  }

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
