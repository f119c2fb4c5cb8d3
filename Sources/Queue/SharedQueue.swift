import Dispatch
import Foundation
import MultipartForm
import Scheduling
import UploadEngine
import UploadModel
import UploadStore

/// A queue in a file, which several processes share: knows what is on disk and what other processes do with it, and has
/// a conductor send it. Each order is written first, then performed, then reported; an order that must take effect even
/// if the disk has no room is performed first. If another process is sending the queue, this one takes over when that
/// one ends.
@MainActor
package final class SharedQueue {
  /// How a session differs from a normal one.
  package struct Options {
    /// The settings for all uploads, until the user changes them.
    package var settings = SenderSettings()
    /// Whether the limit that the user set in an earlier session holds.
    package var keepsLimit = true
    /// A line about the session, unless another process sends the queue.
    package var notice: String?
    /// Whether items queued before this session are left out.
    package var isFresh = false
    /// The last item that does not belong to this session, if another session has handed over the queue.
    package var floor = ItemID(0)
    /// Whether the session goes on for one that has handed over the queue, so that what that one has sent stays.
    package var goesOn = false
    /// The targets that refused that one's credentials.
    package var refused: [String: CredentialTrouble] = [:]
    /// Whether nobody is there to answer.
    package var isAlone = false
    /// Whether the session continues when the queue is empty.
    package var stays = false
    /// How many requests may be under way at once.
    package var lanes = UploadEngine.mostLanes
    /// The milliseconds between two reports of the engine's changes.
    package var reportInterval: UInt64 = 100

    package init() {}
  }

  /// What the queue cannot do itself.
  package struct Tools {
    package var sending: Conductor.Tools
    package var environment: [String: String]
    /// Where the queue is read, before anything is added to it.
    package var reading: DispatchQueue
    /// Where files and targets are looked up, in the order of the requests for that.
    package var lookups: DispatchQueue
    /// Examines an item's file as it is now.
    package var look: @Sendable (UploadItem) -> UploadItem

    package init(
      sending: Conductor.Tools, environment: [String: String],
      reading: DispatchQueue, lookups: DispatchQueue,
      look: @escaping @Sendable (UploadItem) -> UploadItem
    ) {
      (self.sending, self.environment) = (sending, environment)
      (self.reading, self.lookups, self.look) = (reading, lookups, look)
    }

    fileprivate var book: any TargetBook { sending.book }
    fileprivate var time: TimeSource { sending.time }
  }

  /// Whether the queue is still being read, so that more items may come.
  package private(set) var isReading = true
  /// Whether another process sends the queue.
  package private(set) var isAside = false
  /// Whether that process continues in the background for a screen that was left.
  package private(set) var isSentInBackground = false
  /// How many other processes look on, one of which sends the queue as soon as this one has left.
  package private(set) var successors = 0
  /// Why the queue could not be read or taken over, so that its content is unknown; nil if it could.
  package private(set) var fault: StoreError?
  /// Whether the user has stopped the queue, as last read from it.
  package private(set) var isStopped = false
  /// The last item from before this session, if the session ignores earlier items; 0 if it does not.
  package private(set) var floor: ItemID
  /// The settings that hold for everything that is sent.
  package private(set) var settings: SenderSettings
  /// What was sent so far, as last reported.
  package var figures: SendingFigures { conductor.figures }
  /// News of runs that deserves a person's attention, by target.
  package var runTroubles: [String: RunNews] { conductor.runTroubles }
  /// The targets whose files wait for credentials here, and why.
  package var refused: [String: CredentialTrouble] { conductor.refused }
  /// The targets whose addresses have been reported.
  package private(set) var located: Set<String> = []

  private let keeper: QueueRecorder
  private let holder: any QueueHolder
  private let observers: [any QueueObserver]
  private let conductor: Conductor
  private let tools: Tools
  private let options: Options
  /// Nil while another process sends the queue.
  private var engine: UploadEngine? { conductor.engine }
  private var watch: ChangeWatch?
  private let link: QueueLink
  /// Whether the sending process has reported the complete state as of the time when this one connected.
  private var isInformed = false
  /// The settings of this session's user, regardless of those in the sending session.
  private var ownSettings: SenderSettings
  /// How to answer other processes that no run is about to end.
  private var askedForRuns: [SenderServer.Answer] = []
  /// The process that sends the queue, if it was stopped when it was last looked at.
  private var stoppedSender: StoppedSender?
  /// The process that was last known to send the queue, while another one did.
  private var namedSender: Int32?
  /// Whether another look at it is due.
  private var isWatchingSender = false
  /// What to do once the process that sends the queue says that no run is about to end.
  private var awaitingRuns: [@MainActor () -> Void] = []
  /// The revision of the queue on disk that has been reported.
  private var revision: Int64 = 0
  /// Items whose ends were read in the queue's file before the process that sends it told them. What it tells of them
  /// until then came before.
  private var endsToHear: Set<ItemID> = []
  /// Whether changes that came too early are to be read once more.
  private var isSecondLook = false
  /// The revision of the queue since which the sender's news may have taken precedence over the states in the queue.
  private var newsSince: Int64 = 0

  /// - Parameter holder: what holds the items, and changes them as the news says.
  package init(
    _ keeper: QueueRecorder, for holder: any QueueHolder,
    observers: [any QueueObserver] = [],
    with tools: Tools, options: Options = Options()
  ) {
    (self.keeper, self.holder, self.observers) = (keeper, holder, observers)
    (self.tools, self.options) = (tools, options)
    floor = options.floor
    var sending = Conductor.Options()
    sending.lanes = options.lanes
    // A person has left the screen that another session goes on for, and may come back.
    sending.waitsForPerson = !options.isAlone || options.goesOn
    sending.reportInterval = options.reportInterval
    // A screen draws a frame for each report. Without one, the program cannot end before all reports are handled, so
    // they come early.
    if options.isAlone { sending.mostUnreported = Self.mostUnreported }
    conductor = Conductor(keeper, with: tools.sending, options: sending)
    link = QueueLink(queue: keeper.store.path, environment: tools.environment)
    (settings, ownSettings) = (options.settings, options.settings)
    link.onOrder = { [weak self] in self?.perform($0, $1) }
    link.onSuccessors = { [weak self] count in
      self?.successors = count
      self?.report([.successors(count)])
    }
    link.speeds = { [weak self] in self?.holder.speeds }
    link.onNews = { [weak self] in self?.receive($0) }
    link.onLost = { [weak self] in self?.forgetNews($0) }
    ([link, holder] + observers).forEach(conductor.addObserver)
  }

  /// The message that the queue is stopped, for when no screen shows this.
  package nonisolated static func stoppedWords(_ option: String) -> String {
    "the queue is stopped; \"hoist queue start\(option)\" resumes it"
  }

  /// How many of the engine's changes gather before they are reported, if no screen shows them.
  private static let mostUnreported = 256
  /// How many items are read in one go.
  private nonisolated static let portion = 2000

  package var isSender: Bool { engine != nil }
  /// The items of the queue. They are read where they are held, and not kept: with a second owner, every change would
  /// copy them.
  package var items: ItemList { holder.items }

  /// Whether an item that awaits its reply at the end of this process is sent once more by the next one, unasked:
  /// `UploadStore.recover`.
  package func startsAgain(_ item: UploadItem) -> Bool {
    item.resumePoint?.settlesItself == true || tools.book.isRepeatable(item.target)
  }

  /// Reports to the observers in this process. Others read in the queue's file what was ordered.
  private func report(_ news: [QueueNews]) {
    holder.receive(news)
    for observer in observers { observer.receive(news) }
    watchSender()
  }

  /// Looks something up away from the main queue, and calls back there.
  private func lookUp<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value,
    then body: @escaping @MainActor @Sendable (Value) -> Void
  ) {
    tools.lookups.async {
      let value = work()
      onMain { body(value) }
    }
  }

  /// Reports what is in the queue, and sends it unless another process does.
  package func open() {
    keeper.onNews { [weak self] news in
      onMain {
        guard let self else { return }
        // Others see that nothing more starts, and that starting it is a change.
        if case .held = news { self.control(.start(false)) }
        self.report([news])
      }
    }
    do throws(StoreError) {
      watch = ChangeWatch(path: keeper.store.path) { [weak self] in self?.readChanges() }
      note(isStopped: try keeper.store.isStopped())
      if options.isFresh { floor = try keeper.store.lastID() }
      if try keeper.becomeSender() {
        if let words = try keepLimit() { report([.message(words)]) }
        // The queue is read while the first frames are drawn.
        keeper.store.noteKnown(revision)
        load(recovering: true)
        return startEngine()
      }
      isAside = true
      report([.aside(true)])
      nameSender()
      link.listen()
      load()
    } catch {
      isReading = false
      report([.read(hasHistory: false)])
      hold(error)
    }
  }

  /// Puts the session on hold, since the queue cannot be used. A caller that waits for the end learns this from the
  /// exit status.
  private func hold(_ error: StoreError) {
    fault = error
    settings.isStarted = false
    report([.held(error.brief)])
  }

  /// Reads the queue in the background and in portions, so that its beginning appears at once however long it is. A
  /// sender recovers uploads that the last one left under way.
  private func load(recovering isSender: Bool = false) {
    let (keeper, store, book, floor) = (keeper, keeper.store, tools.book, floor)
    let goesOn = options.goesOn
    // Commands may supply the secrets of targets. Do not wait for them during a transaction.
    let lookups = DispatchQueue(label: "hoist.targets", qos: .userInitiated)
    tools.reading.async { [weak self] in
      let result = Result { () throws(StoreError) in
        let recovery =
          isSender ? try keeper.recover(keepingSent: goesOn) { book.isRepeatable($0) } : nil
        if isSender {
          let runs = try store.runs()
          lookups.async {
            let found = runs.map { ($0, try? book.known($0.target).get()) }
            onMain { self?.adopt(found) }
          }
        }
        let revision = try store.read(inPortionsOf: Self.portion) { items in
          let items = items.filter { $0.id > floor }
          guard !items.isEmpty else { return }
          lookups.async {
            book.lookUp(for: items)
            onMain { self?.add(items) }
          }
        }
        return (revision: revision, recovery: recovery)
      }
      var last = HistoryQuery()
      last.limit = 1
      let hasHistory = (try? store.history(last).isEmpty) == false
      // Wait for these items to be shown, so that items that are added from now on come after them.
      lookups.sync {}
      onMain { self?.finishReading(result, hasHistory: hasHistory) }
    }
  }

  /// Lets the engine continue the runs that an earlier process began.
  private func adopt(_ runs: [(UploadStore.Run, SendPlan?)]) {
    for (run, target) in runs {
      conductor.adopt(run.point, failed: run.open, of: run.target, target)
    }
  }

  private func finishReading(
    _ result: Result<(revision: Int64, recovery: UploadStore.Recovery?), StoreError>,
    hasHistory: Bool
  ) {
    isReading = false
    report([.read(hasHistory: hasHistory)])
    switch result {
    case .success((let revision, let recovery)):
      (self.revision, newsSince) = (revision, revision)
      if let words = words(of: recovery) { report([.message(words)]) }
      engine?.setAwaitsMore(false)
      // Read the changes that were ignored until the queue had been read.
      readChanges()
      if isAside { retryTakingOver() }
    case .failure(let error): hold(error)
    }
    answerAfterRuns()
  }

  /// From now on, uploads that are interrupted stay in the queue.
  package func leave() { keeper.leave() }

  /// Stops sending, or following the sender. Requests under way are ended in good order, after waiting for at most
  /// `seconds` for the replies to what servers may have already; if it is `forced`, they end with this process.
  package func close(
    isForced: Bool, awaitingReplies seconds: Double = UploadEngine.replyPatience
  ) async {
    leave()
    watch?.stop()
    if isForced {
      engine?.setStarted(false)
    } else {
      if options.isAlone { await engine?.runsHaveEnded() }
      await conductor.close(awaitingReplies: seconds)
    }
    keeper.finishDisposals()
    link.stop()
  }

  /// Takes note of what has been written and not been reported yet, so that the items are as the queue's file has them.
  package func catchUp() { conductor.reportNow() }

  /// Takes items that are in the queue's file, and submits them to the engine.
  package func add(_ added: [UploadItem]) {
    guard !added.isEmpty else { return }
    let added = isAside ? added.map(seenFromAside) : added
    let (sendable, shown) = jobs(added)
    // Before a frame is drawn. What becomes of the items is reported after this.
    engine?.submit(sendable)
    if isReading {
      // Items from the queue are not new, but those that fail for lack of a target fail now.
      let failed = zip(added, shown).filter { $0.state != $1.state }.map { ($1.id, $1.state) }
      report([.added(added)] + (failed.isEmpty ? [] : [.changed(failed, at: tools.time.now())]))
    } else {
      report([.added(shown)])
    }
  }

  /// The items that can be sent, and all items, where those that cannot be sent have failed with the reason.
  private func jobs(_ items: [UploadItem]) -> (sendable: [UploadJob], shown: [UploadItem]) {
    var sendable: [UploadJob] = []
    var urls: [String: String] = [:]
    let shown = items.map { item in
      guard !item.state.isFinished, item.state != .paused else { return item }
      switch tools.book.target(of: item) {
      case .success(let destination):
        sendable.append(UploadJob(item: item, destination: destination))
        if located.insert(item.target).inserted {
          urls[item.target] = tools.book.address(of: destination)
        }
        return item
      // The sending process may know the item's target.
      case .failure where isAside: return item
      case .failure(let cause): return item.with(.failed(Failure(cause)))
      }
    }
    if !urls.isEmpty { report([.urls(urls)]) }
    // The queue's file does not say this, since another process may be able to use the target.
    let failed = zip(items, shown).filter { $0.state != $1.state }
    if !failed.isEmpty { link.send(failed.map { .item(id: $1.id, state: $1.state) }) }
    return (sendable, shown)
  }

  /// Sends the waiting files of targets that have changed as the targets say now.
  package func targetsHaveChanged(_ names: Set<String>) {
    located.subtract(names)
    sendAsTheyAre(items.items.filter { names.contains($0.target) })
  }

  // MARK: What the user asks for

  /// Sends files again in their current state.
  package func retry(_ ids: [ItemID]) {
    if link.order(.retry(ids)) { return }
    let (look, book, known) = (tools.look, tools.book, ids.compactMap(items.item))
    let refused = targetsRefused(among: known)
    lookUp({
      book.forgetFailures(andRefused: refused)
      book.lookUp(for: known)
      return known.map(look)
    }) { looked in
      if self.isSender { self.takeEdits() }
      self.renewCredentials(of: refused)
      self.send(again: looked, from: known)
    }
  }

  /// Sends again the files that failed because of a target's credentials, and the first of those that wait, which tries
  /// the server and the credentials for the others.
  package func retry(heldBackBy target: String) {
    let those = items.items.filter { $0.target == target }
    let failed = those.filter { $0.state.isFailed && $0.state.failure?.awaitsCredentials == true }
    let waiting = those.first { $0.state == .waiting || $0.state.isRetrying }
    retry((failed + [waiting].compactMap(\.self)).map(\.id))
  }

  /// Sends files again as a look has found them, which began when they were `known`.
  private func send(again looked: [UploadItem], from known: [UploadItem]) {
    // Items removed meanwhile stay removed, and items already under way continue.
    let looked = looked.filter { items.item($0.id) != nil }
    let before = looked.compactMap { items.item($0.id) }.reduce(into: [:]) {
      $0[$1.id] = $1.state.failure?.headline
    }
    guard let update = write({ try $0.update(looked, from: known) }) else { return }
    let (sendable, shown) = jobs(update.present.filter { !$0.state.isActive })
    report([.added(shown)])
    engine?.retry(sendable)
    // Items that were paused or had failed before this session get their place only now.
    engine?.arrange(items.waiting)
    // If the row looks the same, the key seems to have had no effect, so say that the file was tried again.
    if let same = shown.first(where: { $0.state.failure != nil }), let cause = same.state.failure {
      let isSame = before[same.id] == cause.headline
      report([.message("\(same.fileName)\(isSame ? ", as before" : ""): \(cause.headline)")])
    }
    // What was edited while the old file was looked at: look at the new one.
    guard !update.edited.isEmpty else { return }
    report([.added(update.edited.map(withWhatIsKnownHere))])
    retry(update.edited.map(\.id))
  }

  package func pause(_ ids: [ItemID]) {
    if let engine { return engine.pause(ids) }
    if link.order(.pause(ids)) { return }
    guard let present = write({ try $0.pause(ids) }) else { return }
    report([.added(present.filter { !$0.state.isActive })])
  }

  package func remove(_ ids: [ItemID], begun: [UploadItem]) {
    guard write({ try $0.remove(ids) }) != nil else { return }
    // The parts of these items that servers have are no longer needed.
    engine?.terminate(
      begun.compactMap { item in
        (try? tools.book.target(of: item).get()).map { UploadJob(item: item, destination: $0) }
      })
    engine?.remove(ids)
  }

  package func restore(_ places: [QueuePosition]) {
    // The items have kept their places, and the queue on disk has their latest states.
    guard let present = write({ try $0.relist(places.map(\.item.id)) }) else { return }
    let (sendable, shown) = jobs(present)
    report([.added(shown)])
    // Their neighbours may have gone or moved since.
    if let order = try? keeper.store.order() {
      report([.reordered(order.filter { items.item($0) != nil })])
    }
    // Items that were paused when they were removed do not start now.
    let paused = Set(places.lazy.filter { $0.item.state == .paused }.map(\.item.id))
    engine?.submit(sendable, paused: paused)
    engine?.arrange(items.waiting)
    if engine == nil { pause(paused.filter { items.item($0)?.state.isFinished == false }) }
  }

  /// Stops the queue or resumes it, for this session and later ones.
  package func setStopped(_ isWanted: Bool) {
    // Act at once, even if the disk has no room to record this. If another process sends, the queue's file tells it, so
    // that the last of several has the last word: an order comes by another way, perhaps after what was said later. Only
    // that it shall go on although the file does not say that it is stopped is nowhere else.
    let isTold = isAside && (isWanted || isStopped)
    if !isTold { control(.start(!isWanted)) }
    guard write({ try $0.setStopped(isWanted) }) != nil else {
      if isTold { control(.start(!isWanted)) }
      return
    }
    isStopped = isWanted
    if isTold { (settings.isStarted, ownSettings.isStarted) = (!isWanted, !isWanted) }
  }

  /// Applies the limit that held until now: that of the sender that has gone, wherever it had it from, or else the one that
  /// the user set in an earlier session, unless this session has its own. Returns what the user should know about it.
  private func keepLimit(ofSender last: Int64? = nil) throws(StoreError) -> String? {
    let stored = options.keepsLimit ? try keeper.store.rateLimit() : nil
    guard let limit = last ?? stored else { return nil }
    ownSettings.limit = limit
    settings = ownSettings
    report([.settings(settings)])
    return "the limit of \(HumanReadable.speed(Double(limit))) still holds"
  }

  /// Limits the bandwidth, in this session and in later ones.
  package func setLimit(_ limit: Int64?) {
    control(.limit(limit))
    _ = write { try $0.setRateLimit(limit) }
  }

  /// Passes an order to the engine, or to the process that sends the queue.
  package func control(_ order: SenderOrder) {
    order.apply(to: &ownSettings)
    if let engine {
      order.apply(to: &settings)
      give(order, to: engine)
      return reportSettings()
    }
    // If there is no engine for another reason, that reason has been reported already.
    guard isAside, !link.order(order) else { return }
    report([
      .message("another hoist is sending this queue; this takes effect once that one has ended")
    ])
  }

  /// Immediately retries servers that could not be reached.
  package func tryServers() {
    if let engine { engine.tryServers() } else { _ = link.order(.tryServers) }
  }

  package func move(_ id: ItemID, before other: ItemID?) {
    guard write({ try $0.move(id, before: other) }) != nil else { return }
    engine?.move(id, before: items.firstWaiting(from: other))
  }

  package func arrange(_ order: [ItemID]) {
    guard write({ try $0.arrange(order) }) != nil else { return }
    engine?.arrange(items.waiting)
  }

  package func edit(_ edited: [UploadItem]) {
    let ids = edited.map(\.id)
    // Nothing is sent with the old settings from now on. Looking up a target's secrets may take a while.
    let released = engine?.hold(ids) ?? []
    if let begun = write({ try $0.edit(edited, releasing: released) }), !begun.isEmpty {
      showAgain()
      let files = HumanReadable.count(begun.count, "file")
      report([.message("not changed: \(files) whose sending has begun")])
    }
    let book = tools.book
    lookUp({ book.lookUp(for: edited) }) {
      self.sendAsTheyAre(ids.compactMap { self.items.item($0) })
    }
  }

  /// Judges the doubtful files for a target by a rule that it has got. They counted as sent, so what the server did
  /// with them is unclear.
  package func judgeAnew(_ target: String, by rule: FailureRule, isOfBatch: Bool) {
    let judged = items.items.compactMap { item -> (ItemID, Failure)? in
      guard item.target == target, let receipt = item.state.receipt,
        let doubt = Doubt(in: receipt, isOfBatch: isOfBatch), doubt.rule.finds(as: rule)
      else { return nil }
      return (
        item.id,
        Failure(
          .outcomeUnknown(doubt.words), status: receipt.status, reply: receipt.reply,
          attempts: receipt.attempts)
      )
    }
    judgeAnew(judged)
  }

  /// Counts failed files that may have arrived as sent, since a person has found them on the server.
  package func confirm(_ ids: [ItemID]) {
    let confirmed = ids.compactMap { id -> (ItemID, ItemState)? in
      guard let failure = items.item(id)?.state.failure, failure.mayHaveArrived else { return nil }
      return (id, .done(Receipt(confirming: failure)))
    }
    guard !confirmed.isEmpty, let written = write({ try $0.confirm(confirmed.map(\.0)) }) else {
      return
    }
    // The others are sent again, or have been removed, by another process, as the next look at the queue's file shows.
    report(judgedAnew: confirmed.filter { written.contains($0.0) })
  }

  /// Takes back that files have arrived, which a person has said: what failed before is unclear again.
  package func unconfirm(_ unclear: [UploadItem]) {
    let failures = unclear.compactMap { item -> (ItemID, Failure)? in
      guard items.item(item.id)?.state.receipt?.isConfirmed == true else { return nil }
      return item.state.failure.map { (item.id, $0) }
    }
    judgeAnew(failures)
  }

  /// Makes failures of files that counted as sent.
  private func judgeAnew(_ judged: [(ItemID, Failure)]) {
    guard !judged.isEmpty, let written = write({ try $0.judgeAnew(judged) }) else { return }
    report(judgedAnew: judged.filter { written.contains($0.0) }.map { ($0, .failed($1)) })
  }

  /// Reports what became of files that had ended.
  private func report(judgedAnew changes: [(ItemID, ItemState)]) {
    // The engine is done with them. If one is sent again, that is another upload.
    engine?.remove(changes.map(\.0))
    conductor.report(changes: changes)
  }

  /// Sends the files that are still for one target to another one.
  package func send(filesFor name: String, to target: String) {
    let edited = items.items.filter {
      $0.target == name && !$0.state.isActive && !$0.state.isDone
    }.map { item in
      var item = item
      item.target = target
      return item
    }
    guard !edited.isEmpty else { return }
    report([.added(edited)])
    edit(edited)
  }

  /// Writes to the queue. If that fails, shows the error and the queue as it is on disk, and returns nil.
  private func write<Value>(_ body: (UploadStore) throws -> Value) -> Value? {
    do {
      return try body(keeper.store)
    } catch {
      showAgain()
      report([.message((error as? StoreError)?.brief ?? "\(error)")])
      return nil
    }
  }

  /// Shows the queue as it is on disk, with what only this session knows of its items.
  private func showAgain() {
    // What others have added meanwhile would otherwise be listed without being sent.
    if isSender { takeEdits() }
    guard let present = try? keeper.store.items().filter({ $0.id > floor }) else { return }
    let ids = Set(present.map(\.id))
    report([
      .added(present.map(withWhatIsKnownHere)),
      .removed(items.order.filter { !ids.contains($0) && items.item($0)?.state.isDone != true }),
      .reordered(present.map(\.id)),
    ])
  }

  /// An item of the queue's file with what only this session knows of it.
  private func withWhatIsKnownHere(_ item: UploadItem) -> UploadItem {
    guard let shown = items.item(item.id) else { return item }
    var item = item
    (item.state, item.note, item.resumePoint) = (shown.state, shown.note, shown.resumePoint)
    return item
  }

  /// Gives the engine how to send the items that are still waiting, and those under way if they have to be sent again.
  private func sendAsTheyAre(_ items: [UploadItem]) {
    let (sendable, shown) = jobs(
      items.filter { $0.state == .waiting || $0.state.isRetrying })
    let underWay = items.filter(\.state.takesLane).compactMap { item in
      (try? tools.book.target(of: item).get()).map { UploadJob(item: item, destination: $0) }
    }
    engine?.update(sendable + underWay)
    // Items whose target cannot be used now.
    let failed = shown.filter(\.state.isFinished)
    guard !failed.isEmpty else { return }
    engine?.remove(failed.map(\.id))
    report([.changed(failed.map { ($0.id, $0.state) }, at: tools.time.now())])
  }

  // MARK: Who sends

  /// Becomes the sender when the current one has gone.
  private func retryTakingOver() {
    Thread.detachNewThread { [weak self, keeper] in
      let result = Result { () throws(StoreError) in _ = try keeper.becomeSender(waiting: true) }
      onMain {
        // The link may not have noticed yet that the other process has gone. Its last news may be all that this session
        // has waited for, so that it leaves before it takes over.
        if case .success = result { self?.link.finish() }
        onMain { self?.takeOver(result) }
      }
    }
  }

  /// Continues where the other process has stopped.
  private func takeOver(_ result: Result<Void, StoreError>) {
    guard !keeper.isLeaving else { return }
    do throws(StoreError) {
      try result.get()
      report([.notice(options.notice)])
      // Whether the user has stopped the queue is recorded in the queue itself, not in either session.
      isStopped = try keeper.store.isStopped()
      ownSettings.isStarted = !isStopped
      let limit = try keepLimit(ofSender: settings.limit)
      settings = ownSettings
      report([.settings(settings)])
      // First apply the last changes of the other process, then recover what it left under way. Both happen
      // before the engine exists and without a suspension in between, so that no change is mistaken for our
      // own.
      apply(try keeper.store.changes(since: revision))
      // What was sent stays on this screen, so it stays in the queue as well: others that open it show the same.
      let recovery = try keeper.recover(keepingSent: true) { [book = tools.book] in
        book.isRepeatable($0)
      }
      apply(try keeper.store.changes(since: revision))
      isAside = false
      report([.aside(false)])
      keeper.store.noteKnown(revision)
      startEngine()
      adopt(try keeper.store.runs().map { ($0, try? tools.book.known($0.target).get()) })
      let (sendable, shown) = jobs(Array(items.items))
      // Items whose targets only the other process knew.
      let failed = shown.filter { $0.state != items.item($0.id)?.state }
      if !failed.isEmpty { report([.added(failed)]) }
      engine?.submit(sendable)
      engine?.setAwaitsMore(false)
      let words = [takeoverWords, limit, words(of: recovery)].compactMap(\.self)
      report([.message(words.joined(separator: "; "))])
    } catch {
      hold(error)
    }
  }

  /// "process 22441 ended; this window sends now".
  private var takeoverWords: String {
    let before = namedSender.map { "process \($0)" } ?? "the other hoist"
    return "\(before) ended; this \(options.isAlone ? "process" : "window") sends now"
  }

  /// What the user should know about the recovery; nil if there is nothing to say.
  private func words(of recovery: UploadStore.Recovery?) -> String? {
    guard let recovery else { return nil }
    func next(_ count: Int, _ one: String, _ several: String, _ rest: String) -> String {
      let (was, verb) = count == 1 ? ("was", one) : ("were", several)
      let words = "\(was) interrupted and "
      return settings.isStarted
        ? "\(words)now \(verb)\(rest)" : "\(words)\(verb)\(rest) once the queue is resumed"
    }
    let parts = [
      (recovery.resuming.count, next(recovery.resuming.count, "continues", "continue", "")),
      (
        recovery.interrupted.count,
        next(recovery.interrupted.count, "starts", "start", " from the beginning")
      ),
      (recovery.unknown.count, "may have arrived: check the server"),
    ].filter { $0.0 > 0 }.map { "\(HumanReadable.count($0, "upload")) \($1)" }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Starts an engine that awaits the items of the queue.
  private func startEngine() {
    // What was sent before counts until it is cleared.
    let totals = items.totals
    conductor.start(countingAnew: totals.done == totals.doubtful, refused: options.refused)
    engine?.setLimit(settings.limit)
    for (target, count) in settings.lanes { engine?.setConcurrency(count, of: target) }
    engine?.setStarted(settings.isStarted)
    link.serve()
    reportSettings()
    // What others are told of what was sent before is the same that is shown here.
    link.send(
      [.figures(figures)] + runTroubles.map { .run(target: $0.key, $0.value) }
        + conductor.refused.map { .refusal(target: $0.key, $0.value) })
  }

  // MARK: What other processes write

  /// Reports what other processes have written since the last call, and lets the engine act on it.
  private func readChanges() {
    // Until the queue has been read, everything would be a change.
    guard !isReading, !keeper.isLeaving else { return }
    keeper.look { [weak self] look in onMain { self?.readChanges(look) } }
  }

  private func readChanges(_ look: Result<UploadStore.Look?, StoreError>) {
    guard !keeper.isLeaving else { return }
    do throws(StoreError) {
      guard let look = try look.get() else { return watch?.lookAgain() ?? () }
      // Others may have reacted to what is on disk and has not been told here: retried a file that failed, or removed one
      // that was sent.
      conductor.reportNow()
      apply(try keeper.store.changesByOthers(since: revision, seenIn: look))
    } catch {
      report([.message(error.brief)])
    }
  }

  private func apply(_ changes: QueueChanges) {
    let before = revision
    revision = changes.revision
    if let isStopped = changes.isStopped { note(isStopped: isStopped) }
    let gone = changes.removed.filter { items.item($0) != nil }
    if !gone.isEmpty {
      if engine == nil {
        // The sender clears files that it has sent, perhaps before their end became known here.
        reportEnds((try? keeper.store.sent(among: gone)) ?? [])
      }
      engine?.remove(gone)
      report([.removed(gone)])
    }
    applyChanged(changes.items.filter { $0.id > floor }, since: before)
    if let order = changes.order {
      report([.reordered(order.filter { items.item($0) != nil })])
      engine?.arrange(items.waiting)
    }
  }

  /// Reads from the queue whether the user has stopped it. If that has not changed, a session held up by a full disk
  /// stays held up.
  private func note(isStopped isStoppedNow: Bool) {
    guard isStoppedNow != isStopped else { return }
    isStopped = isStoppedNow
    (settings.isStarted, ownSettings.isStarted) = (!isStopped, !isStopped)
    report([.stopped(isStopped)])
    // A screen always shows this. While `hoist send` is still reading the queue, say nothing: its message about how it
    // ends will include this.
    if options.isAlone, !isReading || options.stays {
      report([.message(isStopped ? Self.stoppedWords(keeper.option) : "the queue resumes")])
    }
    guard let engine else { return }
    engine.setStarted(!isStopped)
    reportSettings()
  }

  private func applyChanged(_ all: [UploadItem], since before: Int64) {
    let judged = all.filter { item in
      items.item(item.id).map { $0.state.isJudgedAnew(as: item.state) } == true
    }
    if !judged.isEmpty { report(judgedAnew: judged.map { ($0.id, $0.state) }) }
    let changed = all.filter { item in !judged.contains { $0.id == item.id } }
    guard let engine else {
      if isAside { link.listen() }
      endsToHear.subtract(changed.filter { !$0.state.isFinished }.map(\.id))
      add(changed.map { isEnd($0) ? $0.with(.waiting) : $0 })
      return reportEnds(changed)
    }
    let news = ExternalChanges(of: changed, known: items.item)
    // By the next look, what was too early will have been told. Look only once more: a file that was removed and restored
    // at once goes on being sent, although the queue's file says that it waits.
    isSecondLook = news.comeTooEarly && !isSecondLook
    if isSecondLook {
      revision = before
      keeper.store.forgetLook()
      watch?.lookAgain()
    }
    let (sendable, shown) = jobs(news.again)
    if !shown.isEmpty || !news.edited.isEmpty { report([.added(shown + news.edited)]) }
    engine.pause(news.paused)
    engine.update(jobs(news.edited).sendable)
    // Once the engine has the edits, and before it begins with anything that is new.
    keeper.store.noteKnown(revision)
    engine.retry(sendable)
    add(news.fresh)
    engine.putBack(setAside: news.waiting)
  }

  /// Whether an item has ended, and this session does not know it yet.
  private func isEnd(_ item: UploadItem) -> Bool {
    item.state.isFinished && items.item(item.id)?.state.isFinished != true
  }

  /// Reports the results that the sender has not reported.
  private func reportEnds(_ changed: [UploadItem]) {
    let ends = changed.filter { isEnd($0) && items.item($0.id) != nil }
    guard !ends.isEmpty else { return }
    endsToHear.formUnion(ends.map(\.id))
    report([.changed(ends.map { ($0.id, $0.state) }, at: tools.time.now())])
  }

  /// Sends other processes the settings for everything that is sent.
  private func reportSettings() {
    var shared = settings
    shared.isHandedOver = options.settings.isHandedOver
    link.send([.settings(shared)])
  }

  // MARK: As the one that sends

  private func perform(_ order: SenderOrder, _ answer: @escaping SenderServer.Answer) {
    // One that is leaving ends the link once its runs have ended.
    guard let engine, !keeper.isLeaving else { return }
    takeEdits()
    if order == .awaitRuns {
      askedForRuns.append(answer)
      return answerAfterRuns()
    }
    // Somebody has stopped the queue after that.
    if order == .start(true), isStopped { return }
    give(order, to: engine)
    let before = settings
    order.apply(to: &settings)
    guard settings != before else { return }
    report([.settings(settings)])
    reportSettings()
  }

  /// Reads what other processes have written so far. An order comes by another way than the edits that were made
  /// before it, and faster.
  private func takeEdits() {
    // If this fails, the watch tries again, and says so.
    guard !isReading, let changes = try? keeper.store.changes(since: revision) else { return }
    conductor.reportNow()
    apply(changes)
  }

  private func give(_ order: SenderOrder, to engine: UploadEngine) {
    switch order {
    case .retry(let ids): retry(ids)
    case .pause(let ids): pause(ids)
    case .tryServers: tryServers(askedFrom: engine)
    case .start(let isStarted): engine.setStarted(isStarted)
    case .limit(let limit): engine.setLimit(limit)
    case .lanes(let count, let target): engine.setConcurrency(count, of: target)
    case .awaitRuns: break
    }
  }

  /// Retries servers as another process asks. That one may have corrected credentials, so they are looked up again.
  private func tryServers(askedFrom engine: UploadEngine) {
    let refused = targetsRefused(among: Array(items.items))
    guard !refused.isEmpty else { return engine.tryServers() }
    let (book, affected) = (tools.book, items.items.filter { refused.contains($0.target) })
    lookUp({
      book.forgetFailures(andRefused: refused)
      book.lookUp(for: affected)
    }) {
      self.renewCredentials(of: refused)
      engine.tryServers()
    }
  }

  /// The targets of these items whose credentials were refused: one of the items failed because of that, or the engine
  /// sends nothing with them.
  private func targetsRefused(among items: [UploadItem]) -> Set<String> {
    Set(
      items.lazy.filter {
        $0.state.failure?.isOfCredentials == true || self.conductor.refused[$0.target] != nil
      }.map(\.target))
  }

  /// Sends the files that wait for these targets' credentials with those that were looked up again.
  private func renewCredentials(of targets: Set<String>) {
    guard !targets.isEmpty else { return }
    sendAsTheyAre(items.items.filter { targets.contains($0.target) })
  }

  // MARK: Runs

  /// Calls back once no run is about to end, here or in the process that sends the queue, and how those that were ended
  /// has been reported; at once if there is nobody to ask.
  ///
  /// A run ends after its last file, by a request of its own. The sender's engine is asked, and not the queue's file or
  /// earlier news, since the end of that file may have become known before the sender had said that it ends the run.
  package func afterRuns(_ body: @escaping @MainActor () -> Void) {
    if let engine {
      Task {
        await engine.runsHaveEnded()
        // After the news of these runs.
        onMain(body)
      }
      return
    }
    awaitingRuns.append(body)
    if !link.order(.awaitRuns) { goOnAfterRuns() }
  }

  private func goOnAfterRuns() {
    let bodies = awaitingRuns
    awaitingRuns = []
    for body in bodies { body() }
  }

  /// Answers the processes that have asked. While the queue is being read, runs may still get files.
  private func answerAfterRuns() {
    guard !isReading else { return }
    for answer in askedForRuns { afterRuns { answer([.runsHaveEnded]) } }
    askedForRuns = []
  }

  // MARK: As one that looks on

  /// How often a process that sends is looked at, in seconds.
  private static let lookInterval = 1.0

  /// As long as another process has files to send, looks whether it stands still because somebody has stopped it: it
  /// could not say so.
  private func watchSender() {
    guard isAside, !isWatchingSender, !keeper.isLeaving, items.totals.busy > 0 else { return }
    isWatchingSender = true
    onMain(after: Self.lookInterval) { [weak self] in
      guard let self else { return }
      isWatchingSender = false
      if isAside, StoppedSender(sender, queue: keeper.store.path) != stoppedSender { nameSender() }
      watchSender()
    }
  }

  /// The process that sends the queue, if that is known.
  private var sender: Int32? { link.process ?? SenderLock.holder(queue: keeper.store.path) }

  /// Reports which process sends the queue, if that is known. The process can change: a screen that is left may hand
  /// over the queue.
  private func nameSender() {
    guard isAside, !keeper.isLeaving else { return }
    isSentInBackground = link.status.isInBackground
    let process = sender
    // Once the other process has gone, this one may have its lock, and be about to take over.
    if link.process == nil, process == getpid() { return }
    namedSender = process ?? namedSender
    stoppedSender = StoppedSender(process, queue: keeper.store.path)
    if let stoppedSender { return report([.notice(stoppedSender.words, isWarning: true)]) }
    let name = process.flatMap { kill($0, 0) == 0 || errno == EPERM ? " (process \($0))" : nil }
    let who = isSentInBackground ? "hoist in the background" : "another hoist"
    let words = "\(who)\(name ?? "") sends this queue and what you add here"
    report([.notice(words)])
  }

  /// An item as a process that does not send the queue knows it.
  private func seenFromAside(_ item: UploadItem) -> UploadItem {
    var item = item
    if let state = link.status.state(of: item.id) {
      item.state = state
    } else if item.state.takesLane {
      item.state = .waiting
      if !link.isListening { item.note = "another hoist is sending it" }
    }
    return item
  }

  private func receive(_ news: [SenderNews]) {
    defer { if news.contains(.runsHaveEnded) { goOnAfterRuns() } }
    // Once the session is leaving, its state stays as it is, for the report at the end.
    guard !keeper.isLeaving else { return }
    var (changes, before): ([(ItemID, ItemState)], [(ItemID, ItemState)]) = ([], [])
    // What these news have made of items so far, which the list does not know yet.
    var states: [ItemID: ItemState] = [:]
    var (reported, speeds): ([QueueNews], Speeds?) = ([], nil)
    for news in news {
      switch news {
      case .item(let id, let state):
        // A new item may be reported before it is read from the queue, and an item's end after it was read there.
        // An end that is known changes only if a rule or a person judges the file anew.
        guard let known = states[id] ?? items.item(id)?.state else { continue }
        if state.isFinished {
          endsToHear.remove(id)
          guard !known.isFinished || known.isJudgedAnew(as: state) else { continue }
        } else if endsToHear.contains(id) {
          continue
        }
        states[id] = state
        if isInformed { changes.append((id, state)) } else { before.append((id, state)) }
      case .resumed(let id, let start): reported.append(.resumed(id, at: start))
      case .server(let address, let news): reported.append(.reachability(server: address, news))
      case .refusal(let target, let trouble): reported.append(.refusal(target: target, trouble))
      case .pace(let target, let until): reported.append(.pace(target: target, until: until))
      case .settings(let settings):
        // The settings of a screen that was left apply to the next session that sends.
        if settings.isHandedOver, options.keepsLimit { ownSettings = settings }
        self.settings = settings
        reported.append(.settings(settings))
      // They were measured after the states that were told before, and before those that come later.
      case .speeds(let measured): if measured.isSound { speeds = measured }
      case .figures(let figures):
        conductor.receive(figures)
        reported.append(.figures(figures))
      case .lanes(let count, let target, let fall):
        reported.append(.lanes(count, target: target, fall: fall))
      // It may have been reported before the connection was lost.
      case .run(let target, let news) where runTroubles[target] == news: break
      case .run(let target, let news): conductor.receive(news, of: target)
      case .runsHaveEnded: break
      case .complete:
        isInformed = true
        nameSender()
        // The limit of this session's command line holds for whatever sends the queue.
        if !options.keepsLimit { _ = link.order(.limit(ownSettings.limit)) }
      }
    }
    let now = tools.time.now()
    if !before.isEmpty { reported.append(.joined(before, at: now)) }
    if let speeds { reported.append(.speeds(speeds)) }
    if !changes.isEmpty { reported.append(.changed(changes, at: now)) }
    report(reported)
  }

  /// Falls back to the states in the queue, since the sender is silent, even where news had taken precedence over them.
  private func forgetNews(_ ends: [SenderNews]) {
    // What it told before it went has been heard.
    defer { goOnAfterRuns() }
    receive(ends)
    (isInformed, endsToHear) = (false, [])
    nameSender()
    guard !isReading, !keeper.isLeaving else { return }
    revision = min(revision, newsSince)
    guard let changes = try? keeper.store.changes(since: revision) else {
      keeper.store.forgetLook()
      return watch?.lookAgain() ?? ()
    }
    apply(changes)
  }
}
