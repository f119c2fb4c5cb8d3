import Dispatch
import Foundation
import MultipartForm
import Screens
import Terminal
import UploadModel

/// The screen on a real terminal with made-up uploads: what TerminalTests drive in tmux, and a way to
/// look at the screen without a server.
///
///     TerminalDriver [NUMBER-OF-ITEMS]
///     TerminalDriver still [THEME]    # one file in each state, and nothing moves
///     TerminalDriver links            # the same; the server has named an address
///     TerminalDriver session [THEME [FILE]]  # names that are hard to draw; F12 lets a tenth of a second pass, and the
///                                     # title says how many events have been drawn; the last frame is in the file
///     TerminalDriver keys FILE        # shows nothing but writes what arrives into a file, an event on a line
@main
@MainActor
final class Driver {
  private let terminal: Terminal
  private var state: AppState
  private var items: [UploadItem] = []
  private var ticker: (any DispatchSourceTimer)?
  private var nextID: Int64 = 1
  private let isStill: Bool
  /// How many events a session has drawn; nil outside a session.
  private var drawn: Int?
  private var titleTimer: (any DispatchSourceTimer)?
  /// Where a session's frames are written down.
  private var frameFile: String?
  /// The time of day where nothing moves by itself.
  private var stillTime = Instant(seconds: 0)

  static func main() {
    do throws(TerminalError) {
      let argument = CommandLine.arguments.dropFirst().first
      let isSession = argument == "session"
      let isStill = argument == "still" || argument == "links" || isSession
      let theme = CommandLine.arguments.dropFirst(2).first.flatMap { Theme.named($0) }
      let driver = try Driver(isStill: isStill, theme: theme ?? .usual)
      if isSession {
        (driver.drawn, driver.frameFile) = (0, CommandLine.arguments.dropFirst(3).first)
      }
      if argument == "keys" {
        driver.listKeys(in: CommandLine.arguments.last ?? "")
      } else if isStill {
        driver.startStill(hasAddress: argument == "links" || driver.frameFile != nil)
        if isSession { driver.keepTitle() }
      } else {
        driver.start(count: argument.flatMap(Int.init) ?? 9)
      }
      withExtendedLifetime(driver) { dispatchMain() }
    } catch {
      FileHandle.standardError.write(Data("driver: \(error)\n".utf8))
      exit(2)
    }
  }

  private init(isStill: Bool, theme: Theme) throws(TerminalError) {
    terminal = try Terminal()
    self.isStill = isStill
    state = AppState(
      target: "photos", url: "https://api.example.com/upload", isASCII: !terminal.isUTF8,
      size: terminal.size, now: isStill ? stillTime : Self.clock,
      notice: "received files: /tmp/hoist-demo/inbox")
    state.options.theme = theme
    guard isStill else { return }
    state.options.listsServer = true
    state.options.configuration = "~/.config/hoist/config.toml"
  }

  private var now: Instant { isStill ? stillTime : Self.clock }

