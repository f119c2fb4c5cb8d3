import Dispatch
import FileDiscovery
import Foundation
import ProcessContext
import Queue
import Scheduling
import Screens
import Settings
import UploadEngine
import UploadModel

/// Ties the screen to the queue and the engine: gives each effect to the part of the session that performs it. It has
/// no rules of its own.
@MainActor
package final class ScreenSession {
  /// How a session differs from a normal one.
  package struct Options {
    /// Whether the screen keeps to ASCII.
    package var isASCII = false
    /// The settings for all uploads, until the user changes them.
    package var settings = SenderSettings()
    /// Whether the limit that the user set in an earlier session holds.
    package var keepsLimit = true
    /// A line that the screen shows all the time.
    package var notice: String?
    /// How there came to be a target, on a first start.
    package var setup: SetupSession.End?
    /// Whether items queued before this session are hidden.
    package var isFresh = false
    /// Whether the next hoist gets this queue.
    package var keepsQueue = true
    /// The command line with which another process can continue in the background; nil if that is not allowed.
    package var arguments: [String]?
    package var sent = SentRules()
    package var rules = FolderRules()
    package var journal: Journal?
    package var preferences = ScreenPreferences()

    package init() {}

    /// What concerns the queue.
    fileprivate var ofQueue: SharedQueue.Options {
      var queue = SharedQueue.Options()
      (queue.settings, queue.keepsLimit) = (settings, keepsLimit)
      (queue.notice, queue.isFresh) = (notice, isFresh)
      queue.lanes = OpenFiles.lanes(atMost: UploadEngine.mostLanes)
      return queue
    }
  }

  private let keeper: QueueRecorder
  private let context: Context
  private let options: Options
  private let loop: ScreenLoop
  private let targets: SessionTargets
  private let queue: SharedQueue
  private let intake: SessionIntake
  private let answers: SessionAnswers
  private let programs: SessionPrograms
  private let rules: SessionRules
  private let previewer: FilePreviewer
  private var leave: CheckedContinuation<QuitMode, Never>?

  /// Takes over the terminal.
  package init(
    book: TargetCatalog, keeper: QueueRecorder, context: Context, options: Options = Options()
  ) throws {
    (self.keeper, self.context, self.options) = (keeper, context, options)
    let interface = try options.preferences.interface(in: context)
    let loop = ScreenLoop(
      Self.firstState(book, interface, options, context), on: interface, time: context.time)
    self.loop = loop
    let tokens = TokenSource()
    let refused = RefusedTargets(in: book)
    var observers: [any QueueObserver] = [refused]
    if let journal = options.journal { observers.append(QueueJournal(journal, of: loop)) }
    queue = SharedQueue(
      keeper, for: loop, observers: observers,
      with: SharedQueue.Tools(
        sending: Conductor.Tools(
          book: book, tokens: tokens, time: context.time, mediaType: FileIntake.mediaType),
        environment: context.environment, reading: loop.aside.intake, lookups: loop.aside.answers,
        look: FileIntake().look),
      options: options.ofQueue)
    targets = SessionTargets(book, loop, of: queue, refused: refused)
    intake = SessionIntake(
      into: queue,
      QueueIntake(store: keeper.store, options.sent, isPlaced: { book.placesFiles($0) }),
      in: options.rules,
      home: context.home, loop, targets, book, on: loop.aside.intake)
    answers = SessionAnswers(
      loop: loop, book: book, store: keeper.store, tokens: tokens, time: context.time)
    rules = SessionRules(loop: loop, targets: targets, queue: queue, book: book)
    programs = SessionPrograms(
      environment: context.environment, endCommand: options.preferences.endCommand,
      notify: { [weak loop] in loop?.interface.notify($0) },
      say: { [weak loop] in loop?.handle([.message($0)]) })
    previewer = FilePreviewer(loop)
    loop.onEffect = { [weak self] in self?.perform($0) }
  }

  private static func firstState(
    _ book: TargetCatalog, _ interface: any UserInterface, _ options: Options, _ context: Context
  ) -> AppState {
    let target = book.current
    let (date, now) = (context.time.date(), context.time.now())
    var state = AppState(
      target: target.name, url: TargetURL.shown(target.url), concurrency: target.concurrency,
      isASCII: options.isASCII || !interface.isUTF8, size: interface.size,
      now: now, isReading: true, notice: options.notice)
    state.options = options.preferences.screen
    state.options.targets = book.rows
    state.options.services = ServiceChoice.all
    state.options.listsServer = target.server.list != nil
    let midnight = date.startOfDay(before: 0)
    state.options.midnight = date.timeIntervalSince(midnight) - now.seconds
    state.options.epoch = date.timeIntervalSince1970 - now.seconds
    state.options.configuration = book.configuration?.shownPath
    state.options.secretsPlace =
      book.configuration.map { SecretFolder(beside: $0).shownPath } ?? ""
    if options.arguments != nil {
      state.options.background = options.preferences.goesOnInBackground ? .preferred : .offered
    }
    state.options.home = context.environment["HOME"]
    if !(interface is PlainInterface) { state.followUnasked() }
    state.options.folder = SafeText.line(FileManager.default.currentDirectoryPath)
    _ = reduce(&state, .queue(.settings(options.settings)))
    if let words = words(on: options.setup, book) { _ = reduce(&state, .message(words)) }
    return state
  }

  /// What to say about the target of a first start.
  private static func words(on setup: SetupSession.End?, _ book: TargetCatalog) -> String? {
    switch setup {
    case .made(let name):
      // Another hoist may have made a target before.
      guard book.usual == name else {
        return "\(name) is saved" + (book.usual.map { "; \($0) stays the default" } ?? "")
      }
      let place = book.configuration.map { " in \($0.shownPath)" } ?? ""
      return "\(name) is saved as the default target\(place)"
    case .found: return "there is a target now: \(SafeText.line(book.current.name))"
    case .left, nil: return nil
    }
  }

  /// Shows the screen until the user leaves it.
  package func run(files: [FileArgument]) async -> ExitStatus {
    let plain = loop.interface as? PlainInterface
    if let plain {
      plain.state = { [weak loop] in loop?.state }
      plain.onEnd = { [weak self] in self?.finishThenLeave() }
      plain.settle = { [weak intake] in _ = intake?.settle() }
    }
    loop.interface.wordsOnSuspension = { [weak queue] in
      guard let queue, queue.isSender, queue.items.totals.busy > 0 else { return nil }
      return "uploads stand still until fg; meanwhile no other hoist can send this queue"
    }
    // The queue is read while the first frame is drawn.
    queue.open()
    loop.start()
    if !files.isEmpty { intake.add(files) }

    let leaving = await withCheckedContinuation { leave = $0 }
    let isSettled = leaving == .forced ? true : await settleIntake()
    loop.stop()
    // Closing the terminal must not interrupt the handover.
    if leaving == .background { signal(SIGHUP, SIG_IGN) }
    await queue.close(isForced: leaving == .forced, sayingWhyOn: context.output)
    if !isSettled {
      context.output.error("… some files were still being looked for; add them again")
    }
    let unwritten = keeper.settle()
    queue.catchUp()
    let report = SessionReport(
      queue, unwritten: unwritten, queueOption: keeper.option,
      successor: leaving == .background && unwritten == nil ? goOnInBackground() : nil,
      isKept: options.keepsQueue)
    for line in report.lines { context.output.error(line) }
    return leaving == .forced && report.status != .success ? .interrupted : report.status
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .add(let paths): intake.add(paths)
    case .addAgain(let items): intake.addAgain(items)
    case .sendAgain(let records): intake.sendAgain(records)
    case .previewLine(let text): intake.preview(text)
    case .previewFile(let request): previewer.preview(request)
    case .complete(let text): intake.complete(text)
    case .setUp(let answers, let isGoodEnough, let isForEdit):
      targets.setUp(answers, isGoodEnough: isGoodEnough, isForEdit: isForEdit)
    case .stopSetUp: targets.stopSetUp()
    case .readTargets: targets.read()
    case .switchTarget(let name): targets.read(selecting: name)
    case .showTarget(let name): targets.show(name)
    case .tryTarget(let name): targets.tryOut(name)
    case .changeTarget(let old, let new, let token, let isGoodEnough):
      targets.change(old, to: new, token: token, isGoodEnough: isGoodEnough)
    case .makeDefault(let name): targets.change { try $0.choosing(name) }
    case .deleteTarget(let name): targets.delete(name)
    case .restoreTarget: targets.restore()
    case .draftRule(let id): rules.draft(id)
    case .saveRule(let draft): rules.save(draft)
    case .retry(let ids):
      // The cause of the failure may have been fixed in the configuration, so read that first. Both are carried out in
      // this order.
      targets.read()
      queue.retry(ids)
    case .resume(let ids): queue.retry(ids)
    case .pause(let ids): queue.pause(ids)
    case .remove(let ids, let begun): queue.remove(ids, begun: begun)
    case .restore(let places): queue.restore(places)
    case .move(let id, let other): queue.move(id, before: other)
    case .reorder(let order): queue.arrange(order)
    case .lookForEdited(let edited): intake.lookFor(edited)
    case .edit(let edited): queue.edit(edited)
    case .setStarted(let isStarted): queue.setStopped(!isStarted)
    case .setConcurrency(let count, let target): queue.control(.lanes(count, target: target))
    case .setLimit(let limit): queue.setLimit(limit)
    case .probe: queue.tryServers()
    case .listFolder(let path): answers.listFolder(path)
    case .listServer: answers.listServer()
    case .deleteOnServer(let rows): answers.deleteOnServer(rows)
    case .deleteUploaded(let files): answers.deleteUploaded(files)
    case .listHistory(let request): answers.listHistory(request)
    case .inspect(let id):
      answers.inspect(id)
      answers.readAttempts(id)
    case .readAttempts(let id): answers.readAttempts(id)
    case .copyAsCurl(let id): answers.copyAsCurl(id)
    case .confirm(let ids): queue.confirm(ids)
    case .unconfirm(let items): queue.unconfirm(items)
    case .writeLists(let lists): answers.write(lists)
    case .openURL(let url): programs.openURL(url)
    // Several processes may show the queue; only the sender notifies the user at the end, so that this happens once.
    case .notifyDesktop(let text): if queue.isSender { programs.notifyDesktop(text) }
    case .runEndCommand(let counts): if queue.isSender { programs.runEndCommand(counts) }
    case .notify(let text): loop.interface.notify(text)
    case .copy(let text): loop.interface.copy(text)
    case .bell: loop.interface.ring()
    case .redraw: loop.interface.redraw()
    case .suspend: loop.interface.suspend()
    case .quit(let leaving):
      queue.leave()
      loop.leave()
      leave?.resume(returning: leaving)
      leave = nil
    }
  }

  /// Called at the end of the input. Leaves when everything has been sent, including files that are still being found,
  /// but does not wait for files that another hoist sends.
  private func finishThenLeave() {
    intake.afterAll { [weak self] in
      guard let self else { return }
      let isAside = queue.isAside
      loop.handle([.perform(.close), isAside ? .perform(.quit) : .leaveWhenDone])
      // Say how to leave, since a server that is waited for may be unreachable for days.
      guard leave != nil else { return }
      let rest = isAside ? "the other hoist continues" : "unsent files stay queued"
      let ending = "hoist exits when everything is sent; ^c exits now, and \(rest)"
      let stopped = SharedQueue.stoppedWords(keeper.option)
      loop.handle([.message(queue.isStopped ? "\(stopped); \(ending)" : ending)])
    }
  }

  private func settleIntake() async -> Bool {
    await withCheckedContinuation { [intake] continuation in
      Thread.detachNewThread { continuation.resume(returning: intake.settle()) }
    }
  }

  /// Starts the process that continues, and hands over the right to send without a gap. Returns the number of the
  /// process; nil if it did not begin, in which case the queue is kept for the next hoist.
  private func goOnInBackground() -> pid_t? {
    guard let arguments = options.arguments, let lock = keeper.handOver() else { return nil }
    var settings = queue.settings
    // The successor learns from the queue whether it is stopped.
    (settings.isStarted, settings.isHandedOver) = (true, true)
    let handover = Handover(
      arguments: arguments, settings: settings, floor: queue.floor,
      refused: queue.refused.filter { queue.items.isBusy($0.key) })
    do throws(BackgroundSender.Failure) {
      return try BackgroundSender.start(handover, lock: lock)
    } catch {
      context.output.error("! cannot continue in the background: \(error.reason)")
      return nil
    }
  }
}
