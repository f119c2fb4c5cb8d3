import Foundation
import HTTPTransport
import MultipartForm
import Scheduling
import Synchronization
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// An engine and everything that it said, for tests that wait for a state and never for a time.
final class EngineHarness: Sendable {
  let engine: UploadEngine
  private let log: Log

  /// What the engine said, and who waits for what.
  private final class Log: Sendable {
    struct Content {
      var states: [ItemID: [ItemState]] = [:]
      var waiters:
        [(ready: @Sendable ([ItemID: [ItemState]]) -> Bool, CheckedContinuation<Void, Never>)] =
          []
      /// Who is under way, and the most that were at once.
      var active: Set<ItemID> = []
      var mostActive = 0
      /// What was said of targets' credentials.
      var refusals: [String] = []
      /// Of which targets it was said that a pace holds their files back, and of which that it does no longer.
      var paces: [String] = []
      /// What was said of servers.
      var reachability: [Reachability] = []
      /// Whether nobody waits any more.
      var isOver = false
    }
    let content = Mutex(Content())

    func record(_ changes: [(ItemID, ItemState)]) {
      let ready = content.withLock { content in
        for (id, state) in changes {
          content.states[id, default: []].append(state)
          if state.isActive { content.active.insert(id) } else { content.active.remove(id) }
          content.mostActive = max(content.mostActive, content.active.count)
        }
        let states = content.states
        let ready = content.waiters.filter { $0.ready(states) }
        content.waiters.removeAll { $0.ready(states) }
        return ready
      }
      ready.forEach { $0.1.resume() }
    }

    func end() {
      let waiters = content.withLock { content in
        content.isOver = true
        defer { content.waiters = [] }
        return content.waiters
      }
      waiters.forEach { $0.1.resume() }
    }
  }

  init(
    lanes: Int = 4, time: TimeSource = .system, session: UploadSession = .shared,
    waitsForServers: Bool = false, memory: (any ResumeMemory)? = nil,
    digests: (any DigestMemory)? = nil,
    preparesAhead: Bool = true,
    runReport: @escaping @Sendable (_ target: String, _ news: RunNews) -> Void = { _, _ in },
    keeping: @escaping @Sendable (_ item: ItemID, _ point: ResumePoint?) -> Void = { _, _ in }
  ) {
    let log = Log()
    self.log = log
    var hooks = EngineHooks()
    hooks.outage = { _, news in log.content.withLock { $0.reachability.append(news) } }
    hooks.refusal = { target, trouble in
      let words = "\(target) \(trouble?.words ?? "tried again")"
      log.content.withLock { $0.refusals.append(words) }
    }
    hooks.pace = { target, until in
      log.content.withLock { $0.paces.append("\(target) \(until == nil ? "goes on" : "waits")") }
    }
    (hooks.runReport, hooks.keeping) = (runReport, keeping)
    engine = UploadEngine(
      lanes: lanes, time: time, session: session, waitsForServers: waitsForServers, hooks: hooks,
      memory: memory, digests: digests, preparesAhead: preparesAhead
    ) {
      log.record($0)
    }
  }

  /// How many were under way at once, by what was said.
  var mostActive: Int { log.content.withLock { $0.mostActive } }

  /// What was said of targets' credentials, in order.
  var refusals: [String] { log.content.withLock { $0.refusals } }

  /// What was said of targets' paces, in order.
  var paces: [String] { log.content.withLock { $0.paces } }

  /// What was said of servers, in order.
  var reachability: [Reachability] { log.content.withLock { $0.reachability } }

  /// Returns once a server could not be reached and nothing is under way.
  func untilAway() async {
    await wait { states in
      states.values.contains { $0.contains { $0.isActive } }
        && states.values.allSatisfy { $0.last?.isActive != true }
    }
  }

  /// Every state that the item went through.
  func states(of id: ItemID) -> [ItemState] {
    log.content.withLock { $0.states[id] ?? [] }
  }

  /// Forgets what was said so far.
  func forget() { log.content.withLock { $0.states = [:] } }

  /// Returns once `condition` holds for what the engine has said, or the test's time is over.
  func wait(until condition: @escaping @Sendable ([ItemID: [ItemState]]) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = log.content.withLock { content in
          if content.isOver || condition(content.states) { return true }
          content.waiters.append((condition, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      log.end()
    }
  }

  /// The last state of each item once all of them are over.
  func finish(_ ids: [ItemID]) async -> [ItemState] {
    await wait { states in ids.allSatisfy { states[$0]?.last?.isFinished == true } }
    return ids.compactMap { states(of: $0).last }
  }

  /// Uploads files and returns how each ended, in order.
  func upload(_ paths: [String], to target: Target) async -> [ItemState] {
    let jobs = paths.enumerated().map { index, path in
      UploadJob(item: .file(path, id: Int64(index + 1)), target: target)
    }
    engine.submit(jobs)
    return await finish(jobs.map(\.item.id))
  }
}

extension UploadItem {
  /// An item for a file as it is now.
  static func file(_ path: String, id: Int64) -> UploadItem {
    let location = FileLocation(path)
    let identity = try? FileIdentity(of: location)
    return UploadItem(
      id: ItemID(id), location: location, size: identity?.size ?? 0, identity: identity)
  }
}

extension EngineHooks {
  /// Hooks that only keep the points where uploads can resume.
  static func keeping(
    _ keep: @escaping @Sendable (_ item: ItemID, _ point: ResumePoint?) -> Void
  ) -> EngineHooks {
    var hooks = EngineHooks()
    hooks.keeping = keep
    return hooks
  }
}

extension UploadSession {
  /// A session that waits for "100 Continue" until the server gets its turn on a busy machine.
  static let patient = UploadSession(expectPatience: 60)
}

extension Target {
  /// A target that tries once, so that a test sees the first cause, and takes as many files at once as
  /// there are lanes.
  static func once(_ url: URL, stallTimeout: Double = 120) -> Target {
    var target = Target(name: "test", url: url)
    target.concurrency = .fixed(UploadEngine.mostLanes)
    target.retry = RetryPolicy(attempts: 1)
    target.stallTimeout = stallTimeout
    return target
  }

  /// One attempt with a credential, at a server that may send uploads on to another.
  static func signed(
    for server: HostileServer, sendingOnTo other: HostileServer, _ mode: ResumeRules.Mode = .off
  ) -> Target {
    var target = once(server.url())
    target.resume.mode = mode
    target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer t"))]
    target.redirectOrigins = Set([Origin(other.url())].compactMap { $0 })
    return target
  }
}

extension ItemState {
  /// The failure's word for scripts, or the state's.
  var code: String {
    switch self {
    case .failed(let failure): failure.code
    case .done(let receipt): "done \(receipt.status)"
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused:
      "unfinished"
    }
  }
}

extension DispatchSemaphore {
  /// Waits without a thread of the pool that all tests share: it has as few as there are processors.
  func passed() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.wait()
        continuation.resume()
      }
    }
  }
}

/// A gate between a test and a server's script, so that things happen in an order and not at a time. Once it is
/// open, everybody passes.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
  func passed() async {
    await semaphore.passed()
    semaphore.signal()
  }
}