  private static var clock: Instant {
    Instant(seconds: Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
  }

  private func start(count: Int) {
    terminal.onEvents = { [unowned self] in handle($0) }
    let names = ["IMG_0001.jpg", "report.pdf", "notes.txt", "漢字かな.png", "disk.img", "हिन्दी.mp4"]
    let files = (0..<count).map { item("/data/\($0 < 6 ? names[$0] : "file \($0).bin")") }
    handle([.queue(.added(files))])
  }

  private func listKeys(in path: String) {
    guard let file = fopen(path, "a") else { return }
    setvbuf(file, nil, _IOLBF, 0)
    // What programs that hoist starts would get.
    fputs("TERMINFO \(getenv("TERMINFO").map { String(cString: $0) } ?? "none")\n", file)
    terminal.draw(render(state, size: terminal.size))
    terminal.onEvents = { [unowned self] events in
      for event in events {
        switch event {
        case .key(let key): fputs("\(key)\n", file)
        case .paste(let text): fputs("paste \(text.debugDescription)\n", file)
        case .mouse(let mouse): fputs("\(mouse.kind)\n", file)
        case .terminate:
          terminal.restore()
          exit(0)
        default: break
        }
      }
    }
  }

  private func startStill(hasAddress: Bool) {
    terminal.onEvents = { [unowned self] in handle($0) }
    let states: [(String, ItemState)] = [
      (
        "done.txt",
        .done(
          Receipt(
            status: 201, url: hasAddress ? "https://files.example.com/done ü.txt" : nil,
            bytes: 3_000_000))
      ),
      ("moving.txt", .sending(attempt: 1, sent: 1_500_000, total: 3_000_000)),
      ("failed.txt", .failed(Failure(.refused, status: 413, attempts: 1))),
      ("unknown.txt", .failed(Failure(.outcomeUnknown("closed"), attempts: 1))),
      ("waiting.txt", .paused),
      ("replying.txt", .awaitingReply(attempt: 1, since: Instant(seconds: 0))),
      (
        "again.txt",
        .retrying(
          Failure(.refused, status: 503, attempts: 1), next: 2, of: 5, at: Instant(seconds: 8))
      ),
      (
        "explained.txt",
        .failed(
          Failure(
            .refused, status: 422,
            reply: Reply(
              text: "{\"message\": \"the title is missing\"}", mediaType: "application/json"),
            attempts: 1))
      ),
      ("漢字かな.png", .waiting),
    ]
    let hard = drawn == nil ? [] : Still.hardNames.map { ($0, ItemState.waiting) }
    handle([
      .queue(
        .added(
          (states + hard).map { name, state in
            var item = item("/data/\(name)")
            item.state = state
            return item
          }))
    ])
  }

  private func item(_ path: String) -> UploadItem {
    defer { nextID += 1 }
    var item = UploadItem(
      id: ItemID(nextID), location: FileLocation(path), mediaType: "image/jpeg",
      typeSource: "by extension", size: 3_000_000 + nextID * 4_321)
    if path.hasSuffix(".img") {
      let reply = Reply(text: "{\"error\": \"maximum upload size is 100 MB\"}\n\u{1B}[31mred\n")
      item.state = .failed(Failure(.refused, status: 413, reply: reply, attempts: 1))
    }
    items.append(item)
    return item
  }

  private func handle(_ events: [AppEvent]) {
    for event in events {
      if drawn != nil, case .key(.function(12)) = event { passTime() }
      for effect in reduce(&state, event) { perform(effect) }
    }
    let frame = render(state, size: terminal.size)
    terminal.draw(frame)
    if let frameFile { WrittenFrame.write(frame, to: frameFile) }
    tellDrawn(events)
    let isWorking = !isStill && (state.needsTicks || items.contains { $0.state == .waiting })
    if isWorking, ticker == nil { startTicking() }
    if !isWorking {
      ticker?.cancel()
      ticker = nil
    }
  }

  /// Says in the title what the terminal has been given before it: nothing but the title can be waited for wherever the
  /// keys lead.
  private func tellDrawn(_ events: [AppEvent]) {
    guard let number = drawn else { return }
    drawn = number + events.count
    setTitle()
  }

  private func setTitle() {
    let title = "\u{1B}]2;drawn \(drawn ?? 0) \(terminal.size.width)\u{07}"
    FileHandle.standardOutput.write(Data(title.utf8))
  }

  /// Sets the title again and again: once a terminal has said what its background is, the screen is drawn once more, with
  /// its own title.
  private func keepTitle() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
    timer.setEventHandler { [unowned self] in MainActor.assumeIsolated { self.setTitle() } }
    timer.resume()
    titleTimer = timer
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .add(let paths):
      let texts = paths.map { path in
        switch path {
        case .typed(let text), .exact(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
      }
      _ = reduce(&state, .queue(.added(texts.map(item))))
    case .complete(let text):
      let all = ["/data/one.txt", "/data/one.pdf", "/data/two.txt"]
      _ = reduce(&state, .completions(for: text, all.filter { $0.hasPrefix(text) }))
    case .retry(let ids), .resume(let ids): set(ids, .waiting)
    case .pause(let ids): set(ids, .paused)
    case .remove(let ids, _): items.removeAll { ids.contains($0.id) }
    case .restore(let places): items += places.map(\.item)
    case .copy(let text): terminal.copy(text)
    case .notify(let text): terminal.notify(text)
    case .listHistory: _ = reduce(&state, .history(.rows(isStill ? Still.history : [])))
    case .listServer where isStill: _ = reduce(&state, .server(.failed("nobody answers")))
    case .readTargets where isStill: _ = reduce(&state, .targets(Still.targets))
    case .listFolder where isStill: _ = reduce(&state, .folder(Still.folder))
    case .previewFile(let request?) where isStill:
      _ = reduce(&state, .filePreview(request, Still.preview))
    case .addAgain, .sendAgain, .move, .reorder, .edit, .setStarted, .setConcurrency,
      .setLimit,
      .listFolder,
      .switchTarget, .readTargets, .showTarget, .tryTarget, .changeTarget, .makeDefault,
      .deleteTarget, .restoreTarget, .draftRule, .saveRule,
      .listServer, .deleteOnServer, .deleteUploaded, .inspect, .readAttempts, .copyAsCurl,
      .writeLists, .confirm, .unconfirm,
      .lookForEdited, .probe,
      .previewLine, .previewFile, .setUp, .stopSetUp, .openURL, .notifyDesktop, .runEndCommand:
      break
    case .quit:
      terminal.restore()
      exit(0)
    case .bell: terminal.ring()
    case .redraw: terminal.redraw()
    case .suspend: terminal.suspend()
    }
  }

  private func set(_ ids: [ItemID], _ new: ItemState) {
    for index in items.indices where ids.contains(items[index].id) { items[index].state = new }
    _ = reduce(&state, .queue(.changed(ids.map { ($0, new) }, at: now)))
  }

  private func startTicking() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
    timer.setEventHandler { [unowned self] in MainActor.assumeIsolated { self.step() } }
    timer.resume()
    ticker = timer
  }

  private func passTime() {
    stillTime = stillTime + 0.1
    for event in advance() { _ = reduce(&state, event) }
  }

  private func step() { handle(advance()) }

  /// What a tenth of a second brings in three made-up lanes.
  private func advance() -> [AppEvent] {
    var changes: [(ItemID, ItemState)] = []
    var lanes = items.count(where: \.state.isActive)
    for index in items.indices {
      let item = items[index]
      let next: ItemState
      switch item.state {
      case .waiting where lanes < 3:
        lanes += 1
        next = .sending(attempt: 1, sent: 0, total: item.size)
      case .sending(let attempt, let sent, let total):
        next =
          sent >= total
          ? .awaitingReply(attempt: attempt, since: now)
          : .sending(attempt: attempt, sent: min(total, sent + 70_000), total: total)
      case .awaitingReply(_, let since) where now - since > 2:
        next = .done(Receipt(status: 201, seconds: 4, bytes: item.size))
      default: continue
      }
      items[index].state = next
      changes.append((item.id, next))
    }
    return [changes.isEmpty ? .tick(now) : .queue(.changed(changes, at: now))]
  }
}
