import Testing
import UploadModel

@testable import Screens

/// The columns of the list of files.
@Suite struct BrowserColumnsTests {
  private static func entry(
    _ name: String, kind: String = "", type: String? = "text/plain", isFolder: Bool = false,
    isSendable: Bool = true
  ) -> Folder.Entry {
    Folder.Entry(
      name: name, path: Array("/home/me/\(name)".utf8), isFolder: isFolder, size: 1_500_000,
      kind: kind, mediaType: type, isSendable: isSendable, time: "2026-11-20 22:15")
  }

  private static func state(_ size: Size) -> AppState {
    var state = Fixture.empty(size: size)
    let folder = Folder(
      path: Array("/home/me".utf8), name: "/home/me",
      entries: [
        entry("a.txt"), entry("dangling", kind: "broken", type: nil, isSendable: false),
        entry("linked.txt", kind: "link"), entry("pipe", kind: "no file", isSendable: false),
        entry("shut", kind: "no access", isSendable: false),
      ])
    Fixture.play(&state, .added([Fixture.item(1, "a.txt")]), .key("b"), .folder(folder))
    return state
  }

  /// Where a text begins in a line.
  private static func column(_ text: String, _ line: String) -> Int? {
    line.range(of: text).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
  }

  @Test(arguments: [60, 80, 100, 130, 200])
  func eachTextStandsUnderItsHeading(_ width: Int) throws {
    var state = Self.state(Size(width: width, height: 30))
    func lines() -> [String] { render(state, size: state.size).text }
    let (top, _) = BrowserBox.place(in: state.size)
    let heads = lines()[top - 1]
    let type = try #require(Self.column("TYPE", heads))
    #expect(heads.contains("NAME ▲") && heads.contains("SIZE"))
    for (row, word) in zip(
      top..., ["text/plain", "broken", "link ", "no file", "no access"])
    {
      #expect(Self.column(word, lines()[row]) == type, "\(lines()[row]) under \(heads)")
    }
    #expect(lines().allSatisfy { !$0.contains("▪") })
    // The mark of the order goes where it is sorted by.
    Fixture.play(&state, .key("o"))
    #expect(width < 80 || lines()[top - 1].contains("CHANGED ▼"))
    Fixture.play(&state, .key("o"))
    #expect(lines()[top - 1].contains("SIZE ▼") && !lines()[top - 1].contains("NAME ▲"))
  }

  /// As the prompt for paths does.
  @Test(
    arguments: [
      ("dangling", "1 broken link cannot be sent"), ("pipe", "1 cannot be sent"),
      ("shut", "1 cannot be sent"), ("a.txt", nil),
    ] as [(String, String?)])
  func itIsSaidThatWhatIsChosenCannotBeSent(_ name: String, _ words: String?) throws {
    var state = Self.state(Size(width: 100, height: 30))
    let names = ["a.txt", "dangling", "linked.txt", "pipe", "shut"]
    for _ in 0..<(try #require(names.firstIndex(of: name))) { Fixture.play(&state, .key(.down)) }
    #expect(
      Fixture.play(&state, .key(.enter)) == [.add([.bytes(Array("/home/me/\(name)".utf8))])])
    #expect(state.message == words)
  }

  @Test(arguments: [40, 45])
  func whyItCannotBeSentStaysInNarrowWindows(_ width: Int) {
    let text = render(
      Self.state(Size(width: width, height: 20)), size: Size(width: width, height: 20)
    )
    .text.joined(separator: "\n")
    #expect(
      text.contains("broken") && text.contains("no file") && text.contains("no access"), "\(text)")
  }

  /// A file that waits for the same target already is marked as its row in the queue is.
  @Test func whatIsQueuedIsMarked() {
    var state = Self.state(Size(width: 80, height: 24))
    func row(_ name: String) -> String {
      render(state, size: state.size).text.first { $0.contains(" \(name) ") } ?? ""
    }
    state.target = ""
    #expect(row("a.txt").contains("· a.txt"), "\(row("a.txt"))")
    #expect(!row("linked.txt").contains("·"))
    state.target = "nas"
    #expect(!row("a.txt").contains("·"))
  }

  @Test(arguments: [11, 12, 13])
  func aLowWindowHasEntriesRatherThanHeadings(_ height: Int) {
    let state = Self.state(Size(width: 80, height: height))
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains("NAME") && $0.contains("SIZE") } == (height >= 12))
    #expect(text.contains { $0.contains("a.txt") })
  }
}
