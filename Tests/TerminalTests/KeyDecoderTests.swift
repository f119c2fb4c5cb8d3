import CNcurses
import Screens
import Testing

@testable import Terminal

@Suite struct KeyDecoderTests {
  /// A key as text, a paste in brackets, anything else as a question mark.
  private static func words(_ events: [AppEvent]) -> [String] {
    events.map { event in
      switch event {
      case .key(let key): "\(key)"
      case .paste(let text): "[\(text)]"
      default: "?"
      }
    }
  }

  private static func codes(_ text: String) -> [KeyDecoder.Code] {
    text.unicodeScalars.map { .character($0.value) }
  }

  private static let start = ContinuousClock.now

  @Test(
    arguments: [
      ("aR?", [.character("a"), .character("R"), .character("?")]),
      ("é漢", [.character("é"), .character("漢")]),
      ("\t\r\n\u{7F}", [.tab, .enter, .enter, .backspace]), ("\u{1B}", [.escape]),
      ("\u{1B}\u{1B}", [.escape, .escape]),
      ("\u{3}\u{1A}\u{8}", [.control("c"), .control("z"), .control("h")]),
      ("\u{1B}x", [.escape, .character("x")]), ("\u{1B}\u{3}", [.escape, .control("c")]),
      ("\u{1B}[1;5Aj", [.character("j")]),
      ("\u{1B}OPj", [.function(1), .character("j")]), ("\u{1B}[", []), ("\u{1B}[200", []),
      ("\u{1B}OXj", [.character("j")]), ("\u{1B}]j", [.character("j")]),
      ("\u{1B}[M xqj", [.character("j")]),
      ("\u{1B}[\u{3}j", [.control("c"), .character("j")]),
      ("\u{0}\u{1C}\u{9B}", []),
    ] as [(String, [Key])])
  func characters(_ text: String, _ keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(
      Self.words(decoder.decode(Self.codes(text), at: Self.start)) == keys.map { "\($0)" })
  }

