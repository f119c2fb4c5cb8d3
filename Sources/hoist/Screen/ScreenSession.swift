import Dispatch
import FileDiscovery
import Foundation
import Screens
import SenderLink
import Settings
import UploadEngine
import UploadModel
import UploadStore

/// Ties the screen to the queue and the engine: events into `reduce`, effects out of it, frames to the
/// terminal. It has no rules of its own.
@MainActor
final class ScreenSession {
  /// How a session differs from a normal one.
  struct Options {
    /// Whether the screen keeps to ASCII.
    var isASCII = false
    /// The limit on the total, in bytes a second, until the user changes it.
    var rateLimit: Int64?
    /// A line that the screen shows all the time.
    var notice: String?
    /// Whether items queued before this session are hidden.
    var isFresh = false
    /// The last item that does not concern this session, if another session has said so.
    var floor = ItemID(0)
    /// How many requests go to each target at once, as set by the user in another session.
    var lanes: [String: Int] = [:]
    /// Whether this continues for a screen that was left.
    var isHandedOver = false
    /// The command line with which another process can continue in the background; nil if none may.
    var arguments: [String]?
    /// What to do about files that were sent before.
    var sent: SentOptions?
    /// Which files of folders are taken.
    var rules = FolderRules()
    /// Where events are logged.
    var journal: Journal?
    /// The user's preferences for the screen.
    var preferences = ScreenPreferences()
  }

  let book: TargetCatalog
  let keeper: QueueRecorder
  let options: Options
  let context: Context
  var home: String { context.home }
  var time: TimeSource { context.time }
  let interface: any UserInterface
  /// The tokens for uploads and for all other requests to servers.
  let tokens = TokenSource()
  var intake: FileIntake
  /// Finds files and reads the queue, in the order of requests. A folder may take a long time.
  let intakeQueue = DispatchQueue(label: "hoist.intake", qos: .userInitiated)
  /// Answers keys while files are still being found.
  let answerQueue = DispatchQueue(label: "hoist.answers", qos: .userInitiated)
  /// Nil while another process sends what is in the queue.
  var engine: UploadEngine?
  var state: AppState
  /// The targets whose addresses the screen knows.
  var located: Set<String> = []
  /// Tries a new target.
  var trial: Task<Void, Never>?
  /// The last item from before this session, if the session ignores earlier items; 0 if it does not.
  var floor = ItemID(0)
  /// The revision of the queue on disk that the screen shows.
  var revision: Int64 = 0
  /// The revision since which news may have taken precedence over the queue.
  var heardSince: Int64 = 0
  /// Whether the user has stopped the queue, as last read from it.
  var isStopped = false
  /// Whether the queue could not be read or taken over, so that its content is unknown.
  var isUnusable = false
  var watch: ChangeWatch?
  /// Brings the engine's news.
  var throttle: ChangeBuffer?
  /// The typed line whose preview is being looked up.
  let previewed = LatestText()
  /// The settings of this session's user, regardless of those in the sending session.
  var ownSettings: SenderSettings
  /// Whether the process that sends has told all that was the case when this one came.
  var isInformed = false
  /// Other processes that show the same queue, or the one that sends it.
  let link: QueueLink
  private var clock: (any DispatchSourceTimer)?
  /// Whether the screen is being left and uploads are being broken off.
  var isLeaving: Bool { keeper.isLeaving }
  private var leave: CheckedContinuation<QuitMode, Never>?

  /// Takes over the terminal.
  init(
    book: TargetCatalog, keeper: QueueRecorder, context: Context, options: Options = Options()
  ) throws {
    self.book = book
    intake = FileIntake(for: book.current)
    self.keeper = keeper
    self.context = context
    link = QueueLink(queue: keeper.store.path, environment: context.environment)
    ownSettings = SenderSettings(limit: options.rateLimit, lanes: options.lanes)
    self.options = options
    floor = options.floor
    let target = book.current
    interface = try options.preferences.interface(in: context)
    state = AppState(
      target: target.name, url: TargetURL.shown(target.url), concurrency: target.concurrency,
      rateLimit: options.rateLimit, isASCII: options.isASCII || !interface.isUTF8,
      size: interface.size, now: context.time.now(), isReading: true, notice: options.notice)
    state.options.targets = book.names
    state.options.keymap = options.preferences.keymap
    state.options.listsServer = target.server.list != nil
    state.options.endSignal = options.preferences.endSignal
    state.options.midnight = context.time.midnight()
    state.options.targetURLs = book.urls
    state.options.configuration = Self.words(for: book.configuration, home: context.home)
    state.options.hasEndCommand = !options.preferences.endCommand.isEmpty
    _ = reduce(
      &state, .settings(limit: options.rateLimit, isStarted: true, lanes: options.lanes))
    if options.arguments != nil {
      state.options.background = options.preferences.goesOnInBackground ? .preferred : .offered
    }
    state.options.folder = SafeText.line(FileManager.default.currentDirectoryPath)
  }

