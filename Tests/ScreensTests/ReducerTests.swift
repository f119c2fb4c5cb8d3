import Testing
import UploadModel

@testable import Screens

/// What each action does, by its default keys.
@Suite struct ReducerTests {
  /// A key pressed in the queue of all states, and what it asks for.
  struct Case: Sendable, CustomTestStringConvertible {
    let row: Int
    let keys: [Key]
    let effects: [Effect]
    let message: String?
    var testDescription: String { "\(keys) on row \(row)" }

    init(_ row: Int, _ keys: Key..., asks effects: [Effect], says message: String? = nil) {
      self.row = row
      self.keys = keys
      self.effects = effects
      self.message = message
    }
  }

  private static func ids(_ numbers: Int64...) -> [ItemID] { numbers.map(ItemID.init) }

  /// A file that waits already.
  private static let twice = Fixture.item(90, "twice")

  static let cases: [Case] = [
    Case(0, "b", "f", asks: [.listFolder(nil)]),
    Case(0, "!", asks: []), Case(1, ".", asks: []), Case(0, ".", ".", ".", asks: []),
    Case(3, "r", asks: [.retry(ids(4))]),
    Case(4, "r", asks: [.retry(ids(5))]),
    Case(8, "r", asks: []),
    Case(8, "r", "r", asks: [.retry(ids(9))]),
    Case(0, "r", asks: [.bell], says: "nothing to retry: not failed"),
    Case(
      0, "R", asks: [.retry(ids(4, 10)), .probe],
      says: "sending 2 files again, trying photos now, though its server asked to wait until "
        + "00:01:52; 1 file may have arrived: check the server before you retry"),
    Case(0, "E", "r", asks: [.retry(ids(4))], says: "sending 1 file again"),
    Case(
      0, "E", "w",
      asks: [.writeLists([.init(target: "photos", paths: [Array("/home/me/disk.img".utf8)])])]),
    Case(0, "E", "x", asks: [.remove(ids(4))], says: "1 file removed · z undoes"),
    Case(0, "E", .enter, "x", asks: [.remove(ids(4))], says: "1 file removed · z undoes"),
    Case(0, "E", .escape, asks: []), Case(0, "4", .enter, .escape, asks: []),
    Case(0, "?", "?", "?", asks: []),
    Case(3, "x", asks: [.remove(ids(4))], says: "1 file removed · z undoes"),
    Case(3, .delete, asks: [.remove(ids(4))], says: "1 file removed · z undoes"),
    Case(0, "x", asks: []),
    Case(0, "x", "y", asks: [.remove(ids(1))], says: "1 file removed · z undoes"),
    Case(0, "x", .enter, asks: [.remove(ids(1))], says: "1 file removed · z undoes"),
    Case(0, "x", .escape, asks: []),
    Case(0, "x", .tab, .enter, asks: []),
    Case(0, "p", "p", asks: [.pause(ids(1))]),
    Case(6, "p", asks: [.pause(ids(7))]),
    Case(7, "p", asks: [.resume(ids(8))]),
    Case(2, "p", asks: [.bell], says: "nothing to pause: already finished"),
    Case(0, "c", asks: [.remove(ids(3))], says: "1 file cleared · z undoes"),
    Case(0, "c", "c", asks: [.remove(ids(3)), .bell], says: "nothing is done yet"),
    Case(0, " ", " ", " ", " ", "x", asks: []),
    Case(2, " ", " ", "x", asks: [.remove(ids(3, 4))], says: "2 files removed · z undoes"),
    Case(3, " ", "g", "r", asks: [.retry(ids(4))]),
    Case(
      2, " ", .escape, "k", "r", asks: [.bell], says: "nothing to retry: not failed"),
    Case(0, .control("a"), "r", "y", asks: [.retry(ids(4, 5, 9, 10, 11))]),
    Case(3, " ", .control("r"), "r", "y", asks: [.retry(ids(5, 9, 10, 11))]),
    Case(0, "J", asks: [.move(ItemID(1), before: ItemID(3))]),
    Case(10, "J", asks: [.move(ItemID(11), before: nil)]),
    Case(11, "J", asks: [.bell]),
    Case(1, "K", asks: [.move(ItemID(2), before: ItemID(1))]),
    Case(0, "K", asks: [.bell]),
    Case(5, "T", asks: [.move(ItemID(6), before: ItemID(1))]),
    Case(0, "T", asks: [.bell]),
    Case(2, "T", asks: [.bell], says: "already sent"),
    // What is marked moves as one.
    Case(
      4, " ", " ", "J",
      asks: [.reorder(ids(1, 2, 3, 4, 7, 5, 6, 8, 9, 10, 11, 12))]),
    Case(
      4, " ", " ", "K",
      asks: [.reorder(ids(1, 2, 3, 5, 6, 4, 7, 8, 9, 10, 11, 12))]),
    Case(
      2, " ", "j", " ", "T",
      asks: [.reorder(ids(3, 5, 1, 2, 4, 6, 7, 8, 9, 10, 11, 12))]),
    Case(0, .control("a"), "J", asks: [.bell]),
    Case(0, "P", asks: []),
    Case(
      0, "P", "p", asks: [.pause(ids(1, 5, 6, 7, 12))],
      says: "report.pdf is left to finish: the server may have it"),
    Case(0, "P", "f", asks: [.setStarted(false)]),
    Case(0, "P", .enter, asks: [.setStarted(false)]),
    Case(0, "P", .escape, asks: []),
    Case(
      0, "a", "/", "t", "w", "i", "c", "e", .enter, "a",
      asks: [.add([.typed("/twice")]), .addAgain([twice])]),
    Case(0, "3", "o", asks: [.listHistory(HistoryRequest())], says: "history sorted: by name"),
    Case(0, "3", "r", asks: [.listHistory(HistoryRequest()), .bell], says: "nothing is selected"),
    Case(
      2, "O", asks: [.openURL("https://api.example.com/f/42")],
      says: "opening https://api.example.com/f/42"),
    Case(2, "D", asks: [.bell], says: "the server gave no address for deleting the file"),
    Case(0, "s", asks: [.setStarted(false)]),
    Case(0, "s", "s", asks: [.setStarted(false), .setStarted(true)]),
    Case(
      0, "+", asks: [.setConcurrency(5, target: "photos")],
      says: "sending at most 5 files at a time to photos"),
    Case(
      0, "-", "-", "-", "-",
      asks: [
        .setConcurrency(3, target: "photos"), .setConcurrency(2, target: "photos"),
        .setConcurrency(1, target: "photos"), .bell,
      ], says: "photos gets 1 file at a time: fewer is not possible"),
    Case(0, "u", "2", "m", .enter, asks: [.setLimit(2_000_000)]),
    Case(0, "u", .enter, asks: []),
    Case(
      0, "u", "2", "m", .enter, "u", "1", "m", .enter,
      asks: [.setLimit(2_000_000), .setLimit(1_000_000)]),
    Case(
      0, "u", "2", "m", .enter, "u", .backspace, .control("u"), "3", "m", .enter,
      asks: [.setLimit(2_000_000), .setLimit(3_000_000)]),
    Case(0, "u", "x", .enter, asks: [.bell]),
    Case(0, "w", asks: [.bell], says: "no reply here is doubtful"),
    Case(
      8, "r", "a", asks: [.confirm([ItemID(9)])], says: "1 file confirmed by hand · z undoes"),
    Case(
      8, ":", "a", "r", "r", "i", "v", "e", "d", .enter, asks: [.confirm([ItemID(9)])],
      says: "1 file confirmed by hand · z undoes"),
    Case(0, "u", "x", .enter, .control("u"), "1", "k", .enter, asks: [.bell, .setLimit(1000)]),
    Case(0, "u", "9", .escape, asks: []),
    Case(0, .control("l"), asks: [.redraw]),
    Case(0, .control("z"), asks: [.suspend]),
    Case(0, "q", asks: []),
    Case(0, "q", "s", asks: [.quit(.stopping)]),
    Case(0, "q", .enter, asks: [.quit(.stopping)]),
    Case(0, "q", "f", asks: []),
    Case(0, "q", "b", asks: [.bell], says: "this queue cannot be sent in the background"),
    Case(0, "q", .tab, .enter, asks: []),
    Case(0, "q", .escape, asks: []),
    Case(0, "q", .backTab, .enter, asks: []),
    Case(0, .control("c"), asks: []),
    Case(0, .control("c"), .control("c"), asks: [.quit(.forced)]),
    Case(0, "?", "q", "?", .escape, asks: []),
    Case(0, "q", "c", asks: []),
    Case(3, .enter, "r", asks: [.inspect(ItemID(4)), .retry(ids(4))]),
    Case(
      2, "y", asks: [.copy("https://api.example.com/f/42")],
      says: "copied: https://api.example.com/f/42"),
    Case(
      0, "y", asks: [.bell],
      says: "there is no URL yet: the server gives one once it has the file"),
    Case(
      2, .enter, "y", asks: [.inspect(ItemID(3)), .copy("https://api.example.com/f/42")],
      says: "copied: https://api.example.com/f/42"),
    Case(0, "b", asks: [.listFolder(nil)]),
    Case(0, "o", .escape, asks: []),
    Case(
      0, "o", .down, .enter, asks: [.reorder(ids(12, 6, 7, 8, 9, 10, 11, 3, 2, 1, 5, 4))],
      says: "sorted by size, smallest first"),
    Case(
      0, "o", "r", "e", "v", .enter, "z",
      asks: [
        .reorder(ids(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)),
        .reorder(ids(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)),
      ], says: "undone: sorting"),
    Case(0, "t", asks: [.readTargets]),
    Case(
      0, "e", asks: [.bell], says: "IMG_0001.jpg is being sent: pause it before you edit it"),
    Case(
      0, "V", "j", "e", asks: [.bell],
      says: "IMG_0001.jpg and 1 more are being sent: pause them before you edit them"),
    Case(2, "e", asks: [.bell], says: "already sent, so there is nothing to edit"),
    Case(6, "e", .escape, asks: [.readTargets]),
    Case(6, "e", .down, .escape, asks: [.readTargets]),
    Case(6, "V", "j", "j", "V", "p", asks: [.pause(ids(7))]),
    Case(
      0, "V", "j", "j", "x", "y", asks: [.remove(ids(1, 2, 3))], says: "3 files removed · z undoes"),
    Case(
      0, "V", "j", "V", "j", "j", " ", "x", "y", asks: [.remove(ids(1, 2, 4))],
      says: "3 files removed · z undoes"),
    Case(
      0, "/", "n", "o", "t", .enter, "y", asks: [.copy("https://api.example.com/f/42")],
      says: "copied: https://api.example.com/f/42"),
    Case(0, "/", "q", "q", .enter, asks: [.bell], says: "no name contains that text"),
    Case(0, "n", asks: [.bell], says: "no search yet: press / to start one"),
    Case(0, "f", ".", "t", "x", "t", .enter, .control("a"), "r", asks: [.retry(ids(10, 11))]),
    Case(0, "3", asks: [.listHistory(HistoryRequest())]),
    Case(0, "2", "4", "1", asks: [.listServer]),
    Case(
      0, .tab, .tab, .tab, .tab, asks: [.listServer, .listHistory(HistoryRequest()), .readTargets]),
    Case(0, .backTab, .backTab, asks: [.readTargets]),
    Case(0, "5", "t", asks: [.readTargets, .switchTarget("album")]),
    Case(0, "5", .enter, asks: [.readTargets, .showTarget("album")]),
    Case(0, "5", "c", asks: [.readTargets, .tryTarget("album")]),
    Case(0, "5", "d", asks: [.readTargets, .makeDefault("album")]),
    Case(0, "5", "x", "y", asks: [.readTargets, .deleteTarget("album")]),
    Case(0, "5", "z", asks: [.readTargets, .restoreTarget]),
    Case(0, "5", "r", asks: [.readTargets, .readTargets]),
    Case(0, "5", "a", .escape, asks: [.readTargets]),
    Case(
      6, ":", "r", "e", "n", "a", "m", "e", .enter, asks: [.readTargets]),
    Case(0, "5", "e", asks: [.readTargets]),
    Case(0, "Y", asks: [.copyAsCurl(ItemID(1))]),
    Case(0, .enter, "Y", asks: [.inspect(ItemID(1)), .copyAsCurl(ItemID(1))]),
    Case(
      0, "J", "z", "Z",
      asks: [
        .move(ItemID(1), before: ItemID(3)), .move(ItemID(1), before: ItemID(2)),
        .move(ItemID(1), before: ItemID(3)),
      ], says: "redone: move"),
    Case(0, "/", ".", "t", "x", "t", .enter, "n", "r", asks: [.retry(ids(10))]),
    Case(0, "/", ".", "t", "x", "t", .enter, "N", "p", asks: [.pause(ids(12))]),
    // Beside the queue.
    Case(0, "2", "r", asks: [.listServer, .listServer]),
    Case(
      0, "3", .function(5), asks: [.listHistory(HistoryRequest()), .listHistory(HistoryRequest())]),
    Case(0, "2", "x", "y", asks: [.listServer, .deleteOnServer([Fixture.serverRows[0]])]),
    Case(0, "2", "x", .enter, asks: [.listServer]),
    Case(
      0, "2", " ", " ", "x", "y",
      asks: [.listServer, .deleteOnServer(Array(Fixture.serverRows[0...1]))]),
    Case(
      0, "2", "V", "G", "x", "x",
      asks: [.listServer, .deleteOnServer(Fixture.serverRows)]),
    Case(
      0, "2", " ", .control("r"), "x", "y",
      asks: [.listServer, .deleteOnServer(Array(Fixture.serverRows[1...2]))]),
    Case(
      0, "2", .control("a"), .escape, "j", "x", "y",
      asks: [.listServer, .deleteOnServer([Fixture.serverRows[1]])]),
    Case(
      0, "2", "f", "t", "a", "r", .enter, .control("a"), .escape, "x", "y",
      asks: [.listServer, .deleteOnServer([Fixture.serverRows[2]])]),
    Case(
      0, "2", "/", ".", .enter, "n", "n", "N", "x", "y",
      asks: [.listServer, .deleteOnServer([Fixture.serverRows[1]])]),
    Case(
      0, "2", " ", " ", "y", asks: [.listServer, .copy("https://api.example.com/f/1")],
      says: "copied: https://api.example.com/f/1; 1 file without a URL"),
    Case(
      0, "3", .control("a"), "y",
      asks: [.listHistory(HistoryRequest()), .copy("https://api.example.com/f/42")],
      says: "copied: https://api.example.com/f/42; 2 files without a URL"),
    Case(
      0, "3", "/", "d", "i", "s", "k", .enter, "y", asks: [.listHistory(HistoryRequest()), .bell],
      says: "there is no URL: the server gave none"),
    Case(
      0, "3", "f", "q", .enter, .control("a"), "y",
      asks: [.listHistory(HistoryRequest()), .listHistory(HistoryRequest(filter: "q")), .bell],
      says: "nothing is selected"),
    // The list of files.
    Case(
      0, "b", ".", .enter, "h",
      asks: [
        .listFolder(nil), .listFolder(Array("/home/me/pictures/holiday 漢字".utf8)),
        .listFolder(Array("/home/me".utf8)),
      ]),
    Case(0, ":", "r", "e", "t", "r", "y", " ", "4", .enter, asks: [.retry(ids(4))]),
    Case(
      0, ":", "l", "a", "n", "e", "s", " ", "7", .enter,
      asks: [.setConcurrency(7, target: "photos")],
      says: "sending at most 7 files at a time to photos"),
    Case(
      0, ":", "t", "h", "e", "m", "e", .enter, .down, .enter, asks: [],
      says:
        "dark until you quit; base = \"dark\" under [theme] in ~/.config/hoist/config.toml keeps it"
    ),
    Case(
      0, "t", .end, .home, .pageDown, .pageUp, "a", .control("a"), .control("e"), .escape,
      asks: [.readTargets]),
    Case(0, ":", "x", "y", .escape, asks: []),
    Case(0, "a", "x", .escape, asks: []),
    Case(0, "a", "x", .control("c"), asks: []),
    Case(0, "a", "x", .enter, asks: [.add([.typed("x")])]),
    Case(0, "a", "~", "/", "*", .enter, asks: [.add([.typed("~/*")])]),
    Case(0, "a", "'", "*", "'", .enter, asks: [.add([.exact("*")])]),
    Case(0, "a", " ", .enter, asks: []),
    Case(0, "a", "x", .tab, asks: [.complete("x")]),
    Case(0, "a", "x", .backTab, asks: [.complete("x")]),
    Case(
      0, "a", "x", "y", "z", .home, "a", .end, .left, .right, .backspace, .enter,
      asks: [.add([.typed("axy")])]),
    Case(
      0, "a", "x", .control("u"), "y", .control("w"), "z", "q", .home, .delete, .enter,
      asks: [.add([.typed("q")])]),
    Case(
      0, ":", "l", "a", "n", "e", "s", " ", "7", .enter, ":", .up, .down, .up, .enter,
      asks: [.setConcurrency(7, target: "photos"), .setConcurrency(7, target: "photos")],
      says: "sending at most 7 files at a time to photos"),
    // What a dialog does in its own way.
    Case(0, "b", .escape, asks: [.listFolder(nil)]),
    Case(0, "b", "o", asks: [.listFolder(nil)]),
    Case(0, "b", "/", "q", .enter, asks: [.listFolder(nil)]),
    Case(
      0, "b", "a",
      asks: [.listFolder(nil), .add([.bytes(Array("/home/me/pictures/holiday 漢字".utf8))])]),
    Case(0, "?", "/", "q", .enter, asks: []),
    Case(0, "t", .down, .up, .enter, asks: [.readTargets, .switchTarget("tickets")]),
    Case(
      0, "t", .down, .down, .down, .down, .down, .down, .enter, .enter,
      asks: [.readTargets, .bell]),
    Case(6, "e", .tab, .backTab, .enter, asks: [.readTargets]),
    Case(0, "p", "f", asks: []),
    Case(0, "a", "/", "t", "w", "i", "c", "e", .enter, "n", asks: [.add([.typed("/twice")])]),
    Case(0, .enter, .escape, asks: [.inspect(ItemID(1))]),
    Case(0, "Q", asks: []),
    Case(0, .function(1), .escape, asks: []),
  ]