  @Test(
    arguments: [
      (KEY_UP, .up), (KEY_DOWN, .down), (KEY_LEFT, .left), (KEY_RIGHT, .right), (KEY_HOME, .home),
      (KEY_END, .end), (KEY_PPAGE, .pageUp), (KEY_NPAGE, .pageDown), (KEY_DC, .delete),
      (KEY_IC, .insert), (KEY_BTAB, .backTab), (KEY_BACKSPACE, .backspace), (KEY_ENTER, .enter),
      (KEY_F0 + 1, .function(1)), (KEY_F0 + 12, .function(12)), (KEY_RESIZE, nil), (KEY_MOUSE, nil),
      (9999, nil),
    ] as [(Int32, Key?)])
  func functionKeys(_ code: Int32, _ key: Key?) {
    var decoder = KeyDecoder()
    #expect(
      Self.words(decoder.decode([.function(code)], at: Self.start)) == (key.map { ["\($0)"] } ?? [])
    )
  }

  /// Kitty's keyboard protocol, in which Escape and letters with Control are sequences, and arrows have no SS3.
  @Test(
    arguments: [
      ("27u", .escape), ("99;5u", .control("c")), ("97;5u", .control("a")), ("9;2u", .backTab),
      ("13u", .enter), ("13;2u", .enter), ("9u", .tab), ("127u", .backspace), ("105;5u", .tab),
      ("109;5u", .enter), ("99:67;6u", .control("c")), ("27;129u", .escape), ("27;1:1u", .escape),
      ("97;3u", nil), ("97;7u", nil), ("97u", nil), ("57399u", .character("0")),
      ("57414u", .enter), ("57424u", .end), ("57358u", nil),
      ("A", .up), ("B", .down), ("C", .right), ("D", .left), ("H", .home), ("F", .end),
      ("1;129A", .up), ("1;5A", nil), ("P", .function(1)), ("13~", .function(3)),
      ("5~", .pageUp), ("3~", .delete), ("24~", .function(12)), ("3;5~", nil), ("99~", nil),
      ("99999999999999999999u", nil), (";;;u", nil), ("-1u", nil), ("1;-9223372036854775808u", nil),
    ] as [(String, Key?)])
  func kittysKeys(_ sequence: String, _ key: Key?) {
    var decoder = KeyDecoder()
    let events = decoder.decode(Self.codes("\u{1B}[\(sequence)j"), at: Self.start)
    #expect(Self.words(events) == (key.map { ["\($0)"] } ?? []) + ["character(\"j\")"])
  }

  @Test func theWindowTellsWhetherItHasTheKeyboard() {
    var decoder = KeyDecoder()
    let events = decoder.decode(Self.codes("\u{1B}[Ij\u{1B}[O"), at: Self.start)
    let focus = events.compactMap { event in if case .focus(let has) = event { has } else { nil } }
    #expect(focus == [true, false] && events.count == 3)
  }

  /// A click is one when the button goes up; until then it may be dragged.
  @Test(
    arguments: [
      ("0;5;3M 0;5;3m", ["click 2,4"]), ("0;5;3M 32;6;3M 0;6;3m", ["click 2,5"]),
      (
        "0;5;3M 32;5;4M 32;5;6M 0;5;6m", ["grab 2,4", "drag 3,4", "drag 5,4", "drop 5,4"]
      ),
      ("0;5;3M 32;5;4M 32;5;3M 0;5;3m", ["grab 2,4", "drag 3,4", "drag 2,4", "drop 2,4"]),
      ("2;5;3M 2;5;3m", ["menu 2,4"]), ("64;1;1M", ["wheelUp 0,0"]), ("65;1;1M", ["wheelDown 0,0"]),
      ("0;5;3m", []), ("32;5;3M", []), ("1;5;3M 1;5;3m", []), ("4;5;3M 4;5;3m", ["click 2,4"]),
      ("0;0;3M 0;5;0m", []), ("0;5M", []), ("35;5;3M", []),
    ])
  func whatTheMouseDoes(_ reports: String, _ expected: [String]) {
    var decoder = KeyDecoder()
    let events = reports.split(separator: " ").flatMap {
      decoder.decode(Self.codes("\u{1B}[<\($0)"), at: Self.start)
    }
    let words = events.map { event in
      if case .mouse(let mouse) = event {
        "\(mouse.kind) \(mouse.row),\(mouse.column)"
      } else {
        "?"
      }
    }
    #expect(words == expected)
  }

  @Test func aPasteIsOneEventHoweverItArrives() {
    let paste = Array("\u{1B}[200~/a b\r/c\u{1B}q\u{1B}[201~j".unicodeScalars)
    for cut in 1..<paste.count {
      var decoder = KeyDecoder()
      let pieces = [paste[..<cut], paste[cut...]].map { String(String.UnicodeScalarView($0)) }
      let events = pieces.enumerated().flatMap { index, piece in
        decoder.decode(Self.codes(piece), at: Self.start + .milliseconds(900 * index))
      }
      // Escape that nothing follows for so long has been taken for the key.
      let expected = ["[/a b\n/c\u{1B}q]", "character(\"j\")"]
      #expect(Self.words(events) == (cut == 1 ? ["escape"] : []) + expected, "cut at \(cut)")
    }
  }

  /// A function key that ncurses sees within a paste is lost; the paste is not.
  @Test func aPasteGoesOnAfterAFunctionKey() {
    var decoder = KeyDecoder()
    let events = decoder.decode(
      Self.codes("\u{1B}[200~/a") + [.function(KEY_UP)] + Self.codes("b\u{1B}[201~"),
      at: Self.start)
    #expect(Self.words(events) == ["[/ab]"])
  }

  /// What the terminal says about its background, however it arrives, and what is typed after it.
  @Test(
    arguments: [
      ("rgb:1e1e/2020/3030\u{7}", [.background(.dark)]),
      ("rgb:ff/ff/e0\u{1B}\\", [.background(.light)]),
      ("rgb:fdfd/f6f6/e3e3\u{1B}\\", [.background(.light)]),
      ("rgb:0/0/0\u{7}", [.background(.dark)]), ("rgb:\u{7}", []), ("?\u{7}", []),
      ("rgb:g/0/0\u{1B}\\", []),
    ] as [(String, [KeyDecoder.Answer])])
  func theBackground(_ text: String, _ answers: [KeyDecoder.Answer]) {
    let whole = Self.codes("\u{1B}]11;" + text)
    for cut in 2...whole.count {
      var decoder = KeyDecoder()
      let events =
        decoder.decode(Array(whole.prefix(cut)), at: Self.start)
        + decoder.decode(Array(whole.dropFirst(cut)), at: Self.start + .milliseconds(900))
        + decoder.decode(Self.codes("j"), at: Self.start + .milliseconds(910))
      // Where the last character, which only ends the end, is cut off, Escape is not the key either.
      #expect(Self.words(events) == ["character(\"j\")"], "cut at \(cut)")
      #expect(decoder.takeAnswers() == answers)
      #expect(decoder.takeAnswers().isEmpty)
    }
  }

  @Test("an answer that breaks off takes no ^c")
  func brokenAnswer() {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Self.codes("\u{1B}]11;rgb:1e"), at: Self.start).isEmpty)
    let events = decoder.decode(Self.codes("\u{3}j"), at: Self.start)
    #expect(Self.words(events) == ["control(\"c\")", "character(\"j\")"])
  }

  @Test(
    arguments: [
      ("64;1;2c", [.end]), ("997;1n", [.backgroundChanged]), ("997;2n", [.backgroundChanged]),
      ("2026;2$y", []), ("996n", []), ("0u", [.keyboard]), ("5u", [.keyboard]),
    ] as [(String, [KeyDecoder.Answer])])
  func whatTheTerminalReports(_ text: String, _ answers: [KeyDecoder.Answer]) {
    var decoder = KeyDecoder()
    let events = decoder.decode(Self.codes("\u{1B}[?\(text)q"), at: Self.start)
    #expect(Self.words(events) == ["character(\"q\")"])
    #expect(decoder.takeAnswers() == answers)
  }

  @Test(arguments: ["\u{1B}]11;", "\u{1B}[", "\u{1B}[<", "\u{1B}[?"])
  func aSequenceWithoutEndDoesNotSwallowTheKeyboardForEver(_ start: String) {
    var decoder = KeyDecoder()
    let flood = String(repeating: "0", count: 100)
    let events = decoder.decode(Self.codes(start + flood + "q"), at: Self.start)
    #expect(Self.words(events).last == "character(\"q\")")
  }

  @Test func aPasteWithoutEndDoesNotSwallowTheKeyboardForEver() {
    var decoder = KeyDecoder()
    let flood = [KeyDecoder.Code](
      repeating: .character(0x61), count: KeyDecoder.longestPaste)
    let events = decoder.decode(
      Self.codes("\u{1B}[200~") + flood + Self.codes("q"), at: Self.start)
    #expect(Self.words(events).last == "character(\"q\")")
    #expect(events.count == 2)
  }

  // MARK: Sequences in pieces

  /// Pieces with the milliseconds before each, `^` for Escape, `-` where nothing comes, and what comes of them.
  @Test(arguments: [
    ("^", [0], ["escape"]),
    // Two keys, the second at once or later.
    ("^j", [0], ["escape", "j"]), ("^ j", [0, 500], ["escape", "j"]),
    ("^^j", [0], ["escape", "escape", "j"]),
    // A key whose rest has not been waited for: never its letters.
    ("^ OP", [0, 400], ["escape", "F1"]), ("^ O P", [0, 400, 400], ["escape", "F1"]),
    ("^O P", [0, 400], ["F1"]), ("^[ 3~", [0, 900], ["delete"]), ("^[3 ~", [0, 900], ["delete"]),
    ("^[ 6 ~ j", [0, 900, 900, 0], ["pageDown", "j"]), ("^[ [ A", [0, 400, 400], ["F1"]),
    ("^O x", [0, 400], []), ("^[ 9 9 x", [0, 400, 400, 400], []),
    ("^[< 0;5;3 M^[< 0;5;3m", [0, 400, 400, 0], ["?"]),
    // Two keys after all, as nothing follows.
    ("^O - j", [0, 1000, 0], ["escape", "O", "j"]),
    ("^ O - j", [0, 400, 1000, 0], ["escape", "O", "j"]),
    ("^[ - j", [0, 1000, 0], ["escape", "[", "j"]), ("^[3 - j", [0, 1000, 0], ["j"]),
    // Something follows in time, or has been read only after it, since the machine did something else.
    ("^[ - 3~", [0, 999, 0], ["delete"]), ("^[ 3~", [0, 5000], ["delete"]),
  ])
  func aSequenceInPieces(_ pieces: String, _ gaps: [Int], _ expected: [String]) {
    var (decoder, time) = (KeyDecoder(), Self.start)
    var words: [String] = []
    for (piece, gap) in zip(pieces.split(separator: " "), gaps) {
      time += .milliseconds(gap)
      let text = String(piece.replacing("^", with: "\u{1B}"))
      let events =
        piece == "-" ? decoder.expire(at: time) : decoder.decode(Self.codes(text), at: time)
      words += Self.words(events)
    }
    let short = words.map { word in
      word.replacing("function(1)", with: "F1").replacing("character(\"", with: "")
        .replacing("\")", with: "")
    }
    #expect(short == expected)
    #expect(decoder.deadline == nil || expected.last == "escape")
  }

  /// Where keys are waited for longer than a second, so is everything else.
  @Test(arguments: [(25, 1000), (1000, 1000), (5000, 5000)])
  func aSequenceIsWaitedForAsLongAsKeys(_ delay: Int, _ patience: Int) {
    var decoder = KeyDecoder(patience: .milliseconds(delay))
    #expect(decoder.decode(Self.codes("\u{1B}["), at: Self.start).isEmpty)
    #expect(decoder.expire(at: Self.start + .milliseconds(patience - 1)).isEmpty)
    #expect(decoder.expire(at: Self.start + .milliseconds(patience)).count == 2)
  }
}
