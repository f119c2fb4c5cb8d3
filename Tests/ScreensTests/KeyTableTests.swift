import Foundation
import Testing

@testable import Screens

/// The tables of keys in docs/screen.md are made from the table of actions; `HOIST_RECORD=1` writes them anew.
@Suite struct KeyTableTests {
  private static let page = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/screen.md")

  /// The headings of the tables, each with the action that its table begins with and the first mode of that action.
  private static let headings: [(first: Action.Name, mode: Mode, text: String)] = [
    (.add, .queue, "Files in the queue"), (.mark, .queue, "Marks and order"),
    (.filter, .queue, "Finding files"), (.copyURL, .queue, "Addresses on the server"),
    (.server, .queue, "In every pane"), (.delete, .server, "In the Server pane"),
    (.retry, .history, "In the History pane"), (.target, .targets, "In the Targets pane"),
    (.filter, .browser, "In the list of files"),
  ]

  /// The actions that have a key in a pane or in the list of files.
  private static var tables: String {
    var lines: [String] = []
    let modes: Set<Mode> = Set(Mode.panes + [.browser])
    for action in HelpText.all(first: .queue).flatMap(\.actions)
    where !modes.isDisjoint(with: action.modes) {
      let heading = headings.first { $0.first == action.name && $0.mode == action.modes.first }
      if let heading {
        lines += lines.isEmpty ? [] : [""]
        lines += ["### \(heading.text)", "", "| keys | name | does |", "|---|---|---|"]
      }
      let keys = action.keys.map { "`\($0.label(ascii: false))`" }.joined(separator: " ")
      let name = action.argument.map { "`\(action.name.word) \($0)`" } ?? "`\(action.name.word)`"
      lines.append("| \(keys) | \(name) | \(action.help) |")
    }
    return lines.joined(separator: "\n")
  }

  @Test func thePageHasIt() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- keys -->\n"))
    let end = try #require(text.range(of: "<!-- /keys -->"))
    if ProcessInfo.processInfo.environment["HOIST_RECORD"] == "1" {
      let new = text[..<start.upperBound] + Self.tables + "\n" + text[end.lowerBound...]
      try String(new).write(to: Self.page, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      text[start.upperBound..<end.lowerBound] == Self.tables + "\n",
      "docs/screen.md has old tables of keys: make record writes them anew")
  }
}
