import Dispatch
import FileDiscovery
import Foundation
import MultipartForm
import Screens
import Settings
import UploadEngine
import UploadModel
import UploadStore

/// The session's queue. What the screen asks for is written first, then done.
extension ScreenSession {
  /// Shows items on the screen and submits them to the engine.
  func show(_ added: [UploadItem]) {
    let added = state.isAside ? added.map(seenFromAside) : added
    let (sendable, shown) = jobs(added)
    if state.isReading {
      // The queue's items are old news, but those that fail for lack of a target do so now.
      let failed = zip(added, shown).filter { $0.state != $1.state }.map { ($1.id, $1.state) }
      handle([.added(added)] + (failed.isEmpty ? [] : [.engine(failed, at: time.now())]))
    } else {
      handle([.added(shown)])
    }
    engine?.submit(sendable)
  }

  /// The items that can be sent, and all items, where those that cannot be sent have failed with the reason.
  func jobs(_ added: [UploadItem]) -> (sendable: [UploadJob], shown: [UploadItem]) {
    var sendable: [UploadJob] = []
    var urls: [String: String] = [:]
    let shown = added.map { item in
      guard !item.state.isFinished, item.state != .paused else { return item }
      switch book.target(of: item) {
      case .success(let destination):
        sendable.append(UploadJob(item: item, destination: destination))
        if located.insert(item.target).inserted {
          urls[item.target] = TargetURL.shown(destination.value.url)
        }
        return item
      // The sending process may know its target.
      case .failure where state.isAside: return item
      case .failure(let cause):
        return item.with(.failed(Failure(cause)))
      }
    }
    if !urls.isEmpty { handle([.urls(urls)]) }
    return (sendable, shown)
  }

  // MARK: What the user asks for

  /// Looks for files and queues them.
  ///
  /// - Parameters:
  ///   - name: the target's name; nil for the one that is chosen.
  ///   - isMeant: whether files that were sent before are to be queued again.
  func add<Path: Sendable>(
    _ paths: [Path], to name: String? = nil, again isMeant: Bool,
    finding files: @escaping @Sendable (Path) -> TypedLine.Files
  ) {
    var queue = QueueIntake(store: keeper.store, options.sent)
    let (book, rules) = (book, options.rules)
    let (current, chosen) = (intake, book.current.name)
    // Commands in lines are taken as meant, since the author of a script is not there to be asked.
    let isAsked = !(interface is PlainInterface)
    let asks = isAsked && !isMeant
    let asksOfSent = asks && !queue.skipsSent
    if asks { (queue.skipsSent, queue.skipsDoubtful) = (true, true) }
    intakeQueue.async { [queue] in
      // Commands may supply the secrets of another target.
      let other = name.map { ($0, book.target(named: $0)) }
      if case (let name, nil)? = other {
        let words = "nothing was queued for \(name): there is no such target any more"
        return onMain { self.handle([.message(words)]) }
      }
      let target = name ?? chosen
      let intake = other?.1.map { FileIntake(for: $0) } ?? current
      var total = QueueIntake.Added()
      var twice: [UploadItem] = []
      var sent: [UploadItem] = []
      var doubtful: [UploadItem] = []
      // By now the queue has been read, and earlier additions are in it.
      let known = DispatchQueue.main.sync { MainActor.assumeIsolated { self.state } }
      let named = paths.map(files)
      let unnamed = AddPreview(
        missing: named.flatMap(\.missing), mistake: named.lazy.compactMap(\.mistake).first)
      func takes(_ item: UploadItem) -> Bool {
        guard isAsked, known.isWaiting(item.location.bytes, for: target) else { return true }
        twice.append(item)
        return false
      }
      queue.add(
        named.flatMap(\.found), intake, in: rules, takes: takes,
        prepare: { $0.target = target }
      ) { result, isLast in
        if case .success(var added) = result {
          if asksOfSent {
            sent += added.skipped
            added.skipped = []
          }
          doubtful += added.doubtful
          added.doubtful = []
          total.merge(added)
        }
        let count = HumanReadable.count(total.items.count, "file")
        let words: String?
        if !isLast {
          words = "\(count) so far…"
        } else if !unnamed.missing.isEmpty || unnamed.mistake != nil {
          words = unnamed.words
        } else if let said = total.words {
          words = said
        } else if total.items.isEmpty, twice.isEmpty, sent.isEmpty, doubtful.isEmpty,
          total.skipped.isEmpty
        {
          words = "nothing was added: there are no files in there"
        } else {
          words = total.items.count > QueueIntake.portion ? "\(count) added" : nil
        }
        let leftOut = isLast ? LeftOut(waiting: twice, sent: sent, doubtful: doubtful) : LeftOut()
        onMain {
          self.show(result, saying: words)
          if !leftOut.items.isEmpty { self.handle([.leftOut(leftOut)]) }
        }
        return true
      }
    }
  }

