import Dispatch
import Foundation
import MultipartForm
import Screens
import Settings
import Terminal
import UploadEngine
import UploadModel
import UploadStore

/// Ties the screen to the queue and the engine: events into `reduce`, effects out of it, frames to the
/// terminal. It has no rules of its own.
@MainActor
final class ScreenSession {
  /// How a session differs from the usual one.
  struct Options {
    /// Whether the screen keeps to ASCII.
    var isASCII = false
    /// The most that is sent in all, in bytes a second, until the person says otherwise.
    var rateLimit: Int64?
    /// A line that the screen shows all the time.
    var notice: String?
    /// Whether what was queued before stays out of sight.
    var isFresh = false
    /// What is done about files that were sent before.
    var sent: SentOptions?
    /// What is taken of folders.
    var rules = FolderScan.Rules()
    /// Where what happens is written down.
    var journal: Journal?
    /// How the person wants the screen to be.
    var preferences = ScreenPreferences()
  }

  let book: TargetCatalog
  let keeper: QueueRecorder
  let options: Options
  let home: String
  let time = TimeSource.system
  let interface: any UserInterface
  var intake: FileIntake
  /// Finds files and reads the queue, in the order of what was asked. A folder may take long.
  let intakeQueue = DispatchQueue(label: "hoist.intake", qos: .userInitiated)
  /// Looks up what keys ask for, while files are still being found.
  let answerQueue = DispatchQueue(label: "hoist.answers", qos: .userInitiated)
  /// Nil while another process sends what is in the queue.
  var engine: UploadEngine?
  var state: AppState
  var items: [ItemID: UploadItem] = [:]
  /// The names of the targets of which the screen knows where they lie.
  var located: Set<String> = []
  /// What was there before this session and is not its concern.
  var floor = ItemID(0)
  /// The state of the queue on disk that the screen shows.
  var revision: Int64 = 0
  var watch: ChangeWatch?
  /// Brings the engine's news.
  var throttle: ChangeThrottle?
  /// What is no longer on the screen and yet was sent, or was not.
  var removed = (sent: 0, unsent: 0)
  private var clock: (any DispatchSourceTimer)?
  /// Whether the screen has been left and what is under way is being broken off.
  var isLeaving = false
  private var leave: CheckedContinuation<QuitMode, Never>?

  /// Takes the terminal over.
  init(book: TargetCatalog, keeper: QueueRecorder, home: String, options: Options = Options())
    throws
  {
    self.book = book
    intake = FileIntake(for: book.current)
    self.keeper = keeper
    self.options = options
    self.home = home
    let target = book.current
    interface = try options.preferences.interface()
    state = AppState(
      target: target.name, url: TargetURL.shown(target.url), concurrency: target.concurrency,
      rateLimit: options.rateLimit, isASCII: options.isASCII || !interface.isUTF8,
      size: interface.size, now: time.now(), isReading: true, notice: options.notice,
      options: AppState.Options(
        targets: book.names, keymap: options.preferences.keymap,
        listsServer: target.server.list != nil,
        endSignal: options.preferences.endSignal, midnight: time.midnight()))
  }

  /// Shows the screen until the person leaves it.
  func run(files: [String]) async -> ExitStatus {
    interface.onEvents = { [weak self] in self?.handle($0) }
    if let interface = interface as? PlainInterface {
      interface.state = { [weak self] in self?.state }
      interface.onEnd = { [weak self] in self?.finishThenLeave() }
      let settle = settling
      interface.settle = { _ = settle() }
    }
    interface.show(state)
    openQueue()
    if !files.isEmpty { add(files) { [home] in Arguments.files($0, home: home) } }

    let leaving = await withCheckedContinuation { leave = $0 }
    let isSettled = leaving == .forced ? true : await settleIntake()
    isLeaving = true
    clock?.cancel()
    watch?.stop()
    interface.restore()
    keeper.leave()
    if leaving != .forced {
      await engine?.shutDown()
      throttle?.deliverNow()
    }
    if !isSettled { Output.error("… and files that were still being looked for: add them again") }
    let status = report(without: keeper.settle())
    return leaving == .forced && status != .success ? .interrupted : status
  }

  // MARK: Events and effects

