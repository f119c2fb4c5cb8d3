import Dispatch
import Foundation
import HTTPTransport
import MultipartForm
import Synchronization
import UploadModel

/// Runs several uploads at once on one Dispatch queue, and reports their states.
///
/// The engine executes: `Scheduler` decides what is sent next, and `JobMachine` what becomes of it. The engine knows
/// nothing about its listeners. All methods can be called from anywhere and take effect in the order of the calls.
package actor UploadEngine {
  /// Called with every change, in order, on the engine's queue. Progress is reported at most forty times a
  /// second per item, everything else at once.
  package typealias Report = @Sendable (_ changes: [(ItemID, ItemState)]) -> Void

  /// Called on the engine's queue before the first byte of the uploads is sent. Returns those that may start; the
  /// others are forgotten. Nil stops everything until `setStarted(true)`.
  package typealias Admission = @Sendable (_ items: [ItemID]) -> Set<ItemID>?

  /// Called on the engine's queue when a server cannot be reached, and when it can again.
  package typealias Outage = @Sendable (_ server: Origin, _ news: Reachability) -> Void

  /// Called on the engine's queue when a target's credentials are refused, so that its uploads wait, and when
  /// they are tried again.
  package typealias Refusal = @Sendable (_ target: String, _ isRefused: Bool) -> Void

  /// The most uploads that run at once.
  package static let mostLanes = Target.concurrencyRange.upperBound

  nonisolated let executor: QueueExecutor
  let time: TimeSource
  private let report: Report
  private var news: [(ItemID, ItemState)] = []
  let admission: Admission
  let outage: Outage
  let refusal: Refusal
  let keeping: Keeping
  let waitsForServers: Bool
  let session: UploadSession
  /// News of tasks that the engine has not handled yet, with what was read in replies.
  nonisolated let inbox = Mutex(Inbox())
  /// Requests that wait for a lane, in order.
  nonisolated let ahead = Mutex<[RequestAhead]>([])
  let preparesAhead: Bool
  /// Reads replies, so that keys and signals need not wait: they go through the engine's own queue.
  nonisolated let replyQueue = DispatchQueue(label: "hoist.replies", qos: .userInitiated)

  var jobs: [ItemID: Job] = [:]
  var transfers: [Int: Transfer] = [:]
  var steps: [Int: Step] = [:]
  var lastStep = 0
  /// What has been prepared for the attempts under way.
  var ready: [ItemID: PreparedUpload] = [:]
  let mediaType: @Sendable (FileLocation) -> String?
  var scheduler: Scheduler
  let tokenSource: TokenSource
  /// The token in force on each route.
  var tokens: [Route: BearerToken] = [:]
  /// What is known of servers that take resumable uploads.
  var resumeServers: [Route: ResumeServer] = [:]
  /// Routes already looked up in `memory`, where a lookup may have to wait for another process's write.
  var askedMemory: Set<Route> = []
  /// Routes whose server is known only from an earlier run, not confirmed by an upload of this one.
  var recalled: Set<Route> = []
  let memory: (any ResumeMemory)?
  /// Uploads that would send more pieces at once.
  var widening: Set<ItemID> = []
  /// When the scheduler is asked again at the latest.
  var wakeUp: Instant?
  /// Servers that did not answer `Expect: 100-continue`. It is not sent to them again.
  var deafToExpect: Set<Origin> = []
  /// Whether the lanes are to be filled.
  var isFilling = false
  /// Whether `inOneTurn` is running. It fills the lanes and reports when it ends.
  var isInTurn = false
  var sentAddresses = SentAddresses()
  /// Uploads that wait for another attempt and hold their files open.
  var waitingFiles: Set<ItemID> = []
  var watchdog: TimeSource.Timer?
  /// Resumed once nothing is under way.
  var whenIdle: CheckedContinuation<Void, Never>?
  /// The limit on the total, and those of targets by name.
  nonisolated let totalLimit: BandwidthLimit
  var targetLimits: [String: BandwidthLimit] = [:]

  /// The queue on which everything here happens.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates an engine without work.
  ///
  /// - Parameters:
  ///   - lanes: how many requests may be under way at once in all, 1 to `mostLanes`. Each target also has its
  ///     own limit.
  ///   - time: clocks and randomness; the system's unless a test needs others.
  ///   - transport: what carries the requests; the process's own unless a test needs another.
  ///   - waitsForServers: whether uploads wait for a server that cannot be reached, however long it takes, and
  ///     attempts that did not reach it do not count. Otherwise they fail together once the server's
  ///     breaker has opened as often as the target allows attempts.
  ///   - waitsForPerson: whether uploads wait for `retry` instead of failing when their credentials are refused;
  ///     by default the same as `waitsForServers`.
  ///   - admission: decides which uploads may start; by default all of them.
  ///   - mediaType: guesses the type of a file that a target's command has made; nil keeps the
  ///     original's.
  ///   - outage: called for servers that cannot be reached.
  ///   - refusal: called for targets whose credentials are refused.
  ///   - keeping: called with the points where uploads can resume.
  ///   - memory: remembers which protocol a server speaks if the target leaves that open.
  ///   - tokens: where tokens come from; may be shared with clients that send other requests to the same servers.
  ///   - preparesAhead: whether a lane's next request is prepared before the last one ends. That keeps the lanes
  ///     fuller with small files; in return, uploads are admitted some time before they begin.
  ///   - report: called with every change.
  package init(
    lanes: Int = mostLanes, time: TimeSource = .system, session: UploadSession = .shared,
    waitsForServers: Bool = false, waitsForPerson: Bool? = nil,
    admission: @escaping Admission = { Set($0) },
    mediaType: @escaping @Sendable (FileLocation) -> String? = { _ in nil },
    outage: @escaping Outage = { _, _ in },
    refusal: @escaping Refusal = { _, _ in },
    keeping: @escaping Keeping = { _, _ in },
    memory: (any ResumeMemory)? = nil, tokens: TokenSource = TokenSource(),
    preparesAhead: Bool = false,
    report: @escaping Report
  ) {
    executor = QueueExecutor(label: "hoist.engine")
    self.session = session
    totalLimit = session.makeLimit()
    self.time = time
    self.report = report
    self.admission = admission
    self.outage = outage
    self.refusal = refusal
    self.keeping = keeping
    self.memory = memory
    tokenSource = tokens
    self.preparesAhead = preparesAhead
    self.waitsForServers = waitsForServers
    self.mediaType = mediaType
    scheduler = Scheduler(
      lanes: min(max(lanes, 1), Self.mostLanes), waitsForServers: waitsForServers,
      waitsForPerson: waitsForPerson)
  }

  /// Loads what the first request needs. Call it while waiting for something else.
  package static func prepare() { _ = UploadSession.shared }

  nonisolated func onQueue(_ work: @escaping @Sendable (isolated UploadEngine) -> Void) {
    executor.queue.async { self.assumeIsolated { work($0) } }
  }

  /// Reports all changes of one turn of the queue together.
  func tell(_ changes: [(ItemID, ItemState)]) {
    guard !changes.isEmpty else { return }
    news += changes
    guard news.count == changes.count, !isInTurn else { return }
    onQueue { $0.deliverNews() }
  }

  /// Handles several events, then fills the lanes and reports once. With small files, a block on the queue for each
  /// would cost too much.
  func inOneTurn(_ work: () -> Void) {
    isInTurn = true
    work()
    if isFilling { fill() }
    isInTurn = false
    deliverNews()
    // Uploads that failed while the lanes were being filled have left room.
    if isFilling { onQueue { $0.fill() } }
  }

  func deliverNews() {
    guard !news.isEmpty else { return }
    let told = news
    news = []
    report(told)
  }

  // MARK: Deciding

  func handle(_ event: JobMachine.Event, for id: ItemID) { handle([(id, event)]) }

  /// Feeds events to the job machines and performs their actions. Uploads that start together and go to the
  /// same address are sent in one request.
  func handle(_ events: [(ItemID, JobMachine.Event)]) {
    var sent: [ItemID] = []
    var how: (url: URL, attempt: Int, keepsCredentials: Bool)?
    for (id, event) in events {
      guard let job = jobs[id] else { continue }
      let before = job.machine.state
      let actions = job.machine.handle(event, for: job.upload.target)
      for action in actions {
        if case .send(let url, let attempt, let keepsCredentials) = action {
          sent.append(id)
          how = (url, attempt, keepsCredentials)
        } else {
          perform(action, for: id)
        }
      }
      place(id, job, from: before)
    }
    guard let how else { return }
    send(sent, to: how.url, attempt: how.attempt, keepsCredentials: how.keepsCredentials)
  }

  private func perform(_ action: JobMachine.Action, for id: ItemID) {
    switch action {
    case .send: break
    case .breakOff:
      for task in jobs[id]?.tasks ?? [] {
        stopStep(task)
        transfers[task]?.recordStopped(id)
        if transfers[task]?.mayBreakOff == true { transfers[task]?.task.cancel() }
      }
    case .startTimer(let seconds):
      jobs[id]?.timer = time.after(seconds, executor.queue) { [weak self] in
        self?.assumeIsolated { $0.handle(.timerFired, for: id) }
      }
    case .report(let state):
      if scheduler.isAhead(id), state.isWaitingOrPreparing { return }
      if let job = jobs[id], job.successor != nil {
        // The restored upload replaces this one if it never arrived. If it has arrived, or may have, that is
        // reported, and nothing is sent again.
        guard state.isFinished, state.failure?.cause != .cancelled else { return }
        job.successor = nil
      }
      tell([(id, jobs[id]?.token?.secrets.hidden(in: state) ?? state)])
    }
  }

  func stopTimer(of id: ItemID) {
    jobs[id]?.timer?.cancel()
    jobs[id]?.timer = nil
  }
}
