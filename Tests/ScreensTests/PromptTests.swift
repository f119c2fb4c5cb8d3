import Foundation
import Testing

@testable import Screens
@testable import UploadModel

@Suite struct PromptTests {
  static func open(_ text: String = "") -> AppState {
    var state = Fixture.empty()
    Fixture.type("a" + text, &state)
    return state
  }

  @Test(arguments: [
    ("abc", [.backspace] as [Key], "ab"), ("abc", [.left, .left, "x"], "axbc"),
    ("abc", [.home, .delete], "bc"), ("abc", [.control("a"), "x", .control("e"), "y"], "xabcy"),
    ("/one/two", [.control("w")], "/one/"), ("/one/two/", [.control("w")], "/one/"),
    ("/one/two", [.control("u")], ""), ("abc", [.left, .control("u")], "c"),
    ("abc", [.control("b"), .control("d")], "ab"), ("", [.backspace, .delete, .left, .right], ""),
    ("e", ["\u{301}", .backspace], ""), ("漢字", [.left, .backspace], "字"),
    ("a", [.function(5)], "a"),
    ("a", [.control("h")], ""),
  ])
  func editing(_ text: String, _ keys: [Key], _ expected: String) {
    var state = Self.open(text)
    for key in keys { Fixture.play(&state, .key(key)) }
    #expect(state.promptText == expected)
  }

  /// Less is said rather than half of it.
  @Test(arguments: [60, 80, 100])
  func whatItWouldAddIsWhole(_ width: Int) {
    var state = Self.open("*")
    state.size = Size(width: width, height: 24)
    let preview = AddPreview(
      files: 7, bytes: 1_400_000, brokenLinks: 1, unsendable: 2, missing: ["closed/*"])
    Fixture.play(&state, .linePreview(for: "*", preview))
    let text = render(state, size: state.size).text.first { $0.contains("7 files") } ?? ""
    #expect(text.contains("7 files, 1.4 MB; ") && !text.contains("…"), "\(text)")
    #expect(text.contains("3 cannot be sent") || text.contains("1 broken link"), "\(text)")
    #expect(text.contains("nothing matches closed/*") == (width > 60), "\(text)")
  }

