import Foundation
import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadModel

@testable import Screens

/// Whole screens as text files, few enough to look at each one that changes; `FrameRuleTests` has what holds of all
/// screens in all sizes. `HOIST_RECORD=1` writes them anew; look at the difference before you commit it. Below the
/// screen stands what each cell means, a letter each.
@Suite struct GoldenTests {
  enum Screen: String, CaseIterable {
    case queue, empty, reading, limit, limited, prompt, candidates, noMatch, details, receipt, help,
      quit,
      remove, notice
    case marked, message, finished, hostile
    case browser, browserFilter, form, formMistake, sortMenu, targetMenu, find, filtered
    case refused, command, commandCandidates, server, serverWaits, serverFailed, deleting, history
    case historyPage, log, request, outage, interrupted
    case browserReads, browserFailed, browserEmpty, helpOverBrowser, quitOverBrowser
    case serverCannot, serverEmpty, serverMarked, serverFiltered, deletingMany
    case historyWaits, historyEmpty, historyFailed, logEmpty
    case formTarget, attempts, marking, leaving, replies
    case pausing, severalTargets, stopped
    case targets, commandArguments, rowMenu
    case doubtful, savingRule, nameTaken, setup
    case processing, picking, breakingOff, deletingTarget, keepingTarget, addingAgain, sendingAgain
    case deletingUploaded, queueingAgain, failures
    case themes, services, servicesFiltered, targetsOverForm