  /// Shows the screen until the user leaves it.
  func run(files: [FileArgument]) async -> ExitStatus {
    interface.onEvents = { [weak self] in self?.handle($0) }
    if let interface = interface as? PlainInterface {
      interface.state = { [weak self] in self?.state }
      interface.onEnd = { [weak self] in self?.finishThenLeave() }
      interface.settle = { [settling] in _ = settling() }
    }
    interface.show(state)
    openQueue()
    if !files.isEmpty { add(files) }

    let leaving = await withCheckedContinuation { leave = $0 }
    let isSettled = leaving == .forced ? true : await settleIntake()
    clock?.cancel()
    watch?.stop()
    interface.restore()
    if leaving == .background {
      // Closing the terminal must not interrupt the handover.
      signal(SIGHUP, SIG_IGN)
    }
    if leaving != .forced {
      await engine?.shutDown(awaitingReplies: leaving == .background ? 5 : 0)
      throttle?.deliverNow()
    }
    link.stop()
    if !isSettled {
      context.output.error("… and files that were still being looked for: add them again")
    }
    let unwritten = keeper.settle()
    let successor = leaving == .background && unwritten == nil ? goOnInBackground() : nil
    var status = report(without: unwritten, successor: successor)
    if let front = interface as? PlainInterface {
      status = front.status(
        status,
        hasFailures: isUnusable || unwritten != nil
          || state.items.contains { $0.state.failure != nil })
    }
    return leaving == .forced && status != .success ? .interrupted : status
  }

  // MARK: Events and effects

  func handle(_ events: [AppEvent]) {
    // Update the time first, so that durations on the screen are correct.
    _ = reduce(&state, .tick(time.now()))
    var isAnswered = false
    for event in events {
      let effects = reduce(&state, event)
      // Answer the key before writing to the disk.
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
    case .add(let paths, let target, let isMeant): add(paths, to: target, again: isMeant)
    case .addAgain(let items): addAgain(items)
    case .preview(let text): preview(text)
    case .setUp(let answers, let isGoodEnough): setUp(answers, isGoodEnough: isGoodEnough)
    case .stopSetUp: trial?.cancel()
    case .readTargets: readTargets()
    case .complete(let text): complete(text)
    case .retry(let ids), .resume(let ids): retry(ids)
    case .pause(let ids): pause(ids)
    case .remove(let ids, let begun): remove(ids, begun: begun)
    case .restore(let places): restore(places)
    case .move(let id, let other): move(id, before: other)
    case .reorder(let order): arrange(order)
    case .edit(let edited): edit(edited)
    case .setStarted(let isStarted): setStopped(!isStarted)
    case .hold: control(.start(false))
    case .setConcurrency(let count, let target): control(.lanes(count, target: target))
    case .setLimit(let limit): control(.limit(limit))
    case .probe:
      if let engine { engine.tryServers() } else { _ = link.order(.tryServers) }
    case .listFolder(let path): listFolder(path)
    case .switchTarget(let name): readTargets(turningTo: name)
    case .listServer: listServer()
    case .deleteOnServer(let rows): deleteOnServer(rows)
    case .deleteUploaded(let files): deleteUploaded(files)
    case .listHistory: listHistory()
    case .inspect(let id): inspect(id)
    case .copyAsCurl(let id): copyAsCurl(id)
    case .openURL(let url): openURL(url)
    case .copy(let text): interface.copy(text)
    case .notify(let text): notify(text)
    case .notifyDesktop(let text): notifyDesktop(text)
    case .runEndCommand(let counts): runEndCommand(counts)
    case .bell: interface.ring()
    case .redraw: interface.redraw()
    case .suspend: interface.suspend()
    case .quit(let leaving):
      keeper.leave()
      leave?.resume(returning: leaving)
      leave = nil
    }
  }

  /// At the end of the input: leaves when everything has been sent, including files that are still being
  /// found. `hoist send` also waits for what another hoist sends; a script on standard input does not.
  private func finishThenLeave() {
    afterIntake { [weak self] in
      guard let self else { return }
      let leavesNow = state.isAside && (interface as? PlainInterface)?.isAlone != true
      handle([.perform(.close), leavesNow ? .perform(.quit) : .leaveWhenDone])
      // A server may be away for days.
      guard leave != nil else { return }
      let ending =
        state.isAside
        ? "this ends when all is sent; ^c ends it now, and the other hoist goes on"
        : "this ends when all is sent; ^c ends now, and the rest stays queued"
      handle([.message(isStopped ? "\(Self.stoppedWords); \(ending)" : ending)])
    }
  }

  /// Waits a few seconds at most until all requested files are found and in the queue. Returns whether they
  /// are.
  private func settleIntake() async -> Bool {
    let settle = settling
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: settle()) }
    }
  }

  /// The same, blocking the calling thread, which must not be the main one.
  private var settling: @Sendable () -> Bool {
    let afterIntake = afterIntake
    return {
      let settled = DispatchSemaphore(value: 0)
      afterIntake { settled.signal() }
      return settled.wait(timeout: .now() + 3) == .success
    }
  }

  /// Calls back on the main queue once all files requested so far are found and in the queue.
  private var afterIntake: @Sendable (@escaping @MainActor @Sendable () -> Void) -> Void {
    let (intakeQueue, answerQueue) = (intakeQueue, answerQueue)
    return { body in
      // Events already on the main queue may request files first.
      DispatchQueue.main.async {
        intakeQueue.async {
          answerQueue.async { onMain(body) }
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

}
