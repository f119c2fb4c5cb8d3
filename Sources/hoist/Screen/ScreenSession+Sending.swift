import Dispatch
import Foundation
import Screens
import UploadEngine
import UploadModel
import UploadStore

/// Who sends the queue: this session, or another process until that has gone.
extension ScreenSession {
  /// Shows what is in the queue, and sends it unless another process does.
  func openQueue() {
    keeper.onTrouble { error in
      onMain { [weak self] in self?.handle([.held("\(error.brief); s goes on")]) }
    }
    do {
      watch = try ChangeWatch(path: keeper.store.path) { [weak self] in self?.readExternalChanges()
      }
      learn(isStopped: try keeper.store.isStopped())
      if options.isFresh { floor = try keeper.store.lastID() }
      if try keeper.becomeSender() {
        startEngine()
        return load(recovering: true)
      }
      handle([.aside(true)])
      nameSender()
      lookOn()
      load()
    } catch {
      handle([.queueRead])
      hold(error)
    }
  }

  /// The queue cannot be used, so nothing begins. A caller that waits for the end learns this from the exit status.
  private func hold(_ error: any Error) {
    isUnusable = true
    handle([.held(Self.brief(error))])
  }

  /// Reads the queue in the background and in portions, so that its beginning appears at once however long it
  /// is.
  ///
  /// - Parameter isSender: whether what the last sender left under way is to be put in order.
  private func load(recovering isSender: Bool = false) {
    let (keeper, store, book, floor) = (keeper, keeper.store, book, floor)
    // Commands may supply the secrets of targets. Do not wait for them during a transaction.
    let lookups = DispatchQueue(label: "hoist.targets", qos: .userInitiated)
    intakeQueue.async { [weak self] in
      let result = Result {
        let recovery = isSender ? try keeper.recover { book.isRepeatable($0) } : nil
        let revision = try store.read(inPortionsOf: QueueIntake.portion) { items in
          let items = items.filter { $0.id > floor }
          guard !items.isEmpty else { return }
          lookups.async {
            book.lookUp(for: items)
            onMain { self?.show(items) }
          }
        }
        return (revision, recovery?.words)
      }
      var last = HistoryQuery()
      last.limit = 1
      let hasHistory = (try? store.history(last).isEmpty) == false
      // Items that are added from now on come after all of these.
      lookups.sync {}
      onMain {
        guard let self else { return }
        self.state.options.hasHistory = hasHistory
        self.handle([.queueRead])
        switch result {
        case .success((let revision, let message)):
          (self.revision, self.heardSince) = (revision, revision)
          if let message { self.handle([.message(message)]) }
          // Read the changes that were ignored until the queue had been read.
          self.readExternalChanges()
          if self.state.isAside { self.retryTakingOver() }
        case .failure(let error): self.hold(error)
        }
      }
    }
  }

  /// Becomes the sender when the current one has gone.
  private func retryTakingOver() {
    let keeper = keeper
    Thread.detachNewThread { [weak self] in
      let result = Result { try keeper.waitToSend() }
      onMain { self?.takeOver(result) }
    }
  }

  /// Continues where the other process has stopped.
  private func takeOver(_ result: Result<Void, any Error>) {
    guard !isLeaving else { return }
    do {
      try result.get()
      // It forgets the other process, which may not be known to have gone yet, before the notice goes that names it.
      link.stop()
      handle([.notice(options.notice)])
      // Whether the user has stopped the queue is recorded in the queue itself, not in either session.
      isStopped = try keeper.store.isStopped()
      ownSettings.isStarted = !isStopped
      show(ownSettings)
      // First apply the last changes of the other process, then recover what it left under way. Both happen
      // before the engine exists and without a suspension in between, so that no change is mistaken for our
      // own.
      apply(try keeper.store.changes(since: revision))
      let recovery = try keeper.recover { [book] in book.isRepeatable($0) }
      var recovered = try keeper.store.changes(since: revision)
      // Recovery removes finished items from the queue. They stay on the screen.
      recovered.removed = []
      apply(recovered)
      handle([.aside(false)])
      startEngine()
      let (sendable, shown) = jobs(Array(state.items))
      // Items whose targets only the other process knew.
      let failed = shown.filter { $0.state != state.item($0.id)?.state }
      if !failed.isEmpty { handle([.added(failed)]) }
      engine?.submit(sendable)
      if let words = recovery.words { handle([.message(words)]) }
    } catch {
      hold(error)
    }
  }

  /// Shows what the engine has done, and reports it to others.
  private func record(_ changes: [(ItemID, ItemState)]) {
    // Uploads that are broken off on leaving stay in the queue. Otherwise only a removal cancels an upload; if the
    // item is still there, it has been restored meanwhile.
    let changes = changes.map { id, state in
      (id, state.failure?.cause == .cancelled ? .waiting : state)
    }
    link.tell(changes.map { .item(id: $0, state: $1) })
    if let journal = options.journal {
      for (id, state) in changes {
        if let item = self.state.item(id) { journal.record(item.with(state)) }
      }
    }
    let news = AppEvent.engine(changes, at: time.now())
    // Once the screen has been left, only the report at the end needs it.
    if isLeaving { _ = reduce(&state, news) } else { handle([news]) }
  }

  private func startEngine() {
    Thread.detachNewThread { TemporaryFolder.clearLeftovers() }
    let (keeper, secrets) = (keeper, book.secrets)
    let throttle = ChangeBuffer(everyMilliseconds: 100, on: .main, isMerging: true) {
      [weak self] changes in MainActor.assumeIsolated { self?.record(changes) }
    }
    self.throttle = throttle
    let engine = UploadEngine(
      lanes: OpenFiles.lanes(atMost: UploadEngine.mostLanes), time: time, waitsForServers: true,
      waitsForPerson: (interface as? PlainInterface)?.isAlone != true,
      admission: { keeper.admit($0) },
      mediaType: FileIntake.mediaType,
      outage: { [weak self] origin, news in
        onMain {
          self?.link.tell([.server(address: origin.description, news: news)])
          self?.handle([.reachability(server: origin.description, news)])
        }
      },
      refusal: { [weak self] target, isRefused in
        onMain {
          self?.link.tell([.refusal(target: target, isRefused: isRefused)])
          self?.handle([.refusal(target: target, isRefused: isRefused)])
        }
      },
      keeping: { [weak self] id, point in
        // What contains a secret is kept only in this process's memory.
        if point?.texts.allSatisfy(secrets.isFree) ?? true {
          keeper.keep(point, of: id)
        }
        onMain { self?.handle([.resumePoint(id, point)]) }
      }, memory: keeper.store, tokens: tokens
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
    serve()
  }
}

extension UploadStore.Recovery {
  /// What the user should know about it.
  fileprivate var words: String? {
    var parts: [String] = []
    if !interrupted.isEmpty {
      let verb = interrupted.count == 1 ? "goes" : "go"
      parts.append(
        "\(HumanReadable.count(interrupted.count, "upload")) had been interrupted and \(verb) on")
    }
    if !unknown.isEmpty {
      parts.append(
        "\(HumanReadable.count(unknown.count, "upload")) may have arrived: look on the server")
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