    func state(_ size: Size, ascii: Bool) -> AppState {
      var state = Fixture.mixed(ascii: ascii, size: size)
      switch self {
      case .queue: break
      case .empty: state = Fixture.empty(ascii: ascii, size: size)
      case .reading:
        state = Fixture.empty(ascii: ascii, size: size)
        state.isReading = true
      case .prompt:
        Fixture.type("a~/pho", &state)
      case .candidates:
        Fixture.type("a~/p", &state)
        Fixture.play(
          &state, .key(.tab),
          .completions(for: "~/p", ["~/photos/", "~/phone book.txt", "~/photo 漢字.jpg"]),
          .key(.tab), .key(.tab))
      case .noMatch:
        Fixture.type("a/nowhere", &state)
        Fixture.play(&state, .key(.tab), .completions(for: "/nowhere", []))
      case .details:
        Fixture.type("jjj", &state)
        Fixture.play(&state, .key(.enter))
      case .receipt:
        Fixture.type("jj", &state)
        Fixture.play(&state, .key(.enter))
      case .help: Fixture.type("??", &state)
      case .limit:
        Fixture.type("u2 parsecs", &state)
        Fixture.play(&state, .key(.enter))
      case .limited:
        Fixture.type("su2 MB/s", &state)
        Fixture.play(&state, .key(.enter))
      case .quit: Fixture.type("q", &state)
      case .remove: Fixture.type("x", &state)
      case .notice: Fixture.play(&state, .notice("received files: /tmp/hoist-demo/inbox"))
      case .marked: Fixture.type(" j  ", &state)
      case .message: Fixture.type("jjr", &state)
      case .finished:
        state = Fixture.empty(ascii: ascii, size: size)
        let sent = ItemState.sending(attempt: 1, sent: 0, total: 1_100)
        Fixture.play(
          &state, .added([Fixture.item(1, "notes.txt", size: 1_100)]),
          .engine([(ItemID(1), sent)], at: state.now),
          .figures(SendingFigures(seconds: 2, bytes: 1_100)),
          .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now + 2))
      case .browser, .browserFilter:
        Fixture.play(
          &state, .key("b"), .folder(Fixture.folder), .key("."), .key("j"), .key("j"),
          .key(" "), .key(" "))
        if self == .browserFilter { Fixture.type("/img", &state) }
        if let request = state.previewed.request {
          let lines = ["# Notes", "", "漢字 and\ttabs"]
          Fixture.play(
            &state, .filePreview(request, FilePreview("text", lines: lines, isCut: true)))
        }
      case .form:
        Fixture.type("jjjjjjj", &state)
        Fixture.type("e", &state)
      case .formMistake:
        Fixture.type("jjjjjj  e", &state)
        Fixture.type("nonsense", &state)
        Fixture.play(&state, .key(.enter))
      case .sortMenu: Fixture.play(&state, .key("o"), .key(.down))
      case .failures: Fixture.type("Ej", &state)
      case .targetMenu:
        state.options.targets = Fixture.choices("album", "photos", "tickets")
        Fixture.type("t", &state)
      case .find: Fixture.type("/no", &state)
      case .filtered:
        Fixture.type("f.txt", &state)
        Fixture.play(&state, .key(.enter))
      case .command: Fixture.type(":limit 2 MB/s", &state)
      case .commandCandidates:
        Fixture.type(":re", &state)
        Fixture.play(&state, .key(.tab), .key(.tab))
      case .server, .deleting:
        state.options.listsServer = true
        Fixture.play(&state, .key("2"), .server(.rows(Fixture.serverRows)), .key("j"))
        if self == .deleting { Fixture.type("x", &state) }
      case .serverWaits:
        state.options.listsServer = true
        Fixture.type("2", &state)
      case .serverFailed:
        state.options.listsServer = true
        Fixture.play(&state, .key("2"), .server(.failed("connection refused")))
      case .history, .historyPage:
        Fixture.play(&state, .key("3"), .history(.rows(Fixture.historyRows)))
        if self == .historyPage { Fixture.play(&state, .key(.enter)) }
      case .log: Fixture.type("4", &state)
      case .request:
        Fixture.type("jjj", &state)
        Fixture.play(
          &state, .key(.enter),
          .request(ItemID(4), ["POST https://api.example.com/upload", "Authorization: (hidden)"]),
          .key("G"))
      case .outage:
        Fixture.play(
          &state, Fixture.away, .key("s"))
      case .refused:
        Fixture.play(&state, .refusal(target: state.target, .refused))
        Fixture.type("jjjjj", &state)
      case .interrupted:
        state = Fixture.empty(ascii: ascii, size: size)
        var one = Fixture.item(1, "film.mkv", size: 4_000_000_000)
        one.wasInterrupted = true
        var two = Fixture.item(2, "notes.txt")
        two.note = "sent before, 2026-11-20 22:15"
        Fixture.play(&state, .added([one, two]), .key("j"))
      case .browserReads: Fixture.type("b", &state)
      case .browserFailed:
        Fixture.play(
          &state, .key("b"),
          .folder(Folder(path: [0x2F], name: "/root", failure: "permission denied")))
      case .browserEmpty:
        Fixture.play(&state, .key("b"), .folder(Folder(path: [0x2F], name: "/home/me/empty")))
      case .helpOverBrowser:
        Fixture.play(&state, .key("b"), .folder(Fixture.folder), .key("?"))
      case .quitOverBrowser:
        Fixture.play(&state, .key("b"), .folder(Fixture.folder), .key(" "), .key(.control("c")))
      case .serverCannot: Fixture.type("2", &state)
      case .serverEmpty, .serverMarked, .serverFiltered, .deletingMany:
        state.options.listsServer = true
        let rows = self == .serverEmpty ? [] : Fixture.serverRows
        Fixture.play(&state, .key("2"), .server(.rows(rows)))
        switch self {
        case .serverMarked: Fixture.type(" V", &state)
        case .serverFiltered: Fixture.type("ftar", &state)
        case .deletingMany: Fixture.type("  x", &state)
        default: break
        }
      case .historyWaits: Fixture.type("3", &state)
      case .historyEmpty: Fixture.play(&state, .key("3"), .history(.rows([])))
      case .historyFailed:
        Fixture.play(&state, .key("3"), .history(.failed("the history cannot be read")))
      case .logEmpty:
        state = Fixture.empty(ascii: ascii, size: size)
        Fixture.type("4", &state)
      case .formTarget:
        state.options.targets = Fixture.choices("album", "photos")
        Fixture.type("jjjjjjje", &state)
        Fixture.play(&state, .key(.backTab), .paste("album"))
      case .attempts:
        Fixture.play(
          &state, .engine([(ItemID(5), .failed(Fixture.tooLarge))], at: state.now + 8))
        Fixture.type("jjjj", &state)
        Fixture.play(&state, .key(.enter), .key("G"))
      case .marking: Fixture.type("jVjj", &state)
      case .leaving: Fixture.type("qf", &state)
      case .replies:
        state = Fixture.empty(ascii: ascii, size: size)
        let start = state.now
        Fixture.play(
          &state,
          .added([
            Fixture.item(1, "a.bin", size: 900_000), Fixture.item(2, "b.bin", size: 100_000),
            Fixture.item(3, "c.bin", size: 500_000),
          ]),
          .engine(
            [(1, 900_000), (2, 100_000)].map { id, size in
              (ItemID(id), .sending(attempt: 1, sent: 0, total: size))
            }, at: start),
          .engine(
            [(ItemID(3), .done(Fixture.receipt))]
              + [1, 2].map { (ItemID($0), .awaitingReply(attempt: 1, since: start + 2)) },
            at: start + 3))
      case .targets:
        Fixture.play(&state, .key("5"), .targets(TargetPaneTests.rows), Fixture.away)
        Fixture.play(&state, .tried(target: "album", obstacle: nil), .key("c"))
      case .commandArguments:
        Fixture.type(":theme r", &state)
        Fixture.play(&state, .key(.tab), .key(.tab))
      case .rowMenu:
        let row = state.layout.rows.lowerBound + 3
        Fixture.play(&state, .mouse(Mouse(.menu, row: row, column: 20)), .key("j"))
      case .doubtful, .savingRule:
        state = DoubtTests.state(ascii: ascii, size: size)
        if self == .savingRule {
          Fixture.play(&state, .key("w"), .ruleDrafted(DoubtTests.draft))
        }
      case .nameTaken:
        Fixture.play(
          &state, .engine([(ItemID(1), NameQuestionTests.taken("a.jpg"))], at: state.now))
      case .setup:
        Fixture.play(&state, .key("5"), .targets([]), .key("a"))
        Fixture.type("files.example.com/in", &state)
      case .themes: Fixture.play(&state, .command("theme"), .key(.down))
      case .services, .servicesFiltered:
        state.options.services = (1...40).map {
          ServiceChoice(
            name: "service\($0)", title: "The service of company \($0)", introduction: "",
            questions: [])
        }
        Fixture.play(&state, .key("5"), .targets([]), .key("a"), .key(.up), .key(.enter))
        if self == .servicesFiltered { Fixture.type("company 4", &state) }
      case .targetsOverForm:
        state.options.targets = Fixture.rows("album", "photos")
        Fixture.type("jjjjjjje", &state)
        Fixture.play(&state, .key(.backTab), .key(" "))
      case .pausing: Fixture.type("P", &state)
      case .processing:
        let accepted = Processing(Receipt(status: 202), askingAt: nil, since: .distantPast)
        Fixture.play(&state, .engine([(ItemID(1), .processing(accepted))], at: state.now))
      case .picking:
        state.options.targets = Fixture.choices("album", "photos", "tickets")
        Fixture.type("to", &state)
      case .breakingOff: Fixture.type("p", &state)
      case .deletingTarget:
        Fixture.play(&state, .key("5"), .targets(TargetPaneTests.rows), .key("x"))
      case .keepingTarget:
        Fixture.play(&state, .key("5"), .targets([]), .key("a"))
        Fixture.type("files.example.com/in", &state)
        Fixture.play(
          &state, .key(.enter), .setupRefused("it answers 404 Not Found", isGoodEnough: true))
      case .addingAgain:
        let items = state.queue.rows.map(\.item)
        Fixture.play(
          &state, .leftOut(LeftOut(waiting: [items[6]], sent: [items[2]], doubtful: [items[8]])))
      case .sendingAgain: Fixture.type("jjjjjjjjr", &state)
      case .deletingUploaded:
        let receipt = Receipt(status: 201, deletionURL: "https://cdn.example.org/delete/42?key=abc")
        Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now), .key("D"))
      case .queueingAgain:
        var row = Fixture.historyRows[0]
        (row.end, row.mayHaveArrived) = (.unknown, true)
        row.record = ItemRecord(location: FileLocation(row.path))
        Fixture.play(&state, .key("3"), .history(.rows([row])), .key("r"))
      case .stopped: Fixture.type("sjjjjjj", &state)
      case .severalTargets:
        var items = state.queue.rows.map(\.item)
        for index in items.indices {
          items[index].target = ["photos", "tickets", "nas"][index % 3]
        }
        Fixture.play(&state, .added(items))
      case .hostile:
        state = Fixture.empty(ascii: ascii, size: size)
        Fixture.play(&state, .added(Hostile.names.enumerated().map { Fixture.item(Int64($0), $1) }))
      }
      return state
    }
  }

  /// A frame that is kept.
  struct Kept: Sendable, CustomTestStringConvertible {
    var screen: Screen
    var size = Size(width: 80, height: 24)
    var ascii = false

    /// The name of its file.
    var testDescription: String {
      "\(screen.rawValue)\(ascii ? "-ascii" : "")-\(size.width)x\(size.height)"
    }
  }

  /// Each screen once, and a few of them in other sizes and in ASCII. The panes without rows and some of the questions
  /// differ from others in their words only, which other tests have.
  private static let kept =
    Screen.allCases.filter { screen in
      screen == .empty
        || !FrameRuleTests.reasons.map(\.0).contains(screen) && !alike.contains(screen)
    }
    .map { Kept(screen: $0) }
    + [(40, 12), (120, 40), (200, 60), (39, 12)].map {
      Kept(screen: .queue, size: Size(width: $0, height: $1))
    }
    + [Screen.browser, .details, .form, .quit].map {
      Kept(screen: $0, size: Size(width: 40, height: 12))
    } + [
      Kept(screen: .browser, size: Size(width: 160, height: 28)),
      Kept(screen: .queue, ascii: true),
      Kept(screen: .queue, size: Size(width: 120, height: 40), ascii: true),
      Kept(screen: .browser, ascii: true), Kept(screen: .hostile, ascii: true),
    ]

  private static let alike: [Screen] = [
    .processing, .picking, .breakingOff, .deletingTarget, .keepingTarget, .addingAgain,
    .sendingAgain, .deletingUploaded, .queueingAgain, .failures, .nameTaken, .targetsOverForm,
    .services,
  ]

  @Test(arguments: kept)
  func looksAsKept(_ kept: Kept) throws {
    let state = kept.screen.state(kept.size, ascii: kept.ascii)
    try compare(render(state, size: kept.size), with: kept.testDescription)
  }

  /// A file that no frame is compared with would only seem to be tested.
  @Test func noFrameIsLeftOver() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.kept.map { "\($0.testDescription).txt" }))
  }

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Goldens")

  private func compare(
    _ frame: Frame, with name: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let size = "\(frame.size.width)x\(frame.size.height)"
    let cursor = frame.cursor.map { "cursor \($0.row),\($0.column)" } ?? "no cursor"
    let lines =
      ["\(size), \(cursor), title \"\(frame.title)\""] + frame.text + [""] + frame.roles + [""]
    let drawn = lines.joined(separator: "\n")
    let file = Self.folder.appendingPathComponent("\(name).txt")
    if let difference = try Golden.difference(of: drawn, from: file) {
      Issue.record("\(difference)", sourceLocation: location)
    }
  }
}