  /// Looks for what the command line names.
  func add(_ wishes: [FileArgument]) {
    add(wishes, again: false) { [home] wish in
      TypedLine.Files(
        found: Arguments.files(wish.path, home: home).map { NamedFile($0, as: wish) })
    }
  }

  /// Looks for what the screen asks to have added.
  func add(_ paths: [PathInput], to name: String?, again isMeant: Bool) {
    add(paths, to: name, again: isMeant) { [home] path in
      switch path {
      case .typed(let text): TypedLine(text: text, home: home).files
      case .exact(let text): TypedLine.Files(found: [NamedFile(FileLocation(text))])
      case .bytes(let bytes): TypedLine.Files(found: [NamedFile(FileLocation(bytes: bytes))])
      }
    }
  }

  /// Queues files that were left out, as they are now.
  func addAgain(_ items: [UploadItem]) {
    var queue = QueueIntake(store: keeper.store, options.sent)
    queue.skipsSent = false
    intakeQueue.async { [queue, intake] in
      for start in stride(from: 0, to: items.count, by: QueueIntake.portion) {
        let portion = items[start..<min(start + QueueIntake.portion, items.count)].map { item in
          item.state.isFinished ? item : intake.look(at: item)
        }
        let result = Result { () throws(StoreError) in try queue.add(portion) }
        onMain { self.show(result, saying: nil) }
      }
    }
  }

  /// Says what a typed line would add, unless another one is typed meanwhile.
  func preview(_ text: String) {
    previewed.set(text)
    let (line, rules, previewed) = (TypedLine(text: text, home: home), options.rules, previewed)
    answer({ line.preview(rules: rules) { !previewed.isStill(text) } }) { preview in
      preview.map { [.preview(for: text, $0)] } ?? []
    }
  }

  /// Offers completions for a path that is being typed.
  func complete(_ text: String) {
    let path = TypedPath(text: text, home: home)
    answer({ path.completions }) { [.completions(for: text, $0)] }
  }

  private func show(_ result: Result<QueueIntake.Added, StoreError>, saying words: String?) {
    switch result {
    case .success(let added):
      show(added.items)
      if let words { handle([.message(words)]) }
    case .failure(let error): handle([.message("nothing was added: \(Self.brief(error))")])
    }
  }

  /// Sends files again as they are now.
  func retry(_ ids: [ItemID]) {
    if link.order(.retry(ids)) { return }
    let (intake, book, known) = (intake, book, ids.compactMap(state.item))
    answerQueue.async {
      book.forgetFailures()
      book.lookUp(for: known)
      let looked = known.map(intake.look)
      onMain { self.send(again: looked) }
    }
  }

