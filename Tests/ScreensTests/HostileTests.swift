import TestSupport
import Testing

@testable import Screens
@testable import UploadModel

/// Names and replies that were made to break a screen.
enum Hostile {
  static let names = [
    "\u{1B}[2J\u{1B}[31mred.txt", "\u{1B}]0;title\u{07}.txt", "\u{9B}2J.txt", "two\nlines.txt",
    "tab\there\r.txt", "\u{202E}gpj.exe", "\u{2066}isolate\u{2069}.txt", "zero\u{200B}width.txt",
    String(repeating: "long", count: 50) + ".txt", String(repeating: "漢", count: 80) + ".png",
    "e" + String(repeating: "\u{301}", count: 100) + ".txt", "\u{301}mark first.txt",
    "👨‍👩‍👧‍👦 family.jpg", "🇩🇪🇫 flags.jpg", "❤️ and 👋🏽.jpg", "1️⃣ keycap.txt", "हिन्दी.pdf",
    "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.txt", "\u{1161}\u{115F}\u{3164}filler.txt",
    "\u{4DC0}\u{2630}disputed.txt", "a\u{200D}b.txt", "\u{E000}private.txt", "\u{FFFF}none.txt",
    "\u{7F}delete\u{0}nul.txt", "", " ", "शक्ति\u{93E}\u{93E}\u{93E}.txt", "\u{93E}alone.txt",
  ]
}

@Suite struct HostileTests {
  /// Nothing that is drawn can be taken for a command or change its width, and every line has
  /// exactly as many columns as the screen.
  static func expectSound(_ frame: Frame, at location: SourceLocation = #_sourceLocation) {
    let found = (0..<frame.size.height).flatMap { row in
      faults(in: Array(frame.line(row))).map { "row \(row), \($0)" }
    }
    #expect(found.isEmpty, sourceLocation: location)
    #expect(frame.title.unicodeScalars.allSatisfy(isHarmless), sourceLocation: location)
  }

