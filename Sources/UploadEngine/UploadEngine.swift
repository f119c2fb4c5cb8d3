import Dispatch
import Foundation
import FoundationNetworking
import MultipartForm
import UploadModel

/// Runs uploads, several at once, on one Dispatch queue, and tells how they fare.
///
/// The engine executes; `JobMachine` decides. It knows neither who listens nor what is drawn. All
/// methods may be called from anywhere and take effect in the order of the calls.
public actor UploadEngine {
  /// Is told of every change, on the engine's queue. Progress comes at most ten times a second per
  /// item, everything else at once.
  public typealias Report = @Sendable (_ changes: [(ItemID, ItemState)]) -> Void

  /// The version that servers are told.
  public static let version = "0.1.0"

  /// The most uploads that run at once. URLSession must never be given more transfers for a host
  /// than it was told to expect.
  public static let mostLanes = 64

  struct Job {
    let upload: UploadJob
    var machine: JobMachine
    var task: Int?
    var timer: DispatchWorkItem?
    /// When its first attempt began.
    var begin: Moment?
    /// Whether it is to be forgotten as soon as its transfer is over.
    var isRemoved = false
  }

  /// A server's breaker, and who waits for it in the order of the line.
  struct Gate {
    var breaker: Breaker
    var waiting: [ItemID] = []
    var failure: Failure?
    /// Whether a timer will let the next one through.
    var isArmed = false
  }

  nonisolated let executor: QueueExecutor
  let time: TimeSource
  let report: Report
  let waitsForServers: Bool
  let delegate: SessionDelegate
  let session: URLSession

  var jobs: [ItemID: Job] = [:]
  var transfers: [Int: Transfer] = [:]
  var lanes: Lanes
  /// Servers that let a request with `Expect` wait in vain. They are not asked again.
  var deafToExpect: Set<Origin> = []
  var gates: [Origin: Gate] = [:]
  var isStarted = true
  var isPublishing = false
  var watchdog: DispatchSourceTimer?
  var lastLook = Moment(seconds: 0)
  var rateLimit: Int64?

  /// The queue on which everything here happens.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// An engine without work.
  ///
  /// - Parameters:
  ///   - lanes: how many uploads run at once, 1 to `mostLanes`.
  ///   - time: clocks and randomness; the system's unless a test needs others.
  ///   - waitsForServers: whether uploads wait for a server that cannot be reached, until each has
  ///     used up its own attempts as a probe. Otherwise they fail together once the server's breaker
  ///     has opened as often as the target allows attempts.
  ///   - report: is told of every change.
  public init(
    lanes: Int = 4, time: TimeSource = .system, waitsForServers: Bool = false,
    report: @escaping Report
  ) {
    CurlHook.install()
    executor = QueueExecutor(label: "hoist.engine")
    self.time = time
    self.report = report
    self.waitsForServers = waitsForServers
    self.lanes = Lanes(count: min(max(lanes, 1), Self.mostLanes))

    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = Self.mostLanes
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = executor.queue
    delegate = SessionDelegate(now: time.now)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    delegate.attach { [weak self] task, event in
      self?.assumeIsolated { $0.take(event, of: task) }
    }
  }

  // MARK: What one can ask for

  /// Puts uploads at the end of the line.
  public nonisolated func submit(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads where engine.jobs[upload.item.id] == nil {
        engine.jobs[upload.item.id] = Job(
          upload: upload, machine: JobMachine(target: upload.target))
        engine.lanes.queue(upload.item.id, atHead: false)
      }
      engine.fillLanes()
    }
  }

  /// Stops uploads for good; those that had not begun leave the line.
  public nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.cancel, for: $0) } }
  }

  /// Takes uploads out of the line until `retry`. What was sent of them is lost.
  public nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.pause, for: $0) } }
  }

  /// Sends failed, waiting-to-retry and paused uploads again. `replacing` brings what the queue
  /// knows of the files by now.
  public nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        let id = upload.item.id
        if let job = engine.jobs[id], job.task == nil {
          // One key for all attempts at the same upload.
          var upload = upload
          upload.uuid = job.upload.uuid
          engine.jobs[id] = Job(upload: upload, machine: job.machine, timer: job.timer)
          engine.letGo(of: upload.target)
          engine.handle(.retry, for: id)
        } else if engine.jobs[id] == nil {
          engine.submit([upload])
        }
      }
    }
  }

  /// Forgets uploads that are over, stopping them first if they are not.
  public nonisolated func remove(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        engine.handle(.cancel, for: id)
        if engine.jobs[id]?.task == nil {
          engine.jobs[id] = nil
        } else {
          engine.jobs[id]?.isRemoved = true
        }
      }
    }
  }

  /// Lets an upload that waits stand before another one that waits, or last.
  public nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.lanes.move(item, before: other)
      engine.moveAtGate(item, before: other)
    }
  }

  /// Changes how many uploads run at once. Those under way are not broken off.
  public nonisolated func setLanes(_ count: Int) {
    onQueue { engine in
      engine.lanes.count = min(max(count, 1), Self.mostLanes)
      engine.fillLanes()
    }
  }

  /// Bounds what all uploads of the process send together, in bytes a second; nil for no bound.
  /// Takes effect at once, also for those under way.
  public nonisolated func setLimit(_ bytesPerSecond: Int64?) {
    onQueue { $0.rateLimit = bytesPerSecond }
    CurlHook.limit(bytesPerSecond)
  }

  /// Holds or lets go the start of further uploads.
  public nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      engine.isStarted = isStarted
      engine.fillLanes()
    }
  }

  /// Breaks everything off and ends the session. The engine takes no more work.
  public func shutDown() {
    isStarted = false
    for id in jobs.keys { handle(.cancel, for: id) }
    session.invalidateAndCancel()
  }

  private nonisolated func onQueue(_ work: @escaping @Sendable (isolated UploadEngine) -> Void) {
    executor.queue.async { self.assumeIsolated { work($0) } }
  }

  // MARK: Deciding

  func fillLanes() {
    while isStarted, let id = lanes.next() {
      if mayStart(id) {
        handle(.start, for: id)
      } else {
        lanes.leave(id)
      }
    }
  }

  func handle(_ event: JobMachine.Event, for id: ItemID) {
    guard let actions = jobs[id]?.machine.handle(event) else { return }
    for action in actions { perform(action, for: id) }
  }

  func perform(_ action: JobMachine.Action, for id: ItemID) {
    switch action {
    case .send(let url, let attempt, let keepsCredentials):
      send(id, to: url, attempt: attempt, keepsCredentials: keepsCredentials)
    case .breakOff:
      guard let task = jobs[id]?.task else { return }
      transfers[task]?.isStopped = true
      transfers[task]?.task.cancel()
    case .leaveLane:
      lanes.leave(id)
      if jobs[id]?.isRemoved == true { jobs[id] = nil }
      // Not from inside: a file that fails at once would recurse through the whole line.
      onQueue { $0.fillLanes() }
    case .startTimer(let seconds):
      let timer = DispatchWorkItem { [weak self] in
        self?.assumeIsolated { $0.handle(.timerFired, for: id) }
      }
      jobs[id]?.timer = timer
      executor.queue.asyncAfter(deadline: .now() + seconds, execute: timer)
    case .queue(let atHead):
      stopTimer(of: id)
      lanes.queue(id, atHead: atHead)
      fillLanes()
    case .unqueue:
      stopTimer(of: id)
      leaveGate(id, wasInLine: lanes.unqueue(id))
    case .report(let state):
      report([(id, state)])
    }
  }

  func stopTimer(of id: ItemID) {
    jobs[id]?.timer?.cancel()
    jobs[id]?.timer = nil
  }
}
