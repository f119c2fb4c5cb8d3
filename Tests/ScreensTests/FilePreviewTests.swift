import MultipartForm
import Testing
import UploadModel

@testable import Screens

/// What a glance into a file shows, and when one is taken.
@Suite struct FilePreviewTests {
  private static let wide = Size(width: 160, height: 45)

  private static func path(_ request: FilePreview.Request?) -> String? {
    request.map { String(decoding: $0.path, as: UTF8.self) }
  }

  @Test func theFileUnderTheCursorIsLookedInto() throws {
    var state = Fixture.mixed(size: Self.wide)
    let first = try #require(Fixture.looks(&state, .key("j")).first)
    #expect(Self.path(first) == "/home/me/report.pdf")
    #expect(Fixture.looks(&state, .tick(state.now + 1)).isEmpty, "once")
    // What comes for another file is too late.
    #expect(Fixture.looks(&state, .key("j")).map(Self.path) == ["/home/me/notes.txt"])
    let request = try #require(first)
    Fixture.play(&state, .filePreview(request, FilePreview("text", lines: ["of the other"])))
    #expect(!render(state, size: Self.wide).text.contains { $0.contains("of the other") })
    let now = try #require(state.previewed.request)
    Fixture.play(
      &state, .filePreview(now, FilePreview("text", lines: ["one", "two"], isCut: true)))
    let text = render(state, size: Self.wide).text
    let place = try #require(text.firstIndex { $0.contains("│ text  ") })
    #expect(text[place + 2].contains("│ one ") && text[place + 3].contains("│ two "))
    #expect(text[place + 4].contains("│ … "))
  }

  @Test func nothingIsLookedIntoThatCannotBeSeen() {
    var state = Fixture.mixed()
    #expect(Fixture.looks(&state, .key("j"), .key("b"), .folder(Fixture.folder)).isEmpty)
    state = Fixture.mixed(size: Self.wide)
    Fixture.play(&state, .key("j"))
    #expect(Fixture.looks(&state, .key("3")) == [nil], "another pane")
    #expect(Fixture.looks(&state, .key("1")).count == 1)
    #expect(Fixture.looks(&state, .resized(Size(width: 80, height: 24))) == [nil])
    state = Fixture.empty(size: Self.wide)
    #expect(Fixture.looks(&state, .key("j")).isEmpty, "an empty queue")
  }