  static func faults(in line: [Cell]) -> [String] {
    var faults: [String] = []
    for column in line.indices {
      let glyph = line[column].glyph
      let width = Int(glyph.width)
      // Most of a screen; the rest is looked at closely.
      if width == 1, glyph.mark == "\0", glyph.base.value >= 0x20, glyph.base.value < 0x7F {
        continue
      }
      let scalars = Array(glyph.text.unicodeScalars)
      if !scalars.allSatisfy(isHarmless) { faults.append("column \(column): \(scalars)") }
      let columns = scalars.reduce(0) { sum, scalar in
        sum + (DisplayWidth.isSpacingMark(scalar) ? 1 : DisplayWidth.of(scalar))
      }
      if width == 0, column == 0 || line[column - 1].glyph.width != 2 {
        faults.append("column \(column): half a character")
      }
      if width != 0, columns != width { faults.append("column \(column): the width of \(scalars)") }
      if width == 2, column + 1 == line.count || line[column + 1].glyph.width != 0 {
        faults.append("column \(column): a wide character without its half")
      }
    }
    return faults
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: !scalar.properties.isVariationSelector && !scalar.properties.isEmojiModifier
    }
  }

  @Test(arguments: Hostile.names, [false, true])
  func names(_ name: String, ascii: Bool) {
    var item = Fixture.item(1, name, type: name)
    let reply = Reply(text: name + "\n" + name, mediaType: name)
    item.state = .failed(Failure(.network(name), status: 500, reply: reply))
    let odd = [Size(width: 41, height: 11), Size(width: 77, height: 20)]
    for size in Effort.of([ascii ? odd[0] : odd[1]], long: Fixture.sizes + odd) {
      var state = AppState(
        target: name, url: name, isASCII: ascii, size: size, now: Instant(seconds: 0), notice: name)
      Fixture.play(&state, .added([item]))
      Self.expectSound(render(state, size: size))
      Fixture.play(&state, .key(.enter))
      Self.expectSound(render(state, size: size))
      Fixture.play(
        &state, .key(.escape), .key("a"), .paste(name), .key(.tab),
        .completions(for: state.promptHead, [name + "1", name + "2"]), .key(.tab))
      Self.expectSound(render(state, size: size))
      Fixture.play(&state, .key(.escape), .message(name))
      Self.expectSound(render(state, size: size))
      Self.expectSoundElsewhere(&state, name, size)
    }
  }

  /// The same name in every pane and dialog beside the queue.
  private static func expectSoundElsewhere(
    _ state: inout AppState, _ name: String, _ size: Size
  ) {
    state.options.listsServer = true
    state.options.targets = Fixture.choices(name, "other")
    let entry = Folder.Entry(name: name, path: Array(name.utf8), isFolder: true, size: 1)
    let rows = [ServerEntry(id: name, name: name, size: 1, time: name, url: name)]
    let past = [
      HistoryRow(
        id: name, name: name, target: name, size: 1, time: name, end: .failed, outcome: name,
        url: name,
        path: name, reply: Reply(text: name))
    ]
    let scenes: [[AppEvent]] = [
      [.key("b"), .folder(Folder(path: [], name: name, entries: [entry])), .key(" ")],
      [.key("/"), .paste(name), .key(.enter), .key(.escape)],
      [.key("b"), .folder(Folder(path: [], name: name, failure: name))], [.key(.escape)],
      [.key("e")], [.key(.escape)], [.key("t")], [.key(.escape)],
      [.key("f"), .paste(name)], [.key(.enter)], [.key(.escape), .key(.escape)],
      [.key(":"), .paste("add " + name), .key(.tab), .completions(for: name, [name, name + "2"])],
      [.key(.escape), .command(name), .command("target \(name)x"), .command("add \(name)")],
      [.key("2"), .server(.rows(rows))], [.key("x")], [.key(.escape), .server(.failed(name))],
      [.key("3"), .history(.rows(past))], [.key(.enter)], [.key(.escape)],
      [.history(.failed(name))], [.key("4")],
      [.reachability(server: name, .away(Failure(.unreachable(name)), nextTry: state.now + 3))],
      [.key("1"), .key(.enter), .request(ItemID(1), [name, name])], [.key(.escape)],
    ]
    for scene in scenes {
      for event in scene { Fixture.play(&state, event) }
      Self.expectSound(render(state, size: size))
    }
    var announcer = Announcer()
    let said = announcer.lines(for: state) + Announcer.list(of: state)
    #expect(said.allSatisfy { $0.unicodeScalars.allSatisfy(isSayable) }, "\(said)")
  }

  /// A line of text keeps joiners and variation selectors, which do no harm.
  private static func isSayable(_ scalar: Unicode.Scalar) -> Bool {
    isHarmless(scalar) || scalar.value == 0x200D || scalar.properties.isVariationSelector
      || scalar.properties.isEmojiModifier
  }

  @Test func aHugeNameCostsNoMoreThanALongOne() {
    var state = Fixture.empty()
    let name = String(repeating: "\u{1B}漢", count: 32_768) + ".txt"
    Fixture.play(&state, .added([Fixture.item(1, name)]))
    let frame = render(state, size: state.size)
    Self.expectSound(frame)
    #expect(frame.text[3].contains(".txt"))
    #expect(Glyphs.of(name, ascii: false).count < 2000)
  }

  @Test(arguments: [
    ("👨‍👩‍👧", "👨👩👧", 6), ("🇩🇪", "ⒹⒺ", 2), ("❤️", "❤", 1), ("👋🏽", "👋", 2),
    ("\u{1112}\u{1161}\u{11AB}", "한", 2), ("\u{1161}", "\u{FFFD}", 1),
    ("\u{301}", "\u{25CC}\u{301}", 1),
    ("e\u{301}\u{302}\u{303}", "e\u{301}\u{302}", 1), ("a\u{200D}b", "a\u{FFFD}b", 3),
    ("\u{4DC0}", "\u{FFFD}", 1),
    ("हि", "हि", 2), ("漢", "漢", 2), ("\u{FF21}", "\u{FF21}", 2), ("\u{1B}", "␛", 1),
    ("a\u{93E}", "a\u{FFFD}", 2),
  ])
  func clustersThatTerminalsDispute(_ text: String, _ shown: String, _ width: Int) {
    let glyphs = Glyphs.of(text, ascii: false)
    let result = glyphs.map(\.text).joined()
    #expect(result.unicodeScalars.elementsEqual(shown.unicodeScalars), "\(result)")
    #expect(Glyphs.width(glyphs) == width)
  }
}

extension AppState {
  /// What is typed before the cursor of the prompt.
  var promptHead: String {
    if case .prompt(let prompt) = dialog { prompt.field.head } else { "" }
  }

  var promptText: String {
    if case .prompt(let prompt) = dialog { prompt.field.text } else { "" }
  }
}