  /// Presses keys on a row of the queue of all states; lists that are asked for are given. `note` is
  /// told what the keys ask for.
  static func press(
    _ keys: [Key], on row: Int, noting record: (Action.Name, Mode) -> Void = { _, _ in }
  ) -> (state: AppState, effects: [Effect]) {
    var state = Fixture.mixed()
    state.options.listsServer = true
    state.moveCursor(to: row)
    var effects: [Effect] = []
    for key in keys {
      let name = state.keymap.asked(by: key, in: state.mode)
      if let name { record(name, state.mode) }
      if name == .accept, case .command(let prompt) = state.dialog,
        let action = CommandLine(prompt.line.field.text)?.action
      {
        record(action.name, .queue)
      }
      let asked = reduce(&state, .key(key))
      // What the prompt shows while it is typed has tests of its own.
      effects += asked.filter { if case .previewLine = $0 { false } else { true } }
      for effect in asked {
        switch effect {
        case .listServer: Fixture.play(&state, .server(.rows(Fixture.serverRows)))
        case .listHistory: Fixture.play(&state, .history(.rows(Fixture.historyRows)))
        case .listFolder: Fixture.play(&state, .folder(Fixture.folder))
        case .readTargets: Fixture.play(&state, .targets(TargetPaneTests.rows))
        case .add([.typed("/twice")]):
          Fixture.play(&state, .leftOut(LeftOut(waiting: [twice])))
        default: break
        }
      }
    }
    return (state, effects)
  }

