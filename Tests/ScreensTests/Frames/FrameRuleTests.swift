import TestSupport
import Testing

@testable import Screens
@testable import UploadModel

/// The frames of all screens in windows of every size. `GoldenTests` keeps a few of them to look at.
@Suite struct FrameRuleTests {
  /// Each rule for each screen. Together, the screens come by every width from 40 to 250 and every height from 8 to 60.
  /// If there is an hour, each screen comes by every width, in seven heights.
  @Test(arguments: GoldenTests.Screen.allCases)
  func everyRuleHolds(_ screen: GoldenTests.Screen) throws {
    let index = try #require(GoldenTests.Screen.allCases.firstIndex(of: screen))
    let step = Effort.of(screen.isOften ? 3 : 12, long: 1)
    for width in stride(from: 40 + index % step, through: 250, by: step) {
      let first = (width * 17 + index) % 53
      for height in stride(from: first, to: first + 53, by: Effort.of(53, long: 8)) {
        let size = Size(width: width, height: 8 + height % 53)
        Self.expectOrder(screen.state(size, ascii: (width / step) % 2 == 1))
      }
    }
    for (place, size) in Self.limits.enumerated() {
      Self.expectOrder(screen.state(size, ascii: (place + index) % 2 == 1))
    }
  }

  /// No pane, dialog or question, and no state of a file, escapes the rules.
  @Test func eachModeAndStateIsAmongTheScreens() {
    let states = GoldenTests.Screen.allCases.map {
      $0.state(Size(width: 80, height: 24), ascii: false)
    }
    #expect(Set(states.map(\.mode)) == Set(Mode.allCases))
    let kinds = Set(states.flatMap { $0.queue.rows.map(\.item.state.kind) })
    #expect(
      kinds.isSuperset(of: [
        "waiting", "preparing", "sending", "awaiting a reply", "being processed", "retrying",
        "paused", "done", "doubtful", "failed: outcome-unknown", "failed: http-413",
      ]), "\(kinds)")
    // Questions with the same answers.
    #expect(
      GoldenTests.Screen.deletingUploaded.state(Self.limits[1], ascii: false).mode == .deleting)
    #expect(
      GoldenTests.Screen.queueingAgain.state(Self.limits[1], ascii: false).mode == .sendingAgain)
  }

  /// The smallest window, and those beyond which the layout changes.
  private static let limits = [
    Size(width: 40, height: 10), Size(width: 76, height: 14), Size(width: 90, height: 20),
    Size(width: 121, height: 16), Size(width: 100, height: 31),
  ]

  private static func expectOrder(
    _ state: AppState, at location: SourceLocation = #_sourceLocation
  ) {
    let breaches = breaches(of: state)
    let size = "\(state.size.width)x\(state.size.height)\(state.isASCII ? ", ASCII" : "")"
    #expect(breaches.isEmpty, "\(size)", sourceLocation: location)
  }

  /// At most a few breaches of each rule, with its name.
  private static func breaches(of state: AppState) -> [String] {
    let sight = Sight(state, render(state, size: state.size))
    return FrameRule.allCases.flatMap { rule in
      rule.breaches(in: sight).prefix(3).map { "\(rule): \($0)" }
    }
  }

  /// A long list stays in order while the window changes its size, wherever the cursor is.
  @Test(arguments: [Pane.queue, .server, .history, .targets, .log], [0, 13, 41, 99])
  func theSelectionStaysInSightWhileTheWindowChanges(_ pane: Pane, _ row: Int) {
    var state = Fixture.empty()
    state.options.listsServer = true
    let names = (1...100).map { "file \($0).txt" }
    Fixture.play(&state, .added(names.enumerated().map { Fixture.item(Int64($0), $1) }))
    for name in names { Fixture.play(&state, .engine([], at: state.now), .message(name)) }
    Fixture.play(&state, .server(.rows(names.map { ServerEntry(id: $0, name: $0) })))
    Fixture.play(&state, .targets(names.map { TargetRow(name: $0, url: "http://\($0)/") }))
    let past = names.map {
      HistoryRow(
        id: $0, name: $0, target: "photos", size: 1, time: "2026-11-20 22:15", end: .sent,
        outcome: "201 Created", path: $0)
    }
    Fixture.play(&state, .perform(pane.action), .history(.rows(past)))
    for _ in 0..<row { Fixture.play(&state, .key(.down)) }
    for (width, height) in [(80, 24), (40, 10), (250, 60), (121, 15), (76, 40), (41, 9), (100, 31)]
    {
      Fixture.play(&state, .resized(Size(width: width, height: height)))
      Self.expectOrder(state)
    }
  }

  // MARK: Panes without rows

  /// What a pane says that has no rows. It is all there in every window, and no two panes say the same.
  static let reasons: [(GoldenTests.Screen, String)] = [
    (.empty, "Nothing is queued."), (.reading, "Reading the queue…"),
    (.serverWaits, "Asking the server…"), (.serverEmpty, "The server has no files."),
    (.serverCannot, "photos has no way to list the files on the server."),
    (.serverFailed, "connection refused"), (.historyWaits, "Reading the history…"),
    (.historyEmpty, "Nothing has been sent yet."),
    (.historyFailed, "the history cannot be read"), (.logEmpty, "Nothing has happened yet."),
    (.browserReads, "reading…"), (.browserFailed, "permission denied"),
    (.browserEmpty, "this folder is empty"),
  ]

  @Test(arguments: reasons)
  func aPaneWithoutRowsSaysWhy(_ screen: GoldenTests.Screen, _ reason: String) {
    #expect(Self.reasons.count { $0.1 == reason } == 1)
    for width in stride(from: 40, through: 250, by: 15) {
      for (height, ascii) in [(10, false), (24, true), (60, false)] {
        let size = Size(width: width, height: height)
        let text = Self.text(of: screen.state(size, ascii: ascii))
        let words = ascii ? reason.replacing("…", with: "~") : reason
        #expect(text.contains(scalars: words), "\(width)x\(height): \(text)")
      }
    }
    // What the server did not tell can be asked for again.
    if screen == .serverFailed {
      let state = screen.state(Size(width: 40, height: 12), ascii: false)
      #expect(Self.text(of: state).contains(scalars: "r asks again."))
    }
  }

  /// The words of a frame in one line, without the lines of boxes.
  private static func text(of state: AppState) -> String {
    let frame = render(state, size: state.size)
    let edges: [Unicode.Scalar] = ["│", "|"]
    return (0..<frame.size.height).flatMap { row in
      String(
        String.UnicodeScalarView(frame.text(row).unicodeScalars.filter { !edges.contains($0) })
      )
      .split(separator: " ")
    }.joined(separator: " ")
  }

  // MARK: Small windows

  /// A window that is too small says so, as far as there is room, and the size that it needs.
  @Test func aSmallWindowSaysSo() {
    for ascii in [false, true] {
      var state = Fixture.mixed(ascii: ascii)
      for width in [0, 1, 2, 5, 11, 12, 15, 16, 20, 28, 38, 39, 40, 60] {
        for height in 0...12 where width < 40 || height < 10 {
          let size = Size(width: width, height: height)
          Fixture.play(&state, .resized(size))
          Self.expectOrder(state)
          guard width >= 20, height >= 3 else { continue }
          let text = render(state, size: size).text.joined(separator: "\n")
          #expect(text.contains("window too small"))
          #expect(text.contains("\(width)x\(height), needs 40x10"))
          #expect(text.contains("3 uploads going on"))
        }
      }
    }
  }

  // MARK: The rules themselves

  /// A sound frame with one thing broken, and the rule that finds it.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: FrameRule
    var screen = GoldenTests.Screen.queue
    var size = Size(width: 80, height: 24)
    var ascii = false
    let damage: @Sendable (inout Frame) -> Void
  }

  private static let damages = [
    Damage(testDescription: "half of a wide character", rule: .nothingLiesBeyondTheEdge) {
      $0.put("漢", row: 3, column: 79)
    },
    Damage(testDescription: "a sign in ASCII", rule: .inASCIIEverythingIsASCII, ascii: true) {
      $0.put("…", row: 3, column: 20)
    },
    Damage(testDescription: "a gap in an edge", rule: .boxesAreClosed) {
      $0.put(" ", row: 5, column: 79)
    },
    Damage(testDescription: "a corner that is missing", rule: .boxesAreClosed, ascii: true) {
      $0.put("-", row: 1, column: 79)
    },
    Damage(testDescription: "a name that touches its type", rule: .columnsDoNotTouch) {
      $0.put("x", row: 8, column: 22)
    },
    Damage(
      testDescription: "an entry that touches its type", rule: .columnsDoNotTouch, screen: .browser
    ) { frame in
      for column in 5..<60 where frame.at(4, column).glyph == .space {
        frame.put("x", row: 4, column: column)
      }
    },
    Damage(testDescription: "a name without its ellipsis", rule: .whatIsCutHasItsMark) {
      $0.put("t", row: 8, column: 16)
    },
    Damage(testDescription: "words cut short", rule: .whatIsCutHasItsMark) {
      $0.put("      ", row: 7, column: 60)
    },
    Damage(testDescription: "an address cut short", rule: .whatIsCutHasItsMark, screen: .targets) {
      $0.put(" ", row: 3, column: 36)
    },
    Damage(testDescription: "the end of a question", rule: .whatIsCutHasItsMark, screen: .quit) {
      for row in 5..<16 { $0.put("arrived.     ", row: row, column: 30) }
    },
    Damage(
      testDescription: "an entry cut short", rule: .whatIsCutHasItsMark, screen: .browser
    ) { for row in 2..<20 { $0.put("      ", row: row, column: 8) } },
    Damage(testDescription: "a choice cut short", rule: .whatIsCutHasItsMark, screen: .sortMenu) {
      for row in 1..<23 { for column in 0..<75 { $0.erase("failed", row: row, column: column) } }
    },
    Damage(testDescription: "no way to quit", rule: .theWayOutIsInTheLastLine) {
      $0.put("      ", row: 23, column: 73)
    },
    Damage(testDescription: "no way back", rule: .theWayOutIsInTheLastLine, screen: .sortMenu) {
      for row in 0..<24 { for column in 0..<77 { $0.erase("Esc", row: row, column: column) } }
    },
    Damage(testDescription: "no sign before the row", rule: .theSelectionIsInSight) {
      $0.put(" ", row: 3, column: 1)
    },
    Damage(testDescription: "no answer is lit", rule: .theSelectionIsInSight, screen: .quit) {
      for row in 0..<24 { for column in 0..<80 { $0.erase("▸", row: row, column: column) } }
    },
    Damage(
      testDescription: "no command is lit", rule: .theSelectionIsInSight, screen: .commandCandidates
    ) { for row in 0..<24 { for column in 0..<80 { $0.erase("▸", row: row, column: column) } } },
    Damage(testDescription: "no path is lit", rule: .theSelectionIsInSight, screen: .candidates) {
      for row in 0..<24 { for column in 0..<80 { $0.erase("▸", row: row, column: column) } }
    },
    Damage(testDescription: "a failure that looks sent", rule: .eachStateHasItsOwnWord) {
      $0.put("✓", row: 6, column: 3)
    },
    Damage(testDescription: "a failure that says paused", rule: .eachStateHasItsOwnWord) { frame in
      let cells = (42..<79).map { frame.at(10, $0) }
      for (column, cell) in zip(42..<79, cells) { frame.cells[7 * 80 + column] = cell }
      frame.cells[7 * 80 + 3] = frame.at(10, 3)
    },
    Damage(
      testDescription: "no target", rule: .theHeaderHasTheTargetAndTheTrouble
    ) { $0.put("      ", row: 0, column: 9) },
    Damage(
      testDescription: "no word of the outage", rule: .theHeaderHasTheTargetAndTheTrouble,
      screen: .outage
    ) { for column in 15..<76 { $0.erase("no ", row: 0, column: column) } },
    Damage(testDescription: "a row beside a dialog", rule: .onlyTheDialogIsLit, screen: .remove) {
      $0.cells[3 * 80 + 2] = Cell(glyph: Glyph(base: "x"), style: Style(.plain))
    },
    Damage(
      testDescription: "the stub of a frame", rule: .nothingIsLeftBesideADialog, screen: .limit
    ) { $0.put("╰─", row: 6, column: 10) },
    Damage(
      testDescription: "a side too near", rule: .nothingIsLeftBesideADialog, screen: .limit
    ) { $0.put("│", row: 6, column: 10) },
    Damage(testDescription: "no cursor", rule: .theCursorIsWhereTextIsTyped, screen: .limit) {
      $0.cursor = nil
    },
    Damage(testDescription: "a stray cursor", rule: .theCursorIsWhereTextIsTyped) {
      $0.cursor = Frame.Position(row: 3, column: 3)
    },
    Damage(
      testDescription: "no position", rule: .whatIsOutOfSightIsCounted,
      size: Size(width: 40, height: 12)
    ) { $0.put("                    ", row: 1, column: 2) },
    Damage(testDescription: "no lines counted", rule: .whatIsOutOfSightIsCounted, screen: .help) {
      $0.put("                         ", row: 22, column: 53)
    },
    Damage(testDescription: "a tab that is missing", rule: .panesHaveTheirTabs) {
      $0.put("        ", row: 1, column: 40)
    },
    Damage(testDescription: "a title without its gap", rule: .titlesKeepOffTheLine) {
      $0.put("x", row: 1, column: 20)
    },
    Damage(testDescription: "no share", rule: .theTotalsAreThere) {
      $0.put("    ", row: 22, column: 18)
    },
    Damage(testDescription: "no message", rule: .theMessageIsShown, screen: .message) {
      $0.put("          ", row: 21, column: 1)
    },
  ]

  @Test(arguments: damages)
  func aRuleFindsWhatIsBroken(_ row: Damage) {
    let state = row.screen.state(row.size, ascii: row.ascii)
    var frame = render(state, size: row.size)
    #expect(row.rule.breaches(in: Sight(state, frame)) == [])
    row.damage(&frame)
    #expect(row.rule.breaches(in: Sight(state, frame)) != [], "\(frame.text)")
  }

  @Test func eachRuleIsTried() {
    #expect(Set(Self.damages.map(\.rule)) == Set(FrameRule.allCases))
  }
}

extension GoldenTests.Screen {
  /// Whether it is looked at in more sizes than the others: the panes and dialogs whose columns are shared out anew
  /// with each width.
  fileprivate var isOften: Bool {
    [.queue, .severalTargets, .browser, .server, .history, .targets, .hostile, .quit].contains(self)
  }
}

extension Frame {
  /// Writes over cells, and leaves their styles as they are.
  fileprivate mutating func put(_ text: String, row: Int, column: Int) {
    for (offset, glyph) in Glyphs.of(text, ascii: false).enumerated() {
      cells[row * size.width + column + offset].glyph = glyph
    }
  }

  /// Blanks a text that begins here.
  fileprivate mutating func erase(_ wanted: String, row: Int, column: Int) {
    let columns = column..<column + wanted.unicodeScalars.count
    guard text(row, columns) == wanted else { return }
    put(String(repeating: " ", count: columns.count), row: row, column: column)
  }
}