  func handle(_ events: [AppEvent]) {
    // What the screen says of times is right whenever anything happens.
    _ = reduce(&state, .tick(time.now()))
    var isAnswered = false
    for event in events {
      let effects = reduce(&state, event)
      // A key is answered before the disk is.
      if !isAnswered, effects.contains(where: \.isWritten) {
        interface.show(state)
        isAnswered = true
      }
      for effect in effects { perform(effect) }
    }
    keepTime()
    interface.show(state)
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .add(let paths):
      add(paths) { [home] path in
        switch path {
        case .typed(let text): TypedPath(text: text, home: home).files
        case .exact(let text): [FileLocation(text)]
        case .bytes(let bytes): [FileLocation(bytes: bytes)]
        }
      }
    case .complete(let text): complete(text)
    case .retry(let ids), .resume(let ids): retry(ids)
    case .pause(let ids): pause(ids)
    case .remove(let ids): remove(ids)
    case .restore(let places): restore(places)
    case .move(let id, let other): move(id, before: other)
    case .reorder(let order): arrange(order)
    case .edit(let edited): edit(edited)
    case .setStarted(let isStarted): control { $0.setStarted(isStarted) }
    case .setConcurrency(let count, let target):
      control { $0.setConcurrency(count, of: target) }
    case .setLimit(let limit): control { $0.setLimit(limit) }
    case .probe: engine?.tryServers()
    case .listFolder(let path): listFolder(path)
    case .switchTarget(let name): switchTarget(name)
    case .listServer: listServer()
    case .deleteOnServer(let rows): deleteOnServer(rows)
    case .listHistory: listHistory()
    case .inspect(let id): inspect(id)
    case .copyAsCurl(let id): copyAsCurl(id)
    case .copy(let text): interface.copy(text)
    case .notify(let text): interface.notify(text)
    case .bell: interface.ring()
    case .redraw: interface.redraw()
    case .suspend: interface.suspend()
    case .quit(let leaving):
      leave?.resume(returning: leaving)
      leave = nil
    }
  }

  /// Tells the engine, or the person that it is another process's.
  private func control(_ body: (UploadEngine) -> Void) {
    if let engine { return body(engine) }
    // Without an engine for another reason, that reason is on the screen.
    guard state.isAside else { return }
    handle([.message("another hoist sends this queue; this counts from when it has gone")])
  }

  /// Nobody will ask for anything any more: leaves when everything has been sent, what is being
  /// looked at by now among it.
  private func finishThenLeave() {
    afterIntake { [weak self] in
      self?.handle([.perform(.close), .perform(.quit), .perform(.finishThenQuit)])
    }
  }

  private func complete(_ text: String) {
    let path = TypedPath(text: text, home: home)
    answer({ path.completions }) { [.completions(for: text, $0)] }
  }

  /// Waits until what was asked for by now is found and in the queue, for a few seconds at the most.
  /// Returns whether it is.
  private func settleIntake() async -> Bool {
    let settle = settling
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: settle()) }
    }
  }

  /// Waits for the same on the thread that calls it, which is not the main one.
  private var settling: @Sendable () -> Bool {
    let afterIntake = afterIntake
    return {
      let settled = DispatchSemaphore(value: 0)
      afterIntake { settled.signal() }
      return settled.wait(timeout: .now() + 3) == .success
    }
  }

  /// Calls back, on the main queue, once what was asked for by now is found and in the queue.
  private var afterIntake: @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void {
    let (intakeQueue, answerQueue) = (intakeQueue, answerQueue)
    return { body in
      // What the main queue has been told by now may ask for files first.
      DispatchQueue.main.async {
        intakeQueue.async {
          answerQueue.async { DispatchQueue.main.async { MainActor.assumeIsolated(body) } }
        }
      }
    }
  }

  // MARK: Time

  /// A clock that runs only while something on the screen depends on it.
  private func keepTime() {
    if !state.needsTicks {
      clock?.cancel()
      clock = nil
    } else if clock == nil {
      let timer = DispatchSource.makeTimerSource(queue: .main)
      timer.schedule(deadline: .now() + 0.25, repeating: 0.25, leeway: .milliseconds(25))
      timer.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          guard let self else { return }
          self.handle([.tick(self.time.now())])
        }
      }
      timer.activate()
      clock = timer
    }
  }

  // MARK: Leaving

  /// What is left to say when the screen is gone.
  ///
  /// - Parameter unwritten: what the queue could not be told.
  private func report(without unwritten: QueueRecorder.UnsavedResults?) -> ExitStatus {
    let all = items.values.sorted { $0.id < $1.id }
    if state.isAside {
      Output.error("another hoist goes on with the queue")
      return .success
    }
    if state.isReading {
      Output.error("… and what else is in the queue, which was still being read")
    }
    guard !all.isEmpty || removed != (0, 0) else { return state.isReading ? .someFailed : .success }
    let shown = all.count(where: \.state.isDone)
    let folder = FileManager.default.currentDirectoryPath
    var lines: [String] = []
    for item in all {
      let name = SafeText.line(item.location.relative(to: folder).description)
      if case .failed(let failure) = item.state {
        lines.append("✗ \(name): \(failure.headline)")
      } else if item.state.isHandedOver {
        lines.append("? \(name): outcome unknown; look on the server before you send it again")
      } else if !item.state.isFinished {
        lines.append("· \(name): not sent")
      }
    }
    if let unwritten { lines += losses(unwritten, in: folder) }
    for line in lines.prefix(Self.mostLines) { Output.error(line) }
    if lines.count > Self.mostLines { Output.error("… and \(lines.count - Self.mostLines) more") }
    // What the person took out is no failure, and what was cleared was sent all the same.
    let (sent, total) = (shown + removed.sent, all.count + removed.sent)
    let taken = removed.unsent > 0 ? "; \(removed.unsent) removed" : ""
    let left = all.count - shown
    let kept =
      left > 0 ? "; \(HumanReadable.count(left, "file")) left in the queue for the next hoist" : ""
    Output.error("\(sent) of \(HumanReadable.count(total, "file")) sent\(taken)\(kept)")
    return sent == total && !state.isReading && unwritten == nil ? .success : .someFailed
  }

  /// What a person should know of results that are not in the queue.
  private func losses(_ unwritten: QueueRecorder.UnsavedResults, in folder: String) -> [String] {
    let names = unwritten.items.sorted().map { id in
      items[id].map { SafeText.line($0.location.relative(to: folder).description) } ?? "\(id)"
    }
    let count = HumanReadable.count(names.count, "file")
    let fate =
      if let place = unwritten.place {
        "it is in \(SafeText.line(place)), which the next hoist reads"
      } else {
        "the next hoist does not know it and may send again what has arrived"
      }
    return names.map { "! \($0): what became of it is not in the queue" }
      + ["! \(unwritten.reason); what became of \(count) is not in it: \(fate)"]
  }

  /// Enough to see what happened; `hoist queue list` has the rest.
  private static let mostLines = 40
}

extension Effect {
  /// Whether the queue on disk has to be written before this is done.
  fileprivate var isWritten: Bool {
    switch self {
    case .pause, .remove, .restore, .move, .reorder, .edit: true
    default: false
    }
  }
}
