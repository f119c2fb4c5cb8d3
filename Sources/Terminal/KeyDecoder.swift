import CNcurses
import Foundation
import ScalarText
import Screens

/// Turns what has been read into events: characters, function keys, whole pastes.
///
/// `FunctionKeys` finds the keys of terminfo, and waits for the rest of one that has begun. What terminfo does not list (keys
/// of kitty's protocol, pastes, reports of the mouse and of the terminal) arrives as characters, and so does a key whose
/// rest has not been waited for. Such a sequence is collected here, however it is divided, for as long as its pieces are
/// less than a second apart: its characters never become keys.
nonisolated struct KeyDecoder {
  /// What has been read.
  enum Code: Equatable {
    case character(UInt32)
    case function(Int32)
  }

  typealias Time = ContinuousClock.Instant

  /// How long the next piece of a sequence is waited for: a second, or longer where keys are waited for longer.
  private let patience: Duration
  /// The longest paste, in characters: more than anyone pastes intentionally.
  static let longestPaste = 1 << 20
  /// The longest other sequence, in characters.
  private static let longestSequence = 64

  /// What the characters read so far have begun.
  private enum Begun: Hashable {
    case escape
    /// ESC O.
    case shifted
    /// ESC [, and what follows (ECMA-48 §5.4).
    case control(String)
    /// ESC ], and what follows: the beginning of an answer about the background (OSC 11).
    case command(String)
    /// ESC at the end of such an answer, which a backslash must follow.
    case commandEnd
  }

  private var begun: Begun?
  /// Whether the Escape with which it has begun has been taken for the key.
  private var isEscapePressed = false
  /// When the sequence that has begun is given up.
  private(set) var deadline: Time?

  /// The paste so far; nil outside a paste.
  private var pasted: [Unicode.Scalar]?
  private static let pasteEnd = Array("\u{1B}[201~".unicodeScalars)
  /// Where the left button went down, and whether the mouse has moved since; nil if the button is up.
  private var press: (row: Int, column: Int, isMoved: Bool)?
  private var answers: [Answer] = []
  private var events: [AppEvent] = []

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

  init(patience: Duration = .zero) { self.patience = max(patience, .seconds(1)) }

  /// The answers since the last call.
  mutating func takeAnswers() -> [Answer] {
    defer { answers = [] }
    return answers
  }

  /// The events that these codes make, which have just been read and are all that there is to read.
  mutating func decode(_ codes: [Code], at now: Time) -> [AppEvent] {
    for code in codes {
      switch code {
      case .character(let value): if let scalar = Unicode.Scalar(value) { take(scalar) }
      case .function(let number): take(number)
      }
    }
    // What follows Escape has been waited for.
    if begun == .escape { pressEscape() }
    if !codes.isEmpty { deadline = begun == nil ? nil : now + patience }
    defer { events = [] }
    return events
  }

  /// Gives up the sequence that has begun, if its time is over and there is nothing to read. Its first two characters may be
  /// two keys.
  mutating func expire(at now: Time) -> [AppEvent] {
    guard let deadline, now >= deadline else { return [] }
    let given = begun
    (begun, self.deadline) = (nil, nil)
    let second: [Begun: Unicode.Scalar] = [.shifted: "O", .control(""): "[", .command(""): "]"]
    if let given, let key = second[given] {
      pressEscape()
      take(key)
    }
    defer { events = [] }
    return events
  }

  /// Takes the Escape for the key, unless that has been done.
  private mutating func pressEscape() {
    if !isEscapePressed { events.append(.key(.escape)) }
    isEscapePressed = true
  }

  private mutating func take(_ number: Int32) {
    // A function key cannot be part of a sequence. Within a paste, its characters are lost.
    guard pasted == nil else { return }
    if begun == .escape { pressEscape() }
    begun = nil
    if let key = Self.functionKey(number) { events.append(.key(key)) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) {
    if pasted != nil { return paste(scalar) }
    let before = begun
    begun = nil
    switch before {
    case nil where scalar == "\u{1B}": (begun, isEscapePressed) = (.escape, false)
    case nil: if let key = Self.key(scalar.value) { events.append(.key(key)) }
    case .escape: takeSecond(scalar)
    // Any control character but Escape is a key, so that a sequence that breaks off does not swallow ^c.
    case .shifted where scalar.isControl, .control where scalar.isControl: take(scalar)
    case .shifted: if let key = Self.keysByLetter[scalar] { events.append(.key(key)) }
    case .control(let text): takeControl(scalar, text)
    case .command(let text): takeCommand(scalar, text)
    case .commandEnd where scalar == "\\": break
    case .commandEnd: takeSecond(scalar)
    }
  }

  /// What follows Escape: the second character of a sequence, or the next key. Many terminals send Escape before a key that
  /// is pressed together with Alt. No such key has a meaning here, and two keys that are pressed one after the other may
  /// arrive like that, so both act.
  private mutating func takeSecond(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "[": begun = .control("")
    case "O": begun = .shifted
    case "]": begun = .command("")
    default:
      pressEscape()
      take(scalar)
    }
  }

  private mutating func takeControl(_ scalar: Unicode.Scalar, _ text: String) {
    // Two go on after what ends all others: the console's function keys, `ESC [ [ A`, and old reports of the mouse,
    // `ESC [ M` and three characters, which are not asked for.
    let isOldMouse = text.hasPrefix(scalars: "M")
    if isOldMouse, text.unicodeScalars.count == 3 { return }
    let goesOn = isOldMouse || text.isEmpty && (scalar == "[" || scalar == "M")
    if !goesOn, (0x40...0x7E).contains(scalar.value) { return finish(text, scalar) }
    guard text.utf8.count < Self.longestSequence, scalar.isASCII || isOldMouse else { return }
    begun = .control(text + String(scalar))
  }

  /// The sequence `ESC [ text final` is complete.
  private mutating func finish(_ text: String, _ final: Unicode.Scalar) {
    switch (text.unicodeScalars.first, final) {
    case ("<", _): events += mouse(String(text.dropFirst()), final).map(AppEvent.mouse)
    case ("?", "c"): answers.append(.end)
    case ("?", "u"): answers.append(.keyboard)
    case ("?", "n") where text.hasPrefix(scalars: "?997;"): answers.append(.backgroundChanged)
    case ("?", _): break
    case ("[", _): if let key = Self.keysOfConsole[final] { events.append(.key(key)) }
    case (nil, "I"): events.append(.focus(true))
    case (nil, "O"): events.append(.focus(false))
    case (_, "~") where text == "200": pasted = []
    default: if let key = Self.key(final, text) { events.append(.key(key)) }
    }
  }

  private mutating func takeCommand(_ scalar: Unicode.Scalar, _ text: String) {
    let start = "11;"
    let isEnd = scalar == "\u{7}" || scalar == "\u{1B}"
    if text.utf8.count < start.utf8.count || isEnd && !text.hasPrefix(scalars: start) {
      // Nothing else is asked.
      guard start.hasPrefix(scalars: text + String(scalar)) else { return take(scalar) }
    } else if isEnd {
      if let background = Self.background(text) { answers.append(.background(background)) }
      if scalar == "\u{1B}" { (begun, isEscapePressed) = (.commandEnd, false) }
      return
    } else if scalar.isControl {
      return take(scalar)
    }
    guard text.utf8.count < Self.longestSequence else { return }
    begun = .command(text + String(scalar))
  }

  /// Takes one character of a paste, which is an event at its end.
  private mutating func paste(_ scalar: Unicode.Scalar) {
    // Within a paste, terminals send line breaks as carriage returns, like the Enter key.
    pasted?.append(scalar == "\r" ? "\n" : scalar)
    guard var text = pasted else { return }
    pasted = nil
    if scalar == "~", text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
      text.removeLast(Self.pasteEnd.count)
    } else if text.count < Self.longestPaste {
      pasted = text
      return
    }
    events.append(.paste(String(String.UnicodeScalarView(text))))
  }

  /// The events of a mouse report, which is `button;column;row` and then `M` for a press or a move, or `m` for a release
  /// (xterm modes 1002 and 1006).
  private mutating func mouse(_ text: String, _ final: Unicode.Scalar) -> [Mouse] {
    let numbers = text.split(scalar: ";").map { Int($0) }
    guard final == "M" || final == "m", numbers.count == 3, let button = numbers[0],
      let column = numbers[1], let row = numbers[2], column > 0, row > 0
    else { return [] }
    // Shift, Alt and Control (4, 8, 16) make no difference.
    return mouse(button & ~28, isUp: final == "m", row: row - 1, column: column - 1)
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
    "Q": .function(2), "R": .function(3), "S": .function(4),
  ]
  private static let keysOfConsole: [Unicode.Scalar: Key] = [
    "A": .function(1), "B": .function(2), "C": .function(3), "D": .function(4), "E": .function(5),
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

extension Unicode.Scalar {
  nonisolated fileprivate var isControl: Bool { value < 32 }
}
