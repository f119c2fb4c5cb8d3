import Dispatch
import Foundation
import ProcessContext
import Queue
import Scheduling
import UploadEngine
import UploadModel

/// Sends a queue with nobody there to answer: `hoist send`, and the process in the background. It holds the items,
/// prints what becomes of them, and ends when nothing is left, or if it stays, when it is told to.
@MainActor
package final class SendSession: QueueHolder {
  package struct Options {
    /// The settings for all uploads.
    package var settings = SenderSettings()
    /// Whether the limit that the user set in an earlier session holds.
    package var keepsLimit = true
    /// The last item that does not belong to this session, if another session has handed over the queue.
    package var floor = ItemID(0)
    /// Whether the session continues when the queue is empty.
    package var stays = false
    /// Whether the session goes on for a screen that the user has left.
    package var goesOn = false
    /// The targets that refused the credentials of that screen.
    package var refused: [String: CredentialTrouble] = [:]
    package var journal: Journal?
    package var preferences = ScreenPreferences()

    package init() {}

    /// What concerns the queue.
    fileprivate var ofQueue: SharedQueue.Options {
      var queue = SharedQueue.Options()
      (queue.settings, queue.keepsLimit, queue.floor) = (settings, keepsLimit, floor)
      (queue.isAlone, queue.stays, queue.goesOn) = (true, stays, goesOn)
      queue.refused = refused
      queue.lanes = OpenFiles.lanes(atMost: UploadEngine.mostLanes)
      return queue
    }
  }

  /// What must finish before the session ends.
  private enum Finishing {
    /// Everything in the queue.
    case queue
    /// Only the items under way, because the queue was stopped.
    case underWay
  }

  private let book: TargetCatalog
  private let keeper: QueueRecorder
  private let context: Context
  private let options: Options
  private var state = QueueState(isReading: true)
  /// The queue, which holds this session in turn; nil before it begins.
  private weak var queue: SharedQueue?
  private lazy var programs = SessionPrograms(
    environment: context.environment, endCommand: options.preferences.endCommand,
    notify: { [context] in context.output.line($0) },
    say: { [context] in context.output.error("hoist: \($0)") })
  /// Nil until the queue has been read, and if the session stays.
  private var finishing: Finishing?
  /// Whether what follows from the last news is about to be done.
  private var isDue = false
  /// Whether everything is done but perhaps the requests that end runs.
  private var awaitsRuns = false
  /// Whether a signal has asked the session to end.
  private var wasStopped = false
  /// Whether the session is over but for what is under way.
  private var isClosing = false
  /// The lines about files that were not sent, and what can be done about their failures, as printed so far.
  private var told: [ItemID: String] = [:]
  /// The folder that relative paths start from.
  private let folder = FileManager.default.currentDirectoryPath
  private var explained: Set<String> = []
  /// Continues `run` once the session is over; nil before and after that.
  private var over: CheckedContinuation<Void, Never>?

  package init(book: TargetCatalog, keeper: QueueRecorder, context: Context, options: Options) {
    (self.book, self.keeper, self.context, self.options) = (book, keeper, context, options)
    _ = state.receive(.settings(options.settings), at: context.time.now())
  }

  private func sharedQueue() -> SharedQueue {
    let aside = SideQueues()
    return SharedQueue(
      keeper, for: self, observers: options.journal.map { [QueueJournal($0, of: self)] } ?? [],
      with: SharedQueue.Tools(
        sending: Conductor.Tools(
          book: book, time: context.time, mediaType: FileIntake.mediaType),
        environment: context.environment,
        reading: aside.intake, lookups: aside.answers, look: FileIntake().look),
      options: options.ofQueue)
  }

  package var items: ItemList { state.items }
  package var speeds: Speeds { state.speeds }

  /// How many seconds the command for the end has to say that it cannot run.
  private static let patience = 2.0

  /// Returns the exit status once the session is over.
  package func run() async -> ExitStatus {
    let signals = context.signals([SIGTERM, SIGHUP, SIGINT])
    let interrupts = signals.stream
    let listener = Task { [weak self] in for await _ in interrupts { self?.stop() } }
    let queue = sharedQueue()
    self.queue = queue
    await withCheckedContinuation { continuation in
      over = continuation
      queue.open()
    }
    let wasStopped = wasStopped
    isClosing = true
    await programs.settle(within: Self.patience)
    await queue.close(isForced: false, sayingWhyOn: context.output)
    listener.cancel()
    let report = printReport(on: queue)
    withExtendedLifetime(signals) {}
    // Files that are left will be sent next time, so they do not count as failures.
    if options.stays { return report.hasFailures ? .someFailed : .success }
    return wasStopped ? .interrupted : report.status
  }

  package func receive(_ news: [QueueNews]) {
    let now = context.time.now()
    var isAtTheEnd = false
    context.output.together {
      for news in news {
        if case .notice(let words?, _) = news, words != state.notice { say(Remark(words)) }
        let (wasBusy, wasAtTheEnd) = (state.items.totals.busy > 0, state.isAtTheEnd)
        switch news {
        case .removed(let ids): forgetTold(ids)
        // What is sent once more is told once more.
        case .added(let items): forgetTold(items.lazy.filter { !$0.state.isFinished }.map(\.id))
        case .changed(let changes, _): changes.forEach(tell)
        default: break
        }
        state.receive(news, at: now).forEach(say)
        switch news {
        case .changed where wasBusy && state.isAtTheEnd: isAtTheEnd = true
        // The removed files were the last that were left to send.
        case .removed where !wasAtTheEnd && state.isAtTheEnd && state.hasEndToAnnounce:
          isAtTheEnd = true
        default: break
        }
      }
    }
    if isAtTheEnd { announceEnd() }
    guard over != nil, !state.isReading, !isDue else { return }
    isDue = true
    // Not within this call, which is a part of what the queue is doing.
    onMain {
      self.isDue = false
      self.goOn()
    }
  }

  private func say(_ remark: Remark) {
    // Only the ends of files are reported, not how they began.
    guard over != nil, remark.tone != .step else { return }
    // These have been told.
    if remark.end?.isProblem == true { return }
    let sign = remark.sign.map { "\($0) " } ?? ""
    let how = remark.trouble == nil ? "" : " and retry (hoist queue retry\(keeper.option))"
    context.output.line(sign + SafeText.line(remark.text + how))
  }

  /// Prints what became of a file that was not sent, or perhaps not, as `push` does, and what can be done about it,
  /// once for all files that failed for the same reason.
  private func tell(_ id: ItemID, _ state: ItemState) {
    if state == .waiting { told[id] = nil }
    // One that looks on may hear late how a file got to an end that it knows, and then of the end once more.
    guard over != nil, state.isFinished, let item = items.item(id)?.with(state),
      let line = SessionReport.end(of: item, in: folder)
    else { return }
    guard told.updateValue(line, forKey: id) != line else { return }
    context.output.error(line)
    // What can be done about names that are taken is said at the end.
    guard case .failed(let failure) = state, failure.cause != .cancelled, !failure.isNotTried,
      failure.taken == nil
    else { return }
    let explanation = SafeText.line(failure.explanationBelowHeadline)
    if explained.count == Self.mostExplained { explained = [] }
    if explained.insert(explanation).inserted { context.output.error("  \(explanation)") }
  }

  private func forgetTold(_ ids: some Sequence<ItemID>) {
    if told.isEmpty { return }
    for id in ids { told[id] = nil }
  }

  /// How many explanations are remembered.
  private static let mostExplained = 1_000

  private func announceEnd() {
    state.noteEndAnnounced()
    // Several processes may follow the queue; only the sender notifies the user at the end, so that this happens once.
    guard over != nil, queue?.isSender == true else { return }
    programs.announceEnd(state.items.sessionTotals, by: options.preferences.screen.endSignal)
  }

  /// Does what a person would do once the queue has been read: clears files that were sent if the session stays, and
  /// otherwise leaves when everything is done.
  private func goOn() {
    guard over != nil else { return }
    if options.stays { return forgetSent() }
    if finishing == nil {
      finishing = state.settings.isStarted || state.isAside ? .queue : .underWay
      if !isDone { sayHowToEnd() }
    }
    if isDone, !awaitsRuns { leaveWithRuns() }
  }

  /// Leaves once it is known how the runs ended, unless more is to be sent by then.
  private func leaveWithRuns() {
    awaitsRuns = true
    queue?.afterRuns { [weak self] in
      guard let self else { return }
      awaitsRuns = false
      if isDone { leave() }
    }
  }

  private var isDone: Bool {
    let totals = state.items.totals
    if finishing == .underWay { return totals.active == 0 }
    // A person who starts a hoist finds in the queue what waits for credentials.
    return totals.busy == 0 || options.goesOn && state.isHeldBackByCredentials(book.current.name)
  }

  /// A process that runs for months must not keep every file in memory. The history keeps those that were sent. Doubtful
  /// ones stay until a person has looked at them.
  private func forgetSent() {
    let totals = state.items.totals
    guard totals.busy == 0, totals.done > totals.doubtful else { return }
    let sent = state.items.items.lazy.filter(\.state.isSettled).map(\.id)
    let ids = Array(sent)
    forgetTold(ids)
    state.forget(Set(ids))
    queue?.remove(ids, begun: [])
  }

  /// A server that is waited for may be unreachable for days.
  private func sayHowToEnd() {
    let rest = state.isAside ? "the other hoist continues" : "unsent files stay queued"
    let ending = "hoist exits when everything is sent; ^c exits now, and \(rest)"
    let stopped = SharedQueue.stoppedWords(keeper.option)
    say(Remark(queue?.isStopped == true ? "\(stopped); \(ending)" : ending))
  }

  /// Ends the session. A signal that comes while it is ending ends it at once.
  private func stop() {
    if let queue, wasStopped || isClosing {
      printReport(on: queue)
      context.exit(.interrupted)
    }
    wasStopped = true
    leave()
  }

  /// Writes the results that are not in the queue's file yet, and prints what has become of the queue.
  @discardableResult
  private func printReport(on queue: SharedQueue) -> SessionReport {
    let report = SessionReport(
      queue, unwritten: keeper.settle(), queueOption: keeper.option, successor: nil, told: told)
    for line in report.lines { context.output.error(line) }
    return report
  }

  private func leave() {
    queue?.leave()
    over.take()?.resume()
  }
}