  private func send(again looked: [UploadItem]) {
    // Items removed meanwhile stay removed, and items already under way go on.
    let looked = looked.filter { state.item($0.id) != nil }
    guard let present = write({ try $0.update(looked) }) else { return }
    let (sendable, shown) = jobs(present.filter { !$0.state.isActive })
    handle([.added(shown)])
    engine?.retry(sendable)
    // Items that were paused or had failed before this session get their place only now.
    engine?.arrange(state.waiting)
    // If the row looks as before, the key would seem to have had no effect.
    if let same = shown.first(where: { $0.state.failure != nil }), let cause = same.state.failure {
      handle([.message("\(same.fileName), as before: \(cause.headline)")])
    }
  }

  func pause(_ ids: [ItemID]) {
    if let engine { return engine.pause(ids) }
    if link.order(.pause(ids)) { return }
    let changed = ids.compactMap(state.item).map { $0.with(.paused) }
    guard let present = write({ try $0.update(changed) }) else { return }
    handle([.added(present)])
  }

  func remove(_ ids: [ItemID], begun: [UploadItem]) {
    guard write({ try $0.remove(ids) }) != nil else { return }
    // What servers have of them is no longer needed.
    engine?.terminate(
      begun.compactMap { item in
        (try? book.target(of: item).get()).map { UploadJob(item: item, destination: $0) }
      })
    engine?.remove(ids)
  }

  func restore(_ places: [QueuePosition]) {
    // They have kept their places, and the queue on disk has their latest states.
    guard let present = write({ try $0.relist(places.map(\.item.id)) }) else { return }
    let (sendable, shown) = jobs(present)
    handle([.added(shown)])
    // Items that were paused when they were removed do not start now.
    let paused = Set(places.lazy.filter { $0.item.state == .paused }.map(\.item.id))
    engine?.submit(sendable, paused: paused)
    engine?.arrange(state.waiting)
    if engine == nil { pause(paused.filter { state.item($0)?.state.isFinished == false }) }
  }

  /// Stops the queue or resumes it, for this session and later ones.
  func setStopped(_ isWanted: Bool) {
    // At once, even if the disk has no room to record it.
    control(.start(!isWanted))
    if write({ try $0.setStopped(isWanted) }) != nil { isStopped = isWanted }
  }

  func move(_ id: ItemID, before other: ItemID?) {
    guard write({ try $0.move(id, before: other) }) != nil else { return }
    engine?.move(id, before: state.firstWaiting(from: other))
  }

  func arrange(_ order: [ItemID]) {
    guard write({ try $0.arrange(order) }) != nil else { return }
    engine?.arrange(state.waiting)
  }

  func edit(_ edited: [UploadItem]) {
    guard write({ try $0.edit(edited) }) != nil else { return }
    // A target's secrets may take a while, and nothing may be sent in the old way meanwhile.
    engine?.hold(edited.map(\.id))
    let book = book
    answer({ book.lookUp(for: edited) }) { [weak self] in
      guard let self else { return [] }
      sendAsTheyAre(edited.compactMap { self.state.item($0.id) })
      return []
    }
  }

  /// Writes to the queue. If that fails, shows the error and the queue as it is on disk, and returns nil.
  private func write<Value>(_ body: (UploadStore) throws -> Value) -> Value? {
    do {
      return try body(keeper.store)
    } catch {
      showAgain()
      handle([.message(Self.brief(error))])
      return nil
    }
  }

  /// Shows the queue as it is on disk, with what only this session knows of its items.
  private func showAgain() {
    guard let present = try? keeper.store.items().filter({ $0.id > floor }) else { return }
    let ids = Set(present.map(\.id))
    let known = present.map { item in
      guard let shown = state.item(item.id) else { return item }
      var item = item
      (item.state, item.note, item.resumePoint) = (shown.state, shown.note, shown.resumePoint)
      return item
    }
    handle([
      .added(known),
      .removed(state.order.filter { !ids.contains($0) && state.item($0)?.state.isDone != true }),
      .reordered(present.map(\.id)),
    ])
  }

  static func brief(_ error: any Error) -> String {
    (error as? StoreError)?.brief ?? "\(error)"
  }
}
