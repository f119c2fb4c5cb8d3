import Foundation
import Testing

@testable import Screens

/// The table of keys in docs/screen.md is made from the table of actions; `HOIST_RECORD=1` writes it anew.
@Suite struct KeyTableTests {
  private static let page = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/screen.md")

  /// What follows the help of an action that the queue does not have.
  private static let places: [(Mode, String)] = [
    (.server, " (in the Server pane)"), (.history, " (in the History pane)"),
    (.targets, " (in the Targets pane)"), (.browser, " (in the list of files)"),
  ]

  /// The actions that have a key in a pane or in the list of files.
  private static var table: String {
    var rows = ["| keys | name | does |", "|---|---|---|"]
    let modes: Set<Mode> = Set(Mode.panes + [.browser])
    for action in HelpText.all(first: .queue).flatMap(\.actions)
    where !modes.isDisjoint(with: action.modes) {
      let keys = action.keys.map { "`\($0.label(ascii: false))`" }.joined(separator: " ")
      let name = action.argument.map { "`\(action.name.word) \($0)`" } ?? "`\(action.name.word)`"
      let place =
        action.modes.contains(.queue)
        ? "" : places.first { action.modes.contains($0.0) }?.1 ?? ""
      rows.append("| \(keys) | \(name) | \(action.help)\(place) |")
    }
    return rows.joined(separator: "\n")
  }

  @Test func thePageHasIt() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- keys -->\n"))
    let end = try #require(text.range(of: "<!-- /keys -->"))
    if ProcessInfo.processInfo.environment["HOIST_RECORD"] == "1" {
      let new = text[..<start.upperBound] + Self.table + "\n" + text[end.lowerBound...]
      try String(new).write(to: Self.page, atomically: true, encoding: .utf8)
      return
    }
    #expect(
      text[start.upperBound..<end.lowerBound] == Self.table + "\n",
      "docs/screen.md has an old table of keys: make record writes it anew")
  }
}
