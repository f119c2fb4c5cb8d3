import Dispatch
import Foundation
import Screens
import UploadEngine
import UploadModel
import UploadStore

/// Who sends what is in the queue: this session, or another process until it has gone.
extension ScreenSession {
  /// As many items as appear at once.
  nonisolated static let portion = 2_000

  /// Shows what is in the queue, and sends it unless another process does.
  func openQueue() {
    keeper.onTrouble { error in
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated { self?.handle([.held("\(error.brief); s goes on")]) }
      }
    }
    do {
      watch = try ChangeWatch(path: keeper.store.path) { [weak self] in self?.readExternalChanges()
      }
      if options.isFresh { floor = try keeper.store.lastID() }
      if try keeper.becomeSender() {
        startEngine()
        return load(recovering: true)
      }
      let holder = SenderLock.holder(queue: keeper.store.path).map { " (process \($0))" } ?? ""
      let words = "another hoist\(holder) sends this queue; what is added here goes to it"
      handle([.aside(true), .notice(words)])
      load()
    } catch {
      handle([.queueRead, .held(Self.brief(error))])
    }
  }

  /// Reads the queue beside the screen, in portions: the beginning of it is there at once, however
  /// long it is.
  ///
  /// - Parameter isSender: whether what the last sender left under way is to be put in order.
  private func load(recovering isSender: Bool = false) {
    let (keeper, store, book, floor) = (keeper, keeper.store, book, floor)
    // Commands may give the secrets of targets, and nobody waits for them with the store in hand.
    let lookups = DispatchQueue(label: "hoist.targets", qos: .userInitiated)
    intakeQueue.async { [weak self] in
      let result = Result {
        let recovery = isSender ? try keeper.recover { book.isRepeatable($0) } : nil
        let revision = try store.read(inPortionsOf: Self.portion) { items in
          let items = items.filter { $0.id > floor }
          guard !items.isEmpty else { return }
          lookups.async {
            book.lookUp(for: items)
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.show(items) } }
          }
        }
        return (revision, recovery?.words)
      }
      // What is added from now on comes behind all of it.
      lookups.sync {}
      DispatchQueue.main.async {
        MainActor.assumeIsolated {
          guard let self else { return }
          self.handle([.queueRead])
          switch result {
          case .success((let revision, let message)):
            self.revision = revision
            if let message { self.handle([.message(message)]) }
            // What was no news as long as not everything was known.
            self.readExternalChanges()
            if self.state.isAside { self.retryTakingOver() }
          case .failure(let error): self.handle([.held(Self.brief(error))])
          }
        }
      }
    }
  }

  /// Becomes the sender when the one that is has gone.
  private func retryTakingOver() {
    let keeper = keeper
    Thread.detachNewThread { [weak self] in
      let result = Result { try keeper.waitToSend() }
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.takeOver(result) } }
    }
  }

  /// Goes on where the other process has stopped.
  private func takeOver(_ result: Result<Void, any Error>) {
    guard !isLeaving else { return }
    do {
      try result.get()
      handle([.notice(options.notice)])
      // What the other has done last, and then what becomes of what it left. Once there is an engine,
      // that is no news any more; and without a turn in between, none of it is missed as our own.
      apply(try keeper.store.changes(since: revision))
      let recovery = try keeper.recover { [book] in book.isRepeatable($0) }
      var recovered = try keeper.store.changes(since: revision)
      // What is done leaves the queue with that. On the screen it stays to be looked at.
      recovered.removed = []
      apply(recovered)
      handle([.aside(false)])
      startEngine()
      engine?.submit(jobs(state.order.compactMap { items[$0] }).sendable)
      if let words = recovery.words { handle([.message(words)]) }
    } catch {
      handle([.held(Self.brief(error))])
    }
  }

  private func startEngine() {
    Thread.detachNewThread { TemporaryFolder.clearLeftovers() }
    let (keeper, secrets) = (keeper, book.secrets)
    let throttle = ChangeThrottle { [weak self] changes in
      guard let self else { return }
      // What leaving broke off stays in the queue. And nobody else breaks a file off but who takes it
      // out: where it is there all the same, it has been put back meanwhile.
      let changes = changes.map { id, state in
        (id, state.failure?.cause == .cancelled ? .waiting : state)
      }
      for (id, state) in changes {
        items[id]?.state = state
        if let item = items[id] { options.journal?.record(item) }
      }
      if !isLeaving { handle([.engine(changes, at: time.now())]) }
    }
    self.throttle = throttle
    let engine = UploadEngine(
      lanes: OpenFiles.lanes(atMost: UploadEngine.mostLanes), time: time, waitsForServers: true,
      admission: { keeper.admit($0) },
      mediaType: FileIntake.mediaType,
      outage: { [weak self] origin, news in
        DispatchQueue.main.async {
          MainActor.assumeIsolated {
            self?.handle([.reachability(server: origin.description, news)])
          }
        }
      },
      refusal: { [weak self] target, isRefused in
        DispatchQueue.main.async {
          MainActor.assumeIsolated {
            self?.handle([.refusal(target: target, isRefused: isRefused)])
          }
        }
      }
    ) { changes in
      let changes = secrets.hidden(in: changes)
      // Written before it is shown.
      keeper.write(changes)
      throttle.put(changes)
    }
    self.engine = engine
    engine.setLimit(state.rateLimit)
    for (target, count) in state.wishes { engine.setConcurrency(count, of: target) }
    engine.setStarted(state.isStarted)
  }
}

extension UploadStore.Recovery {
  /// What a person should know of it.
  fileprivate var words: String? {
    var parts: [String] = []
    if !interrupted.isEmpty {
      parts.append(
        "\(HumanReadable.count(interrupted.count, "upload")) had been interrupted, again from the start"
      )
    }
    if !unknown.isEmpty {
      parts.append(
        "\(HumanReadable.count(unknown.count, "upload")) may have arrived: look on the server")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
