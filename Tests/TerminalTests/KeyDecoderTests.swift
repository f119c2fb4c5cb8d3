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

  @Test(
    arguments: [
      ("aR?", [.character("a"), .character("R"), .character("?")]),
      ("é漢", [.character("é"), .character("漢")]),
      ("\t\r\n\u{7F}", [.tab, .enter, .enter, .backspace]), ("\u{1B}", [.escape]),
      ("\u{1B}\u{1B}", [.escape, .escape]),
      ("\u{3}\u{1A}\u{8}", [.control("c"), .control("z"), .control("h")]),
      ("\u{1B}x", []), ("\u{1B}xj", [.character("j")]), ("\u{1B}[1;5Aj", [.character("j")]),
      ("\u{1B}OPj", [.character("j")]), ("\u{1B}[", []), ("\u{1B}[200", []),
      ("\u{0}\u{1C}\u{9B}", []),
    ] as [(String, [Key])])
  func characters(_ text: String, _ keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(Self.words(decoder.decode(Self.codes(text))) == keys.map { "\($0)" })
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
    #expect(Self.words(decoder.decode([.function(code)])) == (key.map { ["\($0)"] } ?? []))
  }

  @Test func aPasteIsOneEventHoweverItArrives() {
    let start = KeyDecoder.Code.function(KeyDecoder.pasteStart)
    let end = KeyDecoder.Code.function(KeyDecoder.pasteEnd)
    var decoder = KeyDecoder()
    let whole = [start] + Self.codes("/a b\r/c\u{1B}q") + [.function(KEY_UP), end]
    #expect(
      Self.words(decoder.decode(whole + Self.codes("j"))) == [
        "[/a b\n/c\u{1B}q]", "character(\"j\")",
      ])
    #expect(decoder.decode([start] + Self.codes("/a")).isEmpty)
    #expect(decoder.decode(Self.codes("bc")).isEmpty)
    #expect(Self.words(decoder.decode(Self.codes("d") + [end])) == ["[/abcd]"])
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
    let whole = [.function(KeyDecoder.backgroundStart)] + Self.codes(text)
    for cut in [whole.count, 3] {
      var decoder = KeyDecoder()
      let events =
        decoder.decode(Array(whole.prefix(cut))) + decoder.decode(Array(whole.dropFirst(cut)))
        + decoder.decode(Self.codes("j"))
      #expect(Self.words(events) == ["character(\"j\")"])
      #expect(decoder.takeAnswers() == answers)
      #expect(decoder.takeAnswers().isEmpty)
    }
  }

  @Test("an answer that breaks off takes no ^c")
  func brokenAnswer() {
    var decoder = KeyDecoder()
    #expect(
      decoder.decode([.function(KeyDecoder.backgroundStart)] + Self.codes("rgb:1e")).isEmpty)
    #expect(Self.words(decoder.decode(Self.codes("\u{3}"))) == ["control(\"c\")"])
    #expect(Self.words(decoder.decode(Self.codes("j"))) == ["character(\"j\")"])
  }

  @Test(
    arguments: [
      ("64;1;2c", [.end]), ("997;1n", [.backgroundChanged]), ("997;2n", [.backgroundChanged]),
      ("2026;2$y", []), ("996n", []),
    ] as [(String, [KeyDecoder.Answer])])
  func whatTheTerminalReports(_ text: String, _ answers: [KeyDecoder.Answer]) {
    var decoder = KeyDecoder()
    let events = decoder.decode(
      [.function(KeyDecoder.reportStart)] + Self.codes(text) + Self.codes("q"))
    #expect(Self.words(events) == ["character(\"q\")"])
    #expect(decoder.takeAnswers() == answers)
  }

  @Test func anAnswerWithoutEndDoesNotSwallowTheKeyboardForEver() {
    var decoder = KeyDecoder()
    let flood = [KeyDecoder.Code](repeating: .character(0x30), count: 100)
    let events = decoder.decode(
      [.function(KeyDecoder.backgroundStart)] + flood + Self.codes("q"))
    #expect(Self.words(events).last == "character(\"q\")")
  }

  @Test func aPasteWithoutEndDoesNotSwallowTheKeyboardForEver() {
    var decoder = KeyDecoder()
    let flood = [KeyDecoder.Code](
      repeating: .character(0x61), count: KeyDecoder.longestPaste)
    let events = decoder.decode([.function(KeyDecoder.pasteStart)] + flood + Self.codes("q"))
    #expect(Self.words(events).last == "character(\"q\")")
    #expect(events.count == 2)
  }
}
