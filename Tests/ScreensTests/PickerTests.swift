import Testing
import UploadModel

@testable import Screens

/// The lists that something is chosen from: targets, services, orders, themes, the actions on a row, reasons.
@Suite struct PickerTests {
  /// A list to choose from, and the keys that open it.
  enum Picker: CaseIterable {
    case targets, formTarget, services, sort, theme, actions, failures

    func state(_ size: Size = Size(width: 80, height: 24)) -> AppState {
      var state = Fixture.mixed(size: size)
      state.options.targets = PickerTests.targets
      state.options.services = (1...20).map {
        ServiceChoice(name: "s\($0)", title: "Service \($0)", introduction: "", questions: [])
      }
      switch self {
      case .targets: Fixture.type("t", &state)
      case .formTarget:
        Fixture.type("jjjjjjj", &state)
        Fixture.play(&state, .key("e"), .key(.backTab), .key(" "))
      case .services:
        Fixture.play(&state, .key("5"), .targets([]), .key("a"), .key(.up), .key(.enter))
      case .sort: Fixture.type("o", &state)
      case .theme: Fixture.play(&state, .command("theme"))
      case .actions:
        let row = state.layout.rows.lowerBound + 3
        Fixture.play(&state, .mouse(Mouse(.menu, row: row, column: 20)))
      case .failures: Fixture.type("E", &state)
      }
      return state
    }
  }

  private static let targets = (1...20).map {
    TargetRow(name: "target\($0)", url: "http://host\($0)/")
  }

  /// The number of the choice under the cursor, and of all choices.
  private static func place(_ state: AppState) -> (cursor: Int, count: Int)? {
    switch state.dialog {
    case .menu(let menu): (menu.list.cursor, menu.shown.count)
    case .failures(let failures):
      (failures.list.cursor, failures.groups(of: state.queue).count)
    default: nil
    }
  }

  @Test(arguments: Picker.allCases)
  func theKeysMoveAsInThePanes(_ picker: Picker) throws {
    var state = picker.state()
    let mode = state.mode
    func press(_ key: Key) throws -> Int {
      #expect(Fixture.play(&state, .key(key)) == [] && state.mode == mode)
      return try #require(Self.place(state)).cursor
    }
    let last = try #require(Self.place(state)).count - 1
    #expect(last > 0)
    #expect(try press(.end) == last)
    #expect(try press(.down) == last, "the end is the end")
    #expect(try press(.home) == 0)
    #expect(try press(.up) == 0, "the beginning is the beginning")
    #expect(try press(.down) == 1)
    #expect(try press(.home) == 0)
    #expect(try press(.pageDown) > 0)
    #expect(try press(.pageUp) == 0)
  }

  @Test func theLastEntryIsOneKeyAway() {
    var state = Picker.targets.state()
    Fixture.play(&state, .key(.end), .key(.enter))
    #expect(state.setupAnswers?.name == "")
  }
}
