import Dispatch
import Foundation
import MultipartForm
import Screens
import Settings
import Terminal
import UploadEngine
import UploadModel

/// Ties the screen to the engine: events into `reduce`, effects out of it, frames to the terminal.
/// It has no rules of its own.
@MainActor
final class ScreenSession {
  private let target: Target
  private let home: String
  private let time = TimeSource.system
  private let terminal: Terminal
  private let intake = FileIntake()
  private let intakeQueue = DispatchQueue(label: "hoist.intake", qos: .userInitiated)
  private var engine: UploadEngine?
  private var state: AppState
  private var items: [ItemID: UploadItem] = [:]
  /// What is no longer on the screen and yet was sent, or was not.
  private var removed = (sent: 0, unsent: 0)
  private var clock: (any DispatchSourceTimer)?
  private var leave: CheckedContinuation<Leaving, Never>?

  /// Takes the terminal over.
  ///
  /// - Parameter notice: a line that the screen shows all the time.
  init(target: Target, home: String, isASCII: Bool, notice: String? = nil) throws {
    self.target = target
    self.home = home
    do {
      terminal = try Terminal()
    } catch {
      throw UserError("\(error); hoist push uploads without a screen")
    }
    state = AppState(
      target: target.name, url: TargetURL.shown(target.url), lanes: target.concurrency,
      rateLimit: target.rateLimit, isASCII: isASCII || !terminal.isUTF8,
      size: terminal.size, now: time.now(), notice: notice)
  }

  /// Shows the screen until the person leaves it.
  func run(files: [String]) async -> ExitStatus {
    let mailbox = Mailbox { [weak self] changes in
      guard let self else { return }
      for (id, state) in changes { items[id]?.state = state }
      take([.engine(changes, at: time.now())])
    }
    let engine = UploadEngine(
      lanes: target.concurrency, time: time, waitsForServers: true
    ) { mailbox.put($0) }
    self.engine = engine
    engine.setLimit(target.rateLimit)
    terminal.onEvents = { [weak self] in self?.take($0) }
    terminal.draw(render(state, size: terminal.size))
    if !files.isEmpty { add(files) { [home] in Arguments.files($0, home: home) } }

    let leaving = await withCheckedContinuation { leave = $0 }
    clock?.cancel()
    terminal.restore()
    if leaving != .forced { await engine.shutDown() }
    let status = report()
    return leaving == .forced && status != .success ? .interrupted : status
  }

  // MARK: Events and effects

  private func take(_ events: [AppEvent]) {
    for event in events {
      for effect in reduce(&state, event) { perform(effect) }
    }
    keepTime()
    terminal.draw(render(state, size: terminal.size))
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .add(let paths):
      add(paths) { [home] path in
        switch path {
        case .typed(let text): TypedPath(text: text, home: home).files
        case .exact(let text): [FileLocation(text)]
        }
      }
    case .complete(let text): complete(text)
    case .retry(let ids), .resume(let ids): retry(ids)
    case .pause(let ids): engine?.pause(ids)
    case .remove(let ids):
      engine?.remove(ids)
      for id in ids {
        guard let item = items.removeValue(forKey: id) else { continue }
        if case .done = item.state { removed.sent += 1 } else { removed.unsent += 1 }
      }
    case .move(let id, let other): engine?.move(id, before: other)
    case .setStarted(let isStarted): engine?.setStarted(isStarted)
    case .setLanes(let count): engine?.setLanes(count)
    case .setLimit(let limit): engine?.setLimit(limit)
    case .bell: terminal.ring()
    case .redraw: terminal.redraw()
    case .suspend: terminal.suspend()
    case .quit(let leaving):
      leave?.resume(returning: leaving)
      leave = nil
    }
  }

  private func add<Path: Sendable>(
    _ paths: [Path], finding files: @escaping @Sendable (Path) -> [FileLocation]
  ) {
    let intake = intake
    intakeQueue.async {
      let items = paths.flatMap(files).map { intake.item(at: $0) }
      DispatchQueue.main.async { MainActor.assumeIsolated { self.queue(items) } }
    }
  }

  private func queue(_ added: [UploadItem]) {
    for item in added { items[item.id] = item }
    take([.added(added)])
    engine?.submit(
      added.filter { !$0.state.isFinished }.map { UploadJob(item: $0, target: target) })
  }

  private func complete(_ text: String) {
    let path = TypedPath(text: text, home: home)
    intakeQueue.async {
      let found = path.completions
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self.take([.completions(for: text, found)]) }
      }
    }
  }

  /// Sends files again as they are now.
  private func retry(_ ids: [ItemID]) {
    let (intake, known) = (intake, ids.compactMap { items[$0] })
    intakeQueue.async {
      let looked = known.map(intake.look)
      DispatchQueue.main.async { MainActor.assumeIsolated { self.send(again: looked) } }
    }
  }

  private func send(again looked: [UploadItem]) {
    var jobs: [UploadJob] = []
    // Whoever was removed meanwhile stays away.
    let looked = looked.filter { items[$0.id] != nil }
    for item in looked {
      items[item.id] = item
      if !item.state.isFinished { jobs.append(UploadJob(item: item, target: target)) }
    }
    take([.added(looked)])
    engine?.retry(jobs)
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
          self.take([.tick(self.time.now())])
        }
      }
      timer.activate()
      clock = timer
    }
  }

  // MARK: Leaving

  /// What is left to say when the screen is gone.
  private func report() -> ExitStatus {
    let all = items.values.sorted { $0.id < $1.id }
    guard !all.isEmpty || removed != (0, 0) else { return .success }
    let shown = all.count { if case .done = $0.state { true } else { false } }
    for item in all {
      let name = SafeText.line(item.location.description)
      if case .failed(let failure) = item.state {
        Output.error("✗ \(name): \(failure.headline)")
      } else if case .awaitingReply = item.state {
        Output.error("? \(name): outcome unknown; look on the server before you send it again")
      } else if !item.state.isFinished {
        Output.error("· \(name): not sent")
      }
    }
    // What the person took out is no failure, and what was cleared was sent all the same.
    let (sent, total) = (shown + removed.sent, all.count + removed.sent)
    let taken = removed.unsent > 0 ? "; \(removed.unsent) removed" : ""
    Output.error("\(sent) of \(Wording.count(total, "file")) sent\(taken)")
    return sent == total ? .success : .someFailed
  }
}