  @Test(arguments: cases) func keys(_ test: Case) {
    let (state, effects) = Self.press(test.keys, on: test.row)
    #expect(effects == test.effects)
    #expect(state.message == test.message)
  }

  @Test func everyActionHasARow() {
    var asked: [Action.Name: Set<Mode>] = [:]
    for (keys, row) in Self.cases.map({ ($0.keys, $0.row) }) + Self.moves.map({ ($0.0, 0) }) {
      _ = Self.press(keys, on: row) { asked[$0, default: []].insert($1) }
    }
    // An action that several panes or dialogs have is done by each in its own way.
    // An answer leads to some of the questions, and no key does. None of these files is doubtful.
    let missing = Action.all.filter {
      ![[.keepingTarget], [.savingRule], [.nameTaken]].contains($0.modes)
        && asked[$0.name, default: []].isDisjoint(with: $0.modes)
    }
    #expect(
      missing.map { "\($0.name) in \($0.modes)" } == [], "no row in the tables asks for these")
  }

  @Test func everyActionIsInTheTableAndItsKeysAreItsOwn() {
    #expect(Set(Action.all.map(\.name)) == Set(Action.Name.allCases))
    for mode in Mode.allCases {
      let keys = Action.inMode(mode).flatMap(\.keys)
      #expect(Set(keys).count == keys.count, "a key does two things in \(mode)")
      #expect(Action.inMode(mode).contains { $0.name == .close } == !Mode.panes.contains(mode))
      #expect(
        Action.inMode(mode).allSatisfy {
          !$0.help.isEmpty && (!$0.keys.isEmpty || $0.argument != nil)
        })
    }
  }

  static let moves: [([Key], Int)] = [
    (["j"], 1), (["j", "k"], 0), (["k"], 0), ([.down, .down], 2), (["G"], 11),
    (["G", "j"], 11), (["G", "g"], 0), ([.end, .home], 0), ([.pageDown], 11),
    ([.control("d"), .control("u")], 0), ([" "], 1),
  ]

  @Test(arguments: moves)
  func moving(_ keys: [Key], _ row: Int) {
    var state = Fixture.mixed()
    for key in keys { Fixture.play(&state, .key(key)) }
    #expect(state.list.cursor == row)
  }

  @Test func theCursorStaysOnItsItemWhenOthersGo() {
    var state = Fixture.mixed()
    state.moveCursor(to: 5)
    let selected = state.selected?.id
    Fixture.type("c", &state)
    #expect(state.selected?.id == selected)
    #expect(state.list.cursor == 4)
    Fixture.play(&state, .key("G"), .key("x"))
    #expect(state.list.cursor == state.queue.count - 1)
  }

  @Test func theCursorIsAlwaysOnTheScreen() {
    var state = Fixture.empty(size: Size(width: 60, height: 15))
    Fixture.play(&state, .added((0..<200).map { Fixture.item($0, "\($0).txt") }))
    for keys in ["G", "g", "GK", "gJJJJJJJJJJJJJJJ"] {
      Fixture.type(keys, &state)
      for size in [
        Size(width: 60, height: 15), Size(width: 40, height: 10), Size(width: 90, height: 50),
      ] {
        Fixture.play(&state, .resized(size))
        let lines = render(state, size: size).text
        #expect(lines.contains { $0.contains("▌") }, "\(keys) at \(size)")
      }
    }
    Fixture.type("G", &state)
    #expect(
      state.list.scroll + state.layout.rows.count == 200, "the last row stands in the last line")
  }

  @Test func quitsAtOnceWhenNothingIsLeftToSend() {
    var state = Fixture.empty()
    #expect(Fixture.type("q", &state) == [.quit(.idle)])
    Fixture.play(&state, .added([Fixture.item(1, "a", state: .failed(Failure(.missing)))]))
    #expect(Fixture.type("q", &state) == [.quit(.idle)])
    #expect(Fixture.play(&state, .key(.control("c"))) == [.quit(.idle)])
    #expect(Fixture.play(&state, .terminate) == [.quit(.stopping)])
  }

  @Test func finishesThenQuits() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]))
    #expect(Fixture.type("qf", &state) == [])
    let failed = ItemState.failed(Failure(.missing))
    #expect(Fixture.play(&state, .engine([(ItemID(1), failed)], at: state.now + 1)) == [])
    let done = ItemState.done(Fixture.receipt)
    #expect(Fixture.play(&state, .engine([(ItemID(2), done)], at: state.now + 2)) == [.quit(.idle)])
  }

  @Test func cancellingTheQuestionTakesTheWishToQuitBack() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    Fixture.type("qfqn", &state)
    let done = ItemState.done(Fixture.receipt)
    #expect(Fixture.play(&state, .engine([(ItemID(1), done)], at: state.now + 1)) == [])
  }

  @Test func ticksOnlyWhileSomethingMoves() {
    var state = Fixture.empty()
    #expect(!state.needsTicks)
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    #expect(!state.needsTicks)
    for (new, needed): (ItemState, Bool) in [
      (.preparing(attempt: 1), true), (.sending(attempt: 1, sent: 5, total: 10), true),
      (.awaitingReply(attempt: 1, since: state.now), true),
      (.retrying(Fixture.unavailable, next: 2, of: 5, at: state.now + 8), true),
      (.paused, false), (.failed(Fixture.tooLarge), false), (.done(Fixture.receipt), false),
    ] {
      Fixture.play(&state, .engine([(ItemID(1), new)], at: state.now + 1))
      #expect(state.needsTicks == needed, "\(new)")
    }
  }

  @Test func secondsCountWithTicks() {
    var state = Fixture.mixed()
    let size = state.size
    #expect(render(state, size: size).text[4].contains("awaiting reply 2 s"))
    #expect(render(state, size: size).text[7].contains("retry 2/5 in 8 s"))
    Fixture.play(&state, .tick(state.now + 3))
    #expect(render(state, size: size).text[4].contains("awaiting reply 5 s"))
    #expect(render(state, size: size).text[7].contains("retry 2/5 in 5 s"))
    let now = state.now
    Fixture.play(&state, .tick(now + -10))
    #expect(state.now == now, "time does not run backwards")
  }

  @Test func newsOfItemsThatAreGoneIsIgnored() {
    var state = Fixture.mixed()
    Fixture.play(&state, .key("j"), .key("j"), .key("j"), .key("x"))
    let totals = state.queue.totals
    Fixture.play(&state, .engine([(ItemID(4), .waiting), (ItemID(99), .waiting)], at: state.now))
    #expect(state.queue.totals == totals)
  }

  @Test func detailsOfAnItemThatGoesClose() {
    var state = Fixture.mixed()
    Fixture.play(&state, .key("j"), .key(.enter))
    #expect(state.mode == .details)
    _ = state.remove([ItemID(2)])
    Fixture.play(&state, .engine([], at: state.now))
    #expect(state.mode == .queue)
  }

  @Test func dialogsScrollToTheirEndAndNoFurther() {
    var state = Fixture.mixed(size: Size(width: 40, height: 12))
    Fixture.play(&state, .key("?"), .key(.end))
    let last = render(state, size: state.size).text
    Fixture.play(&state, .key(.down))
    #expect(render(state, size: state.size).text == last)
    #expect(last.contains { $0.contains("of") && $0.contains("╰") })
    Fixture.play(&state, .key(.home), .key(.up))
    #expect(render(state, size: state.size).text[2].contains("The queue"))
  }
}