  @Test func completesWhatIsCertain() {
    var state = Self.open("~/ph")
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("~/ph")])
    #expect(Fixture.play(&state, .completions(for: "~/ph", ["~/photos/"])) == [])
    #expect(state.promptText == "~/photos/")
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("~/photos/")])
  }

  @Test func candidatesWithBlanksAreShownWhole() {
    var state = Fixture.empty()
    Fixture.type(":add a", &state)
    Fixture.play(&state, .key(.tab), .completions(for: "a", ["a b.txt", "a c.txt"]))
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.hasPrefix(" a b.txt  a c.txt") }, "\(text)")
  }

  /// No name starts with the whole line, so its last word is completed, as a shell would read it.
  @Test(arguments: [
    ("a.txt b", "b", ["b.bin"], "a.txt b.bin"), ("a.txt b", "b", ["b c.bin"], "a.txt b\\ c.bin"),
    ("'a b.txt' /x/", "/x/", ["/x/y"], "'a b.txt' /x/y"), ("'a b", "a b", ["a b.txt"], "'a b.txt'"),
    ("c \"a b", "a b", ["a b \"x\".txt"], "c \"a b \\\"x\\\".txt\""),
    ("'a b", "a b", ["a b's.txt"], "a\\ b\\'s.txt"), ("\"a b", "a b", ["a b/"], "\"a b/"),
    ("\"a b/", "a b/", ["a b/c"], "\"a b/c\""), ("a\\ b", "a b", ["a b.txt"], "a\\ b.txt"),
    ("a.txt ", "", ["only"], "a.txt only"), ("x 'a b'", "a b", ["a b"], "x 'a b'"),
  ])
  func completesEachOfSeveralPaths(
    _ line: String, _ word: String, _ names: [String], _ completed: String
  ) {
    var state = Self.open(line)
    #expect(Fixture.play(&state, .key(.tab)) == [.complete(line)])
    #expect(Fixture.play(&state, .completions(for: line, [])) == [.complete(word)])
    #expect(Fixture.play(&state, .completions(for: word, names)) == [])
    #expect(state.promptText == completed)
  }

  @Test func theNamesForTheLastWordAreShownWithoutTheRest() {
    var state = Self.open("a.txt b")
    Fixture.play(
      &state, .key(.tab), .completions(for: "a.txt b", []),
      .completions(for: "b", ["b1.txt", "b2.txt"]))
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains("  b1.txt") } && !text.contains { $0.contains("a.txt b1") })
    Fixture.play(&state, .key(.tab), .key(.tab))
    #expect(state.promptText == "a.txt b2.txt")
    // In quotes, a tilde is no folder.
    state = Self.open("a '~/")
    Fixture.play(&state, .key(.tab))
    #expect(Fixture.play(&state, .completions(for: "a '~/", [])) == [.bell])
  }

  @Test(arguments: [
    (":add \"my f", "my f", "my file.txt", ":add \"my file.txt\""),
    (":add a.txt 'my f", "my f", "my file.txt", ":add a.txt 'my file.txt'"),
  ])
  func quotesOnTheCommandLineAreCompleted(
    _ line: String, _ word: String, _ name: String, _ completed: String
  ) {
    var state = Fixture.empty()
    Fixture.type(line, &state)
    #expect(Fixture.play(&state, .key(.tab)) == [.complete(word)])
    Fixture.play(&state, .completions(for: word, [name]))
    #expect(":" + (state.commandText ?? "") == completed)
  }

  @Test func resumeTakesNamesAndResumesOnlyWhatIsPaused() {
    var state = Fixture.mixed()
    #expect(Fixture.play(&state, .command("resume paused.bin")) == [.resume([ItemID(8)])])
    #expect(Fixture.play(&state, .command("resume IMG_0001.jpg")) == [.bell])
    #expect(state.message == "nothing to resume: not paused")
    #expect(Fixture.play(&state, .command("resume nothing.bin")) == [.bell])
    #expect(state.message == "resume: no file in the queue is called \"nothing.bin\"")
    // Without a name, it is about the queue, and stops nothing.
    #expect(Fixture.play(&state, .command("resume")) == [.bell])
    #expect(Fixture.play(&state, .command("stop")) == [.setStarted(false)])
    #expect(Fixture.play(&state, .command("stop")) == [.bell])
    #expect(Fixture.play(&state, .command("resume")) == [.setStarted(true)])
    Fixture.type(":resume p", &state)
    Fixture.play(&state, .key(.tab))
    #expect(state.commandText == "resume paused.bin")
  }

  @Test func theListOfOrdersFollowsTyping() {
    var state = Fixture.mixed()
    Fixture.type("osize", &state)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("by size, largest first") && !text.contains("by target"), "\(text)")
    #expect(
      Fixture.play(&state, .key(.enter)) == [
        .reorder([4, 5, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12].map(ItemID.init))
      ])
  }

  @Test func goesThroughWhatIsNot() {
    var state = Self.open("p")
    Fixture.play(&state, .key(.tab), .completions(for: "p", ["pa1", "pa2", "pa3"]))
    #expect(state.promptText == "pa")
    var seen: [String] = []
    for key in [Key.tab, .tab, .tab, .tab, .backTab] {
      #expect(Fixture.play(&state, .key(key)) == [])
      seen.append(state.promptText)
    }
    #expect(seen == ["pa1", "pa2", "pa3", "pa1", "pa3"])
    Fixture.type("x", &state)
    #expect(state.promptText == "pa3x")
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("pa3x")])
  }

  @Test func keepsWhatStandsAfterTheCursor() {
    var state = Self.open("p.txt")
    for _ in 0..<4 { Fixture.play(&state, .key(.left)) }
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("p")])
    Fixture.play(&state, .completions(for: "p", ["path"]))
    #expect(state.promptText == "path.txt")
  }

  @Test func ringsWhereNothingFits() {
    var state = Self.open("q")
    Fixture.play(&state, .key(.tab))
    #expect(Fixture.play(&state, .completions(for: "q", [])) == [.bell])
    #expect(state.promptText == "q")
  }

  @Test func anAnswerThatComesTooLateIsNotUsed() {
    var state = Self.open("q")
    Fixture.play(&state, .key(.tab), .key("r"))
    #expect(Fixture.play(&state, .completions(for: "q", ["quick"])) == [])
    #expect(state.promptText == "qr")
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.play(&state, .completions(for: "qr", ["qrs"])) == [])
    #expect(state.mode == .queue)
  }

  @Test(arguments: [
    ("/a/b.txt", ["=/a/b.txt"]), ("/a/b.txt\n", ["=/a/b.txt"]), ("/a b/c d.txt", ["=/a b/c d.txt"]),
    ("/a/1 /a/2", ["=/a/1", "=/a/2"]), ("'/a b/1' \"/a b/2\"", ["=/a b/1", "=/a b/2"]),
    ("/a\\ b/1 /a/2", ["=/a b/1", "=/a/2"]), ("/a\n/b\r\n/c", ["=/a", "=/b", "=/c"]),
    ("file:///a%20b/%C3%A9.txt", ["=/a b/é.txt"]), ("file://host/a\nFILE:///b", ["=/a", "=/b"]),
    ("~/x", ["~~/x"]), ("'~/x'", ["=~/x"]), ("\"/a\\\"b\"", ["=/a\"b"]),
    ("/it's here", ["=/it's here"]),
    ("# x-special://list\nfile:///a", ["=/a"]), ("/a%20b", ["=/a%20b"]), ("/a*[1]", ["=/a*[1]"]),
    ("/trailing\\ ", ["=/trailing "]), ("file:///a%zz", ["=/a%zz"]),
    ("file:///tmp/caf%E9.txt", ["bytes 13"]), ("/a file:///%FF", ["=/a", "bytes 2"]),
  ])
  func pastedPaths(_ text: String, _ expected: [String]) throws {
    let paths = try #require(PastedPaths.parse(text))
    #expect(
      paths.map { path in
        switch path {
        case .exact(let text): "=" + text
        case .typed(let text): "~" + text
        case .bytes(let bytes): "bytes \(bytes.count)"
        }
      } == expected)
  }

  @Test(arguments: ["", "hello", "some words", "a.txt b.txt", "/a\nhello", "   \n"])
  func whatIsNoListOfPathsIsNotTakenForOne(_ text: String) {
    #expect(PastedPaths.parse(text) == nil)
  }

  /// Blanks need no quotes in the prompt; quotes mean what they mean to a shell.
  @Test(arguments: [
    ("a b.txt", [.typed("a b.txt")] as [PathInput]), ("it's.txt", [.typed("it's.txt")]),
    ("'a b.txt'", [.exact("a b.txt")]), ("\"*.txt\"", [.exact("*.txt")]),
    ("'a b' c*", [.exact("a b"), .typed("c*")]), ("a\\ b c", [.typed("a b"), .typed("c")]),
    ("'open", [.typed("'open")]), ("''", [.typed("''")]),
  ])
  func whatIsTypedIsOnePathUnlessItIsQuoted(_ text: String, _ paths: [PathInput]) {
    var state = Self.open(text)
    #expect(Fixture.play(&state, .key(.enter)) == [.add(paths)])
  }

  @Test func aCompletedNameInThePromptMeansItself() {
    var state = Self.open("'")
    Fixture.play(&state, .key(.tab), .completions(for: "'", ["'70s and '80s.txt"]))
    #expect(Fixture.play(&state, .key(.enter)) == [.add([.typed("'70s and '80s.txt")])])
  }

  @Test func pastingQueuesPathsAndAsksAboutTheRest() {
    var state = Fixture.empty()
    #expect(Fixture.play(&state, .paste("'/a b' /c")) == [.add([.exact("/a b"), .exact("/c")])])
    #expect(state.mode == .queue)
    #expect(Fixture.play(&state, .paste("a.txt\n")) == [])
    #expect(state.promptText == "a.txt")
    #expect(Fixture.play(&state, .paste(" more\n")) == [])
    #expect(state.promptText == "a.txt more")
  }

  @Test func pastingIntoThePromptUnquotes() {
    var state = Self.open()
    Fixture.play(&state, .paste("'/a b.txt'\n"))
    #expect(state.promptText == "/a b.txt")
    state = Self.open()
    Fixture.play(&state, .paste("~/*.txt\n"))
    #expect(state.promptText == "~/*.txt", "one that is typed may be mended")
    state = Self.open()
    let latin: [UInt8] = Array("/caf".utf8) + [0xE9]
    #expect(Fixture.play(&state, .paste("file:///caf%E9")) == [.add([.bytes(latin)])])
    state = Self.open()
    #expect(Fixture.play(&state, .paste("/a\n/b")) == [.add([.exact("/a"), .exact("/b")])])
    #expect(state.mode == .queue)
  }

  @Test(arguments: ["it's.txt", "say \"x\".txt", "back\\slash", "a b", "tab\tbed", "plain"])
  func aCompletedNameOnTheCommandLineMeansItself(_ name: String) {
    var state = Fixture.empty()
    Fixture.type(":add /x/", &state)
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("/x/")])
    Fixture.play(&state, .completions(for: "/x/", ["/x/\(name)"]))
    // Asked again, it is the same path that is to be completed.
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("/x/\(name)")])
    #expect(Fixture.play(&state, .key(.enter)) == [.add([.typed("/x/\(name)")])])
  }

  @Test func aLimitThatNobodyTouchedStaysToTheByte() {
    var state = Fixture.empty()
    Fixture.play(&state, .command("limit 1250k"))
    #expect(state.settings.limit == 1_250_000)
    #expect(Fixture.play(&state, .key("u"), .key(.enter)) == [])
    #expect(state.settings.limit == 1_250_000)
    #expect(Fixture.play(&state, .key("u"), .key(.left), .key(.enter)) == [])
    #expect(state.mode == .queue)
    #expect(
      Fixture.play(&state, .key("u"), .key(.control("u")), .key(.enter)) == [.setLimit(nil)])
  }

  @Test func theCommandsAreSeenAsSoonAsTheyAreAskedFor() {
    var state = Fixture.mixed(size: Size(width: 100, height: 30))
    func lines() -> [String] {
      let text = render(state, size: state.size).text
      let top = text.firstIndex { $0.contains("─ Commands ") } ?? text.count
      return text.dropFirst(top + 1).dropLast(2).map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " │"))
      }
    }
    Fixture.type(":", &state)
    #expect(lines().count == 16 && lines()[0].hasPrefix("add PATH…"))
    #expect(lines()[0].contains("add files by path"))
    // What begins so, else what speaks of it.
    Fixture.type("li", &state)
    #expect(lines().map { String($0.prefix(5)) } == ["limit", "serve"], "`list` lists the server")
    Fixture.play(&state, .key(.escape))
    Fixture.type(":at once", &state)
    Fixture.play(&state, .key(.control("u")))
    Fixture.type("bandw", &state)
    #expect(lines().count == 1 && lines()[0].hasPrefix("limit SPEED"))
    Fixture.type("xyz", &state)
    #expect(lines() == ["no command matches"])
    // Tab goes through them, and the one that is chosen is in view.
    Fixture.play(&state, .key(.escape), .key(":"), .key(.tab), .key(.backTab))
    let last = CommandLine.actions.last?.name.word ?? ""
    #expect(lines().last?.hasPrefix("▸ \(last)") == true, "\(lines())")
    for size in Fixture.sizes {
      #expect(render(state, size: size).text.contains { $0.contains("Commands") })
    }
  }
}
