import Testing
import UploadModel

@testable import Screens

/// Each key of the table of actions does something wherever the table has it. What a `perform` passed over would
/// stand in the help and in the footer, and do nothing.
@Suite struct EveryKeyTests {
  /// Ways from the queue of all states into each mode, to places where there is something to do in all directions:
  /// a row in the middle, text on both sides of the cursor.
  private static let ways: [Mode: [(row: Int, keys: [Key])]] = [
    .queue: [(5, []), (5, [" "])],
    .server: [(0, ["2", "j"]), (0, ["2", " "])],
    .history: [(0, ["3", "j"]), (0, ["3", " "])],
    .log: [(0, ["4"]), (0, ["4", "k"])],
    .targets: [(0, ["5"])],
    .deletingTarget: [(0, ["5", "x"])],
    .keepingTarget: [(0, ["5", "e", "x", .enter])],
    .prompt: [(0, ["a", "/", "a", " ", "b", "c", .left])],
    .limit: [(0, ["u", "1", "2", .left])],
    .command: [
      (0, [":", "r", "e"]), (0, [":", "r", "e", .left]), (0, lanes + [":"]),
      (0, lanes + [":", .up]),
    ],
    .find: [(0, ["/", "n", "o", .left]), (0, ["b", "/", "n", "o", .left])],
    .form: [(6, ["e", .left])],
    .setup: [(0, ["t", .down, .down, .down, .down, .enter, "a", "b", .left])],
    .pick: [(0, ["t"]), (0, ["t", "o", "o", .left])],
    .details: [(3, [.enter])],
    .page: [(0, ["3", .enter])],
    .help: [(0, ["?", "?", .pageDown])],
    .browser: [(0, ["b", "j"])],
    .menu: [(0, [":", "t", "h", "e", "m", "e", .enter, "j"])],
    .failures: [(0, ["E", "j"])],
    .quitting: [(0, ["q"])],
    .pausing: [(0, ["P"])],
    .breakingOff: [(0, ["p"])],
    .removing: [(0, ["x"])],
    .deleting: [(0, ["2", "x"])],
    .sendingAgain: [(8, ["r"])],
    .savingRule: [(0, ["w"])],
    .nameTaken: [(0, [])],
    .addingAgain: [(0, ["a", "/", "t", "w", "i", "c", "e", .enter])],
  ]
  private static let lanes: [Key] = [":", "l", "a", "n", "e", "s", " ", "7", .enter]

  /// What is shown already, and what only takes a filter away there.
  private static let exceptions: Set<String> = [
    "queue in queue", "log in log", "clearMarks in log", "clearMarks in targets",
  ]

  /// What a mode needs beside keys: targets to choose from, or a window too small for the text.
  private static func prepare(_ state: inout AppState) {
    switch state.mode {
    case .pick:
      Fixture.play(&state, .targets(Fixture.rows("album", "photos", "tickets")), .key(.up))
    case .targets:
      Fixture.play(
        &state, .targets(Fixture.rows("album", "nas", "photos")), .key("g"), .key("j"))
    case .details, .page:
      Fixture.play(&state, .resized(Size(width: 40, height: 10)), .key("j"))
    default: break
    }
    // From the last answer, which may be the one that is lit, none comes below.
    if case .question(let question) = state.dialog, question.lit == question.buttons.count - 1 {
      Fixture.play(&state, .key(.up))
    }
    state.message = nil
  }

  @Test(arguments: Mode.allCases)
  func doesSomething(_ mode: Mode) throws {
    let ways = try #require(Self.ways[mode])
    for action in Action.inMode(mode) where !Self.exceptions.contains("\(action.name) in \(mode)") {
      for key in action.keys {
        let isOfUse = ways.contains { way in
          var (state, _) = ReducerTests.press(way.keys, on: way.row)
          // No key leads there: the server's answer does.
          if mode == .keepingTarget {
            Fixture.play(&state, .setupRefused("404 Not Found", isGoodEnough: true))
          }
          if mode == .nameTaken {
            Fixture.play(
              &state, .engine([(ItemID(1), NameQuestionTests.taken("x"))], at: state.now))
          }
          if mode == .savingRule {
            Fixture.play(
              &state, .engine([(ItemID(1), .done(Fixture.doubtful))], at: state.now),
              .ruleDrafted(
                RuleDraft(item: ItemID(1), target: "photos", url: nil, text: "[ … ]")))
          }
          #expect(state.mode == mode, "\(way.keys) leads elsewhere")
          Self.prepare(&state)
          let before = render(state, size: state.size)
          let effects = reduce(&state, .key(key))
          return !effects.isEmpty || state.mode != mode || render(state, size: state.size) != before
        }
        #expect(isOfUse, "\(key) does nothing: \(action.name) in \(mode)")
      }
    }
  }
}