  @Test func theListOfFilesShowsWhatAnEntryHolds() throws {
    var state = Fixture.mixed(size: Self.wide)
    Fixture.play(&state, .key("b"), .folder(Fixture.folder), .key("j"), .key("j"))
    let request = try #require(state.previewed.request)
    #expect(Self.path(request) == "/home/me/pictures/IMG_0002.jpg")
    Fixture.play(&state, .filePreview(request, FilePreview("JPEG, 4 × 4")))
    let text = render(state, size: Self.wide).text
    #expect(text[1].contains("╮╭─ IMG_0002.jpg ─"), "\(text[1])")
    #expect(text[2].contains("JPEG, 4 × 4"))
    // A question over it, such as whether to quit, leaves it where it is.
    #expect(Fixture.looks(&state, .key(.control("c"))).isEmpty)
    #expect(
      Fixture.looks(&state, .key(.escape), .key(.escape)).map(Self.path) == [
        "/home/me/IMG_0001.jpg"
      ])
  }

  @Test func whatItShowsIsSafe() throws {
    var state = Fixture.mixed(size: Self.wide)
    Fixture.play(&state, .key("j"))
    let request = try #require(state.previewed.request)
    Fixture.play(
      &state, .filePreview(request, FilePreview("te\u{1B}xt", lines: Hostile.names, isCut: true)))
    HostileTests.expectSound(render(state, size: Self.wide))
  }

  // MARK: Addresses

  @Test(arguments: [
    ("https://h/a?b=c;d#e", "https://h/a?b=c;d#e"), ("HTTP://h/", "HTTP://h/"),
    ("https://h/ü b\u{1B}]8;;x\u{7}\u{9C}", "https://h/%C3%BC%20b%1B]8;;x%07%C2%9C"),
    ("ftp://h/", nil), ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("", nil),
    ("https\u{301}://h/", nil),
    ("https://h/" + String(repeating: "a", count: 2048), nil),
    ("https://h/" + String(repeating: "ü", count: 900), nil),
  ])
  func whatATerminalMayLeadTo(_ url: String, _ link: String?) {
    #expect(WebAddress.link(url) == link)
  }

  @Test func addressesOfFilesLeadToThem() throws {
    var state = Fixture.mixed(size: Self.wide)
    let url = try #require(Fixture.receipt.url)
    func linked(_ frame: Frame) -> String {
      frame.cells.filter { $0.style.link > 0 }.map(\.glyph.text).joined()
    }
    let frame = render(state, size: Self.wide)
    #expect(frame.links == [url])
    #expect(linked(frame) == "api.example.com/f/42")
    Fixture.type("jj", &state)
    #expect(linked(render(state, size: Self.wide)).contains(url), "beside the list")
    Fixture.play(&state, .key(.enter))
    #expect(linked(render(state, size: Self.wide)) == url, "in the details")
    Fixture.play(
      &state, .key(.escape), .key("3"), .history(.rows(Fixture.historyRows)), .key(.enter))
    #expect(linked(render(state, size: Self.wide)) == url, "in the history")
  }

  /// What deletes a file when it is opened is not opened by a click.
  @Test func theAddressThatDeletesLeadsNowhere() {
    var state = Fixture.empty(size: Self.wide)
    var receipt = Fixture.receipt
    (receipt.url, receipt.deletionURL) = (nil, "https://api.example.com/delete/42")
    Fixture.play(&state, .added([Fixture.item(1, "a", state: .done(receipt))]), .key(.enter))
    let frame = render(state, size: Self.wide)
    #expect(frame.text.contains { $0.contains("https://api.example.com/delete/42") })
    #expect(frame.links.isEmpty)
  }

  // MARK: The mouse

  @Test func draggingMarksRows() {
    var state = Fixture.mixed(size: Size(width: 80, height: 16))
    let top = state.layout.rows.lowerBound
    func mouse(_ kind: Mouse.Kind, _ row: Int) -> AppEvent {
      .mouse(Mouse(kind, row: row, column: 10))
    }
    Fixture.play(&state, mouse(.grab, top + 1), mouse(.drag, top + 3))
    #expect(state.marks == [2, 3, 4].reduce(into: []) { $0.insert(ItemID($1)) })
    Fixture.play(&state, mouse(.drag, top + 2))
    #expect(state.marks.count == 2 && state.shown.isMarkingRange)
    // Beyond the edge of the list it goes on.
    Fixture.play(&state, mouse(.drag, 15), mouse(.drag, 15))
    #expect(state.list.scroll > 0)
    Fixture.play(&state, mouse(.drop, 15))
    #expect(!state.shown.isMarkingRange && state.marks.count > 3)
    let marks = state.marks
    Fixture.play(&state, .key("k"), mouse(.drag, top))
    #expect(state.marks == marks, "it has ended")
    // What was marked before stays marked.
    Fixture.play(&state, .key("g"), mouse(.grab, top), mouse(.drag, top), mouse(.drop, top))
    #expect(state.marks.isSuperset(of: marks))
  }

  @Test func theRightButtonOpensAMenuOfTheRow() throws {
    var state = Fixture.mixed()
    let row = state.layout.rows.lowerBound + 3
    Fixture.play(&state, .mouse(Mouse(.menu, row: row, column: 20)))
    #expect(state.selected?.id == ItemID(4))
    guard case .menu(let menu) = state.dialog else {
      Issue.record("no menu")
      return
    }
    #expect(menu.choices.contains("retry") && menu.choices.contains("edit"))
    #expect(!menu.choices.contains("pause") && !menu.choices.contains("copy URL"))
    let text = render(state, size: state.size).text
    let line = try #require(text.firstIndex { $0.contains("retry") && $0.contains(" r ") })
    #expect(
      Fixture.play(&state, .mouse(Mouse(.click, row: line, column: 24))) == [.retry([ItemID(4)])])
    #expect(state.dialog == nil)
    // A click beside it closes it, and it fits on the screen wherever it is asked for.
    for place in [(row, 0), (row, 79), (state.layout.rows.upperBound - 1, 79)] {
      Fixture.play(&state, .mouse(Mouse(.menu, row: place.0, column: place.1)))
      guard state.mode == .menu else { continue }
      #expect(render(state, size: state.size).text.contains { $0.contains("╭─ Do ") })
      Fixture.play(&state, .mouse(Mouse(.click, row: 1, column: 1)))
      #expect(state.mode == .queue)
    }
    Fixture.play(&state, .mouse(Mouse(.menu, row: 0, column: 0)))
    #expect(state.mode == .queue)
  }

  // MARK: Heads

  @Test func headsSayHowTheQueueIsSorted() throws {
    var state = Fixture.mixed(size: Size(width: 120, height: 40))
    func heads() -> String { render(state, size: state.size).text[2] }
    #expect(!heads().contains("▲") && !heads().contains("▼"))
    Fixture.play(&state, .command("sort name"))
    #expect(heads().contains("NAME ▲"))
    let column = state.layout.list.lowerBound + Columns.name
    Fixture.play(&state, .mouse(Mouse(.click, row: 2, column: column)))
    #expect(heads().contains("NAME ▼"))
    Fixture.play(&state, .command("sort size"))
    #expect(heads().contains("SIZE ▼"))
    Fixture.play(&state, .command("remove IMG_0001.jpg"), .key("y"))
    #expect(heads().contains("SIZE ▼"), "what is left is in the same order")
    Fixture.play(&state, .added([Fixture.item(99, "new.bin", size: 7_000_000_000)]))
    #expect(!heads().contains("▼"), "no longer")
    Fixture.play(&state, .key("3"), .history(.rows(Fixture.historyRows)))
    #expect(heads().contains("NEWEST FIRST ▼"))
    Fixture.type("o", &state)
    #expect(heads().contains("NAME ▲") && heads().contains("WHEN "))
  }

  @Test func aPersonWhoLooksIsNotNotified() {
    func effects(_ hasFocus: Bool) -> [Effect] {
      var state = Fixture.empty()
      state.options.endSignal = .notify
      Fixture.play(&state, .focus(hasFocus), .added([Fixture.item(1, "a")]))
      return Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    }
    #expect(effects(true) == [.bell])
    #expect(effects(false) == [.notify("1 file sent"), .bell])
  }
}
