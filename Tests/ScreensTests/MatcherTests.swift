import Foundation
import Testing

@testable import Screens

@Suite struct MatcherTests {
  @Test(arguments: [
    ("jpg", "IMG.JPG", true), ("Img", "img.jpg", false), ("Img", "Img.jpg", true), ("", "x", true),
    (" ", "x", true), ("é", "café", true), ("é", "CAFÉ", true), ("É", "café", false),
    ("jpgx", "jpg", false), ("aab", "aaab", true),
    // In pieces that begin where words do, and not scattered.
    ("rpdf", "report.pdf", true), ("i1", "IMG_0001.jpg", false), ("i00", "IMG_0001.jpg", true),
    ("img", "a name that is much longer.tar.gz", false), ("hw", "HelloWorld", true),
    ("hep", "hello-e-p", true), ("heo", "hello", false),
    // Each word, in any order.
    ("jpg holiday", "holiday 3.jpg", true), ("jpg work", "holiday 3.jpg", false),
    ("字", "漢字.png", true), ("/", "a/\u{301}b", true),
  ])
  func matching(_ needle: String, _ text: String, _ isThere: Bool) {
    #expect(Matcher(needle).matches(text) == isThere)
  }

  /// What begins so is first, then what has a word that does, then what holds it, pieces, and what is scattered.
  @Test func theBestIsFirst() {
    let names = ["salbumen", "a-l-b", "xaxlxb", "my-album", "album", "alb", "other"]
    #expect(
      names.ranked(by: Matcher("alb"), { [$0] }) == [
        "alb", "album", "my-album", "salbumen", "a-l-b", "xaxlxb",
      ])
    #expect(["b", "a"].ranked(by: Matcher(""), { [$0] }) == ["b", "a"])
    // A name counts more than its note.
    let notes = [("two", "one"), ("one", "two")]
    #expect(notes.ranked(by: Matcher("one"), { [$0.0, $0.1] }).map(\.0) == ["one", "two"])
  }

  @Test(arguments: [
    ("rpdf", "report.pdf", [0, 7, 8, 9]), ("pdf", "report.pdf", [7, 8, 9]),
    ("pdf rep", "report.pdf", [0, 1, 2, 7, 8, 9]), ("zip", "report.pdf", []),
    ("字", "漢字.png", [1]), ("x", "e\u{301}x", [1]), ("b", "a\u{1B}b", [2]),
  ])
  func places(_ needle: String, _ text: String, _ places: [Int]) {
    #expect(Matcher(needle).places(in: Glyphs.of(text, ascii: false)) == places)
  }

  @Test func aLongNameIsSearchedInNoTime() {
    let name = String(repeating: "a-", count: 20_000)
    let needle = String(repeating: "a", count: 60) + "b"
    let start = Self.processorSeconds
    #expect(!Matcher(needle).matches(name))
    #expect(Matcher(String(repeating: "a", count: 60)).rank(name, isLoose: true) != nil)
    #expect(Self.processorSeconds - start < 2)
  }

  /// The time that this thread has had on a processor.
  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: On the screen

  /// The characters that are lit up in the line with this text.
  private static func lit(in state: AppState, lineWith text: String) -> String {
    let frame = render(state, size: state.size)
    guard let row = frame.text.firstIndex(where: { $0.contains(text) }) else { return "no line" }
    return frame.line(row).filter { $0.style.role == .match }.map(\.glyph.text).joined()
  }

  @Test func whatMatchesIsLitUpInTheQueue() {
    var state = Fixture.mixed()
    Fixture.type("/rpdf", &state)
    #expect(state.selected?.fileName == "report.pdf")
    #expect(Self.lit(in: state, lineWith: "report.pdf") == "rpdf")
    Fixture.play(&state, .key(.enter))
    #expect(Self.lit(in: state, lineWith: "report.pdf") == "")
    Fixture.type("ftxt", &state)
    #expect(Self.lit(in: state, lineWith: "notes.txt") == "txt")
    Fixture.play(&state, .key(.enter))
    #expect(Self.lit(in: state, lineWith: "gone.txt") == "txt")
    Fixture.play(&state, .key(.escape))
    // Of a name that is cut, what is left is lit up.
    Fixture.type("ftar", &state)
    #expect(Self.lit(in: state, lineWith: "…ar.gz") == "ar")
  }

  @Test func theListOfFilesGoesToTheBest() {
    var state = Fixture.empty()
    Fixture.play(&state, .key("b"), .folder(Fixture.folder))
    Fixture.type("/no", &state)
    guard case .browser(let browser) = state.dialog else {
      Issue.record("the list has closed")
      return
    }
    #expect(browser.selected?.name == "notes.txt")
    #expect(Self.lit(in: state, lineWith: "notes.txt") == "no")
  }

  @Test func theBestTargetIsFirst() {
    var state = Fixture.empty()
    state.options.targets = Fixture.choices("my-nas", "nas", "photos")
    state.options.targets[2].url = "https://nas.example.com/"
    Fixture.type("tnas", &state)
    guard case .menu(let menu) = state.dialog else {
      Issue.record("the menu has closed")
      return
    }
    #expect(menu.shown.map { menu.choices[$0] } == ["nas", "my-nas", "photos", "new target…"])
    #expect(Self.lit(in: state, lineWith: "my-nas") == "nas")
    #expect(Self.lit(in: state, lineWith: "https://nas") == "nas")
    #expect(Fixture.play(&state, .key(.enter)) == [.switchTarget("nas")])
  }

  @Test func whatIsJustWhatWasTypedIsFirst() {
    let services = [("S3 in parts", "s3-parts"), ("S3 presigned", "s3-post"), ("Amazon S3", "s3")]
    let found = services.ranked(by: Matcher("s3")) { [$0.0, $0.1] }.map(\.1)
    #expect(found == ["s3", "s3-parts", "s3-post"])
  }

  @Test("what leads to \"new target\" is not taken for a name, and a name is")
  func typedNames() {
    for (typed, name) in [("new", ""), ("new t", ""), ("holiday", "holiday")] {
      var state = Fixture.mixed()
      state.options.targets = Fixture.choices("photos")
      Fixture.type("t\(typed)", &state)
      Fixture.play(&state, .key(.enter))
      guard case .form(let form) = state.dialog else {
        Issue.record("no form after \(typed)")
        continue
      }
      #expect(form.rows.first { $0.field == .name }?.text.text == name)
    }
  }

  // MARK: The command line

  private static func lines(_ state: AppState) -> [String] {
    let text = render(state, size: state.size).text
    let top = text.firstIndex { $0.hasPrefix("╭─ ") && !$0.contains("Queue") } ?? text.count
    return text.dropFirst(top + 1).dropLast(2).filter { $0.hasPrefix("│") }
      .map { $0.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
  }

  @Test(arguments: [
    ("theme nor", "theme nord"), ("theme cntr", "theme contrast"), ("theme nr", "theme nord"),
    ("sort size", "sort largest"),
    ("sort sm", "sort smallest"), ("target ti", "target tickets"), ("limit of", "limit off"),
    ("filter fai", "filter failed"), ("retry lost", "retry lost.bin"), ("rtr", "retry"),
    ("reall", "retry-all"),
  ])
  func tabTakesTheBest(_ text: String, _ line: String) {
    var state = Fixture.mixed()
    state.options.targets = Fixture.choices("photos", "tickets")
    Fixture.type(":" + text, &state)
    Fixture.play(&state, .key(.tab))
    if state.commandText != line { Fixture.play(&state, .key(.tab)) }
    #expect(state.commandText == line)
  }

  @Test func whatCanFollowIsSeenAfterTheSpace() {
    var state = Fixture.mixed(size: Size(width: 100, height: 30))
    Fixture.type(":theme ", &state)
    #expect(Self.lines(state).contains("nord") && Self.lines(state).contains("plain"))
    Fixture.type("gru", &state)
    #expect(Self.lit(in: state, lineWith: "gruvbox") == "gru")
    Fixture.play(&state, .key(.tab), .key(.enter))
    #expect(state.theme.name == "gruvbox")
    Fixture.type(":theme xyz", &state)
    #expect(render(state, size: state.size).text.contains { $0.contains("nothing matches") })
    Fixture.play(&state, .key(.escape))
    // What need not be one of the choices is not called wrong.
    Fixture.type(":limit 3 MB/s", &state)
    #expect(!render(state, size: state.size).text.contains { $0.contains("nothing matches") })
  }

  /// What is about the next key, or does what another command does, is not among the commands.
  @Test(arguments: [
    "page-down", "top", "next-pane", "more-lanes", "fewer-lanes", "command", "interrupt", "log-in",
  ])
  func whatIsOnlyAKeyIsNoCommand(_ word: String) {
    #expect(CommandLine(word)?.action == nil)
    #expect(!CommandLine.matching(word).contains { $0.name.word == word })
    #expect(CommandLine.actions.count < 50)
  }

  /// What a person reads on the screen can be typed.
  @Test(arguments: [
    ("sort size", "by size, largest first"), ("sort by name", "by name"), ("sort Name", "by name"),
    ("sort smallest first", "by size, smallest first"),
    ("sort STATE", "by state, failed first"),
    ("sort failed first", "by state, failed first"), ("sort type", "by type"),
  ])
  func ordersByTheirOtherWords(_ line: String, _ words: String) {
    var state = Fixture.mixed()
    Fixture.play(&state, .command("sort reverse"), .command(line))
    #expect(
      state.message == "sorted \(words)" || state.message == "the files are already in this order")
  }

  @Test(arguments: [
    ("retry all", Action.Name.retryAll), ("copy url", .copyURL), ("Stop", .startStop),
    ("go on", .startStop), ("exit", .quit), ("search x", .find), ("Retry", .retry),
  ])
  func actionsByTheirOtherWords(_ line: String, _ name: Action.Name) {
    #expect(CommandLine(line)?.action?.name == name)
  }

  /// A hint of two words never hides the argument of a command.
  @Test func anArgumentStaysOne() {
    for action in CommandLine.actions where action.argument != nil {
      let line = CommandLine("\(action.name.word) some thing")
      #expect(line?.action?.name == action.name && line?.argument == "some thing")
    }
  }
}

extension AppState {
  var commandText: String? {
    if case .command(let prompt) = dialog { prompt.line.field.text } else { nil }
  }
}
