import Foundation
import HTTPTransport
import JSONText
import MultipartForm
import Scheduling
import UploadModel

/// One attempt: a request on a lane, with one file, or with several that are sent together.
///
/// It owns what the attempt has found out and made so far: the files as they are sent, what the run and the ticket add,
/// and the request under way. It does not decide when it begins, what becomes of a file after it, or whether there will
/// be another: the scheduler and the job machines do.
///
/// `run` reads from top to bottom. A file can leave at each step, with its own reason, while the others go on.
final class Attempt: ExchangeObserver {
  /// A file of the attempt.
  struct File {
    let job: UploadEngine.Job
    /// The upload as it is sent: with the output of the target's command in place of the file, if there is one.
    var upload: UploadJob
    /// The folder of that output, which is removed once the attempt is over.
    var folder: TemporaryFolder?

    var id: ItemID { job.id }
  }

  /// Where the file's request goes: to the target's own address, or where a redirect has led.
  struct Way {
    var url: URL
    /// How many redirects the attempt has followed.
    var redirects = 0
    /// Whether the attempt has never left the target's own origin. Once it has left, its requests get no credentials.
    var keepsCredentials = true
  }

  /// The files that have not left.
  private(set) var files: [File]
  /// The number of the attempt, from 1.
  let number: Int
  /// Whether everything before the file's own request was done in another attempt.
  private let isPrepared: Bool
  /// What the run and the ticket add to the requests.
  private(set) var occasion = Occasion()
  /// The innermost of the folders that were there before the files were sent; nil if none was known to be missing.
  private var folder: String?
  private var exchange: Exchange?
  private var conversation: Conversation?
  /// Cancel the work that is under way outside the engine's queue, unless it is shielded.
  // What is made for each file begins with `Dictionary()`: `[:]` looks up the type of its pairs each time.
  private var steps: [Int: () -> Void] = Dictionary()
  private var lastStep = 0

  init(_ jobs: [UploadEngine.Job], number: Int) {
    files = jobs.map { File(job: $0, upload: $0.upload) }
    self.number = number
    isPrepared = false
  }

  /// An attempt that goes on with a prepared file of another one.
  private init(_ file: File, of other: Attempt) {
    (files, number, occasion, isPrepared) = ([file], other.number, other.occasion, true)
  }

  // MARK: From the first step to the last

  func run(on engine: isolated UploadEngine) async {
    leaveStoppedEarly(on: engine)
    if !isPrepared {
      leaveLate(on: engine)
      openGrowing()
      if let call = enterRun(on: engine) { await openRun(by: call, on: engine) }
      if needs?.preparation == true { await prepare(on: engine) }
      leaveUnacceptable(on: engine)
      splitResuming(on: engine)
    }
    await deliver(on: engine)
  }

  /// What the files' target needs; nil if no file is left. A step that is not needed is not even waited for: most files
  /// need none, and each wait takes as long as the step itself would.
  private var needs: SendPlan.Needs? { files.first?.upload.destination.needs }

  /// Sends the files, wherever redirects lead, and concludes.
  private func deliver(on engine: isolated UploadEngine) async {
    guard let destination = files.first?.upload.destination else { return }
    let needs = destination.needs
    var way = Way(url: destination.url)
    if needs.folders { await makeFoldersAhead(on: engine) }
    while let ended = await transmit(way, on: engine) {
      let batch = judge(ended.end, ended.shares, of: destination.target, way, on: engine)
      if needs.names, await nameWasTaken(batch, ended.authorization, on: engine) {
        way = Way(url: destination.url)
        continue
      }
      if needs.folders, await hasMadeFolders(after: ended.end, batch, way, on: engine) { continue }
      if let next = follow(batch, from: way, on: engine) {
        way = next
        engine.note(files.map { ($0.id, .preparing(attempt: number)) })
        continue
      }
      for case .ended(_, .failed(let failure)) in batch.outcomes.map(\.outcome) {
        engine.access.holdBack(askedBy: failure, ended.authorization, on: engine)
      }
      noteUnclear(batch)
      if needs.names, await !probeCondition(batch, way, ended.authorization, on: engine) {
        continue
      }
      let failures =
        needs.records
        ? await makeRecords(batch, ended.authorization, on: engine) : Dictionary()
      engine.group(batch.groups)
      noteFolders(batch, on: engine)
      return conclude(batch.outcomes, way, withoutRecord: failures, on: engine)
    }
  }

  /// A request that has ended: how, with what result for each file, and which credentials it carried. Whatever an
  /// attempt keeps while it waits takes room in each attempt, so large values lie in boxes, or belong to functions that
  /// do not wait.
  private struct Ended {
    @Boxed var end: TransferEnd
    let shares: [BatchEnd.File]
    @Boxed var authorization: Authorization
  }

  private func transmit(_ way: Way, on engine: isolated UploadEngine) async -> Ended? {
    guard let first = files.first else { return nil }
    if isResuming(first) { return await converse(way, on: engine) }
    return await request(way, on: engine)
  }

  func judge(
    _ end: TransferEnd, _ shares: [BatchEnd.File], of target: Target, _ way: Way,
    on engine: isolated UploadEngine
  ) -> BatchEnd {
    var shares = shares
    for index in shares.indices {
      shares[index].growth = files.first { $0.id == shares[index].id }?.job.file?.growth
    }
    return BatchEnd(
      end, files: shares, target: target,
      attempt: end.hasAdvanced ? 1 : number, redirects: way.redirects, now: engine.time.date())
  }

  /// Where to send the files next, if the reply redirects them. Those that the user has stopped leave.
  private func follow(
    _ batch: BatchEnd, from way: Way, on engine: isolated UploadEngine
  ) -> Way? {
    var next: Way?
    var followers: Set<ItemID> = []
    for case (let id, .ended(_, .follow(let url, let keepsCredentials))) in batch.outcomes {
      guard files.contains(where: { $0.id == id && !$0.job.isStopped }) else { continue }
      followers.insert(id)
      // A path that another server chose gets no credentials, even if it leads back to the target's own origin.
      next = Way(
        url: url, redirects: way.redirects + 1,
        keepsCredentials: way.keepsCredentials && keepsCredentials)
    }
    guard let next else { return nil }
    conclude(batch.outcomes.filter { !followers.contains($0.id) }, way, on: engine)
    return next
  }

  /// Tells the job machines how the attempt has ended for files. `failures` states why the records for some of them
  /// could not be created.
  func conclude(
    _ outcomes: [(id: ItemID, outcome: BatchEnd.Outcome)], _ way: Way,
    withoutRecord failures: [ItemID: Failure] = [:], on engine: isolated UploadEngine
  ) {
    let again = outcomes.filter { $0.outcome == .startsOver }
    // All share one time and one random number, so that they are retried together.
    let (instant, wall, random) = (engine.time.now(), engine.time.date(), engine.time.random())
    var events: [(ItemID, JobMachine.Event)] = []
    for case (let id, .ended(let end, var verdict)) in outcomes {
      if let failure = failures[id], case .delivered(let receipt) = verdict {
        // The file arrived, but its record could not be created.
        var failed = Failure(
          .notRecorded(failure.headlineOrLead), reply: failure.reply, attempts: receipt.attempts)
        (failed.step, failed.pieces) = (failure.step, end.pieces)
        verdict = .failed(failed)
      }
      let event = JobMachine.Event.ended(
        end, verdict, isRedirected: way.redirects > 0, at: instant, wall: wall, random: random)
      events.append((id, event))
    }
    end(events + again.map { ($0.id, .startOver(after: nil)) }, on: engine)
  }

  // MARK: Leaving

  /// Ends the attempt for some files, and tells their job machines how.
  private func end(_ events: [(ItemID, JobMachine.Event)], on engine: isolated UploadEngine) {
    files.removeAll { file in events.contains { $0.0 == file.id } }
    engine.conclude(events)
  }

  /// Ends the attempt for files that have failed.
  func leave(_ ids: [ItemID], _ failure: Failure, on engine: isolated UploadEngine) {
    for id in ids { engine.recordBegun(id) }
    // All share one time and one random number, so that they are retried together.
    let event = JobMachine.Event.failed(
      failure, at: engine.time.now(), random: engine.time.random())
    end(ids.map { ($0, event) }, on: engine)
  }

  /// Leaves out files that cannot be sent; the request is made without them.
  private func leave(_ ids: [ItemID], _ cause: Failure.Cause, on engine: isolated UploadEngine) {
    guard !ids.isEmpty else { return }
    leave(ids, Failure(cause), on: engine)
  }

  /// Leaves out files that the user has stopped.
  func leaveStopped(on engine: isolated UploadEngine) {
    leave(files.filter { $0.job.isTakenBack }.map(\.id), .cancelled, on: engine)
  }

  /// Leaves out files that the user has stopped since they were handed out. A file that waits for a lane has not begun.
  private func leaveStoppedEarly(on engine: isolated UploadEngine) {
    guard files.contains(where: \.job.isStopped) else { return }
    leaveUnbegun(files.filter { $0.job.isStopped && engine.isAhead($0.id) }.map(\.id), on: engine)
    leaveStopped(on: engine)
  }

  /// Puts files back in line that have not begun.
  private func leaveUnbegun(_ ids: [ItemID], on engine: isolated UploadEngine) {
    for id in ids { engine.release(id) }
    end(ids.map { ($0, .notBegun) }, on: engine)
  }

  /// Puts files back in line. The attempt does not count.
  private func startOver(
    _ restart: Authorization.Restart, _ ids: [ItemID], on engine: isolated UploadEngine
  ) {
    var refusal: Failure?
    for file in files where ids.contains(file.id) {
      switch restart {
      case .wait(let cause):
        file.job.begin = nil
        engine.noteWithdrawal(of: file.id, because: Failure(cause).headline)
      case .authorize(let failure):
        file.job.wasAuthorizedAgain = true
        refusal = failure
      }
    }
    end(ids.map { ($0, .startOver(after: refusal)) }, on: engine)
  }

  /// Leaves out files whose deadline has passed. For the others, the time begins, unless it has begun before.
  private func leaveLate(on engine: isolated UploadEngine) {
    let start = engine.time.now()
    for file in files {
      let (begin, deadline) = (file.job.begin ?? start, file.upload.target.deadline ?? .infinity)
      if !engine.isAhead(file.id) { file.job.begin = begin }
      if start - begin > deadline {
        leave([file.id], .outOfTime(seconds: deadline), on: engine)
      }
    }
  }

  /// Opens the files that are known to grow: what they have now is sent.
  private func openGrowing() {
    for index in files.indices where files[index].job.openGrowing() {
      files[index].upload = files[index].job.upload
    }
  }

  /// Leaves out files that the target does not accept as they were prepared.
  private func leaveUnacceptable(on engine: isolated UploadEngine) {
    for file in files {
      guard let refusal = file.upload.target.limits.refusal(of: file.upload.item) else { continue }
      leave([file.id], refusal, on: engine)
    }
  }

  // MARK: Stopping

  /// What is left to end when a file is stopped, if the server may have all of it.
  enum Spared {
    case nothing
    /// A request that may end the upload: if it were broken off, nobody could tell what became of the file.
    case end
    /// Whatever request is under way.
    case request
  }

  /// Breaks off what is under way for a file that the user has stopped, except what is `spared`.
  func stop(_ id: ItemID, sparing spared: Spared) {
    // Work for several files is cancelled once all of them have been taken back.
    if files.allSatisfy(\.job.isTakenBack) { for cancel in steps.values { cancel() } }
    exchange?.stop(id, isSpared: spared != .nothing)
    conversation?.stop(id, sparing: spared)
  }

  /// Whether the server may have received the upload's last request in full, or will soon, at the speed so far.
  func hasSentAll(orWillWithin seconds: Double) -> Bool {
    if let conversation { return conversation.hasSentAll(orWillWithin: seconds) }
    return exchange?.hasSentAll(orWillWithin: seconds) ?? false
  }

  /// Works outside the engine's queue. Work that must be finished even if the files are taken back is shielded.
  func offQueue<Found: Sendable>(
    isShielded: Bool = false, on engine: isolated UploadEngine,
    _ work: @escaping @Sendable () async -> Found
  ) async -> Found {
    let task = Task.detached(operation: work)
    lastStep += 1
    let number = lastStep
    if !isShielded { steps[number] = { task.cancel() } }
    defer { steps[number] = nil }
    return await task.value
  }

  /// Waits for a folder that is being made. If the files are taken back, the wait ends at once.
  func wait(for making: Folders.Making, on engine: isolated UploadEngine) async {
    lastStep += 1
    let number = lastStep
    steps[number] = { making.release(self) }
    defer { steps[number] = nil }
    await making.end(for: self, on: engine)
  }

  /// Reports that an attempt that was prepared ahead begins, and gives it a lane.
  func exchangeBegan(_ exchange: Exchange, at instant: Instant, on engine: isolated UploadEngine) {
    for file in files {
      engine.recordBegun(file.id)
      if file.job.begin == nil { file.job.begin = instant }
    }
  }

  func exchangeWasTakenBack(_ exchange: Exchange, on engine: isolated UploadEngine) {
    leaveUnbegun(files.map(\.id), on: engine)
  }

  func exchangeProgressed(_ exchange: Exchange, on engine: isolated UploadEngine) {
    engine.access.noteProgress(of: exchange, on: engine)
    engine.note(exchange.changes(at: engine.time.now()))
  }
}

/// The run that the files belong to.
extension Attempt {
  /// Takes up what the run adds to the requests. Returns the request before the first file of a run, if it has not been
  /// answered yet.
  private func enterRun(on engine: isolated UploadEngine) -> Call? {
    guard let first = files.first else { return nil }
    occasion = engine.runs.occasion(of: first.job)
    return engine.runs.opening(for: first.job)
  }

  private func openRun(by call: Call, on engine: isolated UploadEngine) async {
    guard let first = files.first else { return }
    let name = first.upload.target.name
    let authorization = engine.access.authorization(
      of: files.map(\.id), like: first.job, to: first.job.route.origin, on: engine)
    for file in files { file.job.token = authorization.token }
    let client = engine.runs.client(
      toOpen: name, first.upload.destination, authorization, engine.time)
    let result = await offQueue(isShielded: true, on: engine) { await client.opening(by: call) }
    engine.runs.noteOpeningEnded(name)
    switch result {
    case .success(let (values, isFromAway)):
      engine.access.noteAnswer(to: first.job, authorization, on: engine)
      engine.runs.noteOpened(name, with: values, isFromAway: isFromAway, on: engine)
      occasion = engine.runs.occasion(of: first.job)
      leaveStopped(on: engine)
    case .failure(let failure):
      let jobs = files.map(\.job)
      leaveRefused(files.map(\.id), failure, authorization, on: engine)
      let isOver = jobs.allSatisfy { $0.machine.state == .finished(delivered: false) }
      guard isOver, failure.cause != .cancelled else { return }
      engine.runs.noteRefused(
        name, authorization.token?.secrets.hidden(in: failure) ?? failure, on: engine)
    }
  }
}

/// What happens before the files' request: the target's command, the question whether the server has a file, and the
/// ticket.
extension Attempt {
  private func prepare(on engine: isolated UploadEngine) async {
    guard let first = files.first else { return }
    let authorization = engine.access.authorization(
      of: files.map(\.id), like: first.job, to: first.job.route.origin, on: engine)
    for file in files { file.job.token = authorization.token }
    let preparation = preparation(of: first, on: engine)
    await makeReady(preparation, on: engine)
    await askWhatIsThere(preparation, authorization, on: engine)
    if first.upload.target.checksNames {
      await settleName(preparation, authorization, on: engine)
    } else {
      await removeRemnant(preparation, authorization, on: engine)
    }
    await getTicket(preparation, authorization, on: engine)
  }

  func preparation(of file: File, on engine: isolated UploadEngine) -> Preparation {
    Preparation(
      attempt: number, on: occasion, time: engine.time, mediaType: engine.hooks.mediaType,
      known: engine.knownDigests, cookies: engine.cookies(of: file.job))
  }

  /// Sends a file under another name.
  func rename(_ id: ItemID, to name: String) {
    guard let index = files.firstIndex(where: { $0.id == id }) else { return }
    files[index].upload.item.fileName = name
  }

  /// Makes the file's request one that leaves alone what is there, or one that replaces it.
  func keepOthers(_ isOn: Bool) { occasion.keepsOthers = isOn }

  /// Runs the target's command on the files, and computes digests.
  private func makeReady(_ preparation: Preparation, on engine: isolated UploadEngine) async {
    let uploads = files.map { ($0.upload, $0.job.growingFile(at: $0.upload.item.location)) }
    let made = await offQueue(on: engine) {
      var made: [Result<PreparedUpload, Failure.Cause>] = []
      for (position, (upload, file)) in uploads.enumerated() {
        do throws(Failure.Cause) {
          made.append(.success(try await preparation.ready(upload, from: file, at: position)))
        } catch {
          made.append(.failure(error))
        }
      }
      return made
    }
    for (file, result) in zip(files, made) {
      switch result {
      case _ where file.job.isTakenBack: leave([file.id], .cancelled, on: engine)
      case .failure(let cause): leave([file.id], cause, on: engine)
      case .success(let made):
        guard let index = files.firstIndex(where: { $0.id == file.id }) else { continue }
        (files[index].upload, files[index].folder) = (made.upload, made.folder)
        // Digests of the file itself remain valid for the next attempt.
        if made.folder == nil, let digests = made.upload.item.digests {
          file.job.keep(digests, of: made.upload.item.digestMoment)
        }
      }
    }
  }

  /// Asks the server which files it has. Those that it has leave.
  private func askWhatIsThere(
    _ preparation: Preparation, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async {
    guard let target = files.first?.upload.target, target.exists != nil,
      target.ifThere == nil || target.nameCheck != .exists
    else { return }
    let ids = files.map(\.id)
    // Several files at once are only asked about here. Those that the server lacks then return to the line, since a
    // request may hold fewer files than a question.
    let onlyAsks = engine.mayOnlyAsk(about: ids)
    guard !engine.takeKnownMissing(ids) else { return }
    let uploads = files.map(\.upload)
    let existing = await offQueue(on: engine) {
      await preparation.existing(uploads, token: authorization.token)
    }
    leaveStopped(on: engine)
    for file in files {
      if let end = existing.there[file.id] {
        engine.access.noteAnswer(to: file.job, authorization, on: engine)
        let way = Way(url: target.url)
        let there = judge(
          end, [BatchEnd.File(id: file.id)], of: target, way, on: engine)
        conclude(there.outcomes, way, on: engine)
      } else if let failure = existing.failures[file.id] {
        leaveRefused([file.id], failure, authorization, on: engine)
      }
    }
    if let trouble = existing.trouble {
      leaveRefused(files.map(\.id), trouble, authorization, on: engine)
    } else if onlyAsks, !files.isEmpty {
      leaveMissing(authorization, on: engine)
    }
  }

  /// Puts files that their server does not have back in line. They are then sent without another question.
  private func leaveMissing(_ authorization: Authorization, on engine: isolated UploadEngine) {
    if let first = files.first {
      engine.access.noteAnswer(to: first.job, authorization, on: engine)
    }
    for file in files {
      engine.recordMissing(file.id)
      file.job.begin = nil
    }
    end(files.map { ($0.id, .notBegun) }, on: engine)
  }

  /// Has the server remove what an attempt that broke off may have left, if the target says how.
  func removeRemnant(
    _ preparation: Preparation, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async {
    guard let file = files.first, file.job.machine.mayHaveLeftRemnant,
      let call = file.upload.target.beforeRetry
    else { return }
    let failure = await offQueue(on: engine) { [upload = file.upload] in
      await preparation.removeRemnant(of: upload, by: call, token: authorization.token)
    }
    leaveStopped(on: engine)
    if let failure { leaveRefused([file.id], failure, authorization, on: engine) }
  }

  /// Requests the ticket that the files share. A file that its reply says is there leaves, and the next one asks.
  func getTicket(
    _ preparation: Preparation, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async {
    while let first = files.first, first.upload.target.ticket != nil {
      let upload = first.upload
      let reply = await offQueue(on: engine) { () -> Result<Preparation.TicketReply?, Failure> in
        do throws(Failure) {
          return .success(try await preparation.ticket(for: upload, token: authorization.token))
        } catch {
          return .failure(error)
        }
      }
      leaveStopped(on: engine)
      switch reply {
      case .success(.there(let end)):
        guard files.first?.id == first.id else { continue }
        engine.access.noteAnswer(to: first.job, authorization, on: engine)
        let way = Way(url: upload.target.url)
        let there = judge(
          end, [BatchEnd.File(id: first.id)], of: upload.target, way, on: engine)
        conclude(there.outcomes, way, on: engine)
      case .success(.granted(let grant)):
        // The file may go elsewhere without credentials, so let this reply show that they are valid.
        engine.access.noteAnswer(to: first.job, authorization, on: engine)
        occasion = occasion.with(grant)
        return
      case .success(nil): return
      case .failure(var failure):
        failure.step = failure.step ?? .ticket
        return leaveRefused(files.map(\.id), failure, authorization, on: engine)
      }
    }
  }

  /// Records that a request around files has failed, and that their own requests were therefore not made.
  func leaveRefused(
    _ ids: [ItemID], _ failure: Failure, _ authorization: Authorization,
    on engine: isolated UploadEngine
  ) {
    guard let first = files.first(where: { ids.contains($0.id) }) else { return }
    var failure = failure
    failure.attempts = 1
    // Nothing of the files was sent, whatever the server made of this request.
    if case .outcomeUnknown(let why) = failure.cause { failure.cause = .unusable(why) }
    failure.arrival = .notArrived
    if let restart = engine.access.settleRefusal(
      &failure, of: first.job, authorization, on: engine)
    {
      return startOver(restart, ids, on: engine)
    }
    leave(ids, failure, on: engine)
  }
}

/// The folders on the way to the files.
extension Attempt {
  private func makeFoldersAhead(on engine: isolated UploadEngine) async {
    // Of an upload in pieces, only the last request may find out that the folder is missing, and another one may be
    // refused as if the server had forgotten the upload.
    guard let first = files.first,
      engine.folders.areMadeAhead(on: first.job.route) || isResuming(first),
      let path = folders(on: engine)
    else { return }
    await makeFolders(path, on: engine)
  }

  /// Whether a folder may have been missing that is there now, so that the files are sent once more.
  private func hasMadeFolders(
    after end: TransferEnd, _ batch: BatchEnd, _ way: Way, on engine: isolated UploadEngine
  ) async -> Bool {
    // The target's rules may give such a status another meaning.
    let isRefused = batch.outcomes.allSatisfy {
      if case .ended(_, .failed(let failure)) = $0.outcome {
        !failure.mayHaveArrived
      } else {
        false
      }
    }
    // Folders are made on the target's own server.
    guard FolderRule.isMissing(end), isRefused, way.keepsCredentials, let path = folders(on: engine)
    else { return false }
    // If the address depends on the time, it may have changed in the meantime.
    guard path.folders.last?.address != folder else {
      if let route = files.first?.job.route { engine.folders.noteLoss(of: path, on: route) }
      return false
    }
    if let route = files.first?.job.route { engine.folders.noteLack(on: route) }
    engine.note(files.map { ($0.id, .preparing(attempt: number)) })
    await makeFolders(path, on: engine)
    return true
  }

  /// Makes the folders. If one cannot be made, the files leave.
  private func makeFolders(_ path: FolderPath, on engine: isolated UploadEngine) async {
    folder = path.folders.last?.address
    let obstacle = await engine.folders.provide(path, for: self, on: engine)
    leaveStopped(on: engine)
    guard let obstacle else { return }
    if let restart = obstacle.restart { return startOver(restart, files.map(\.id), on: engine) }
    leave(files.map(\.id), obstacle.failure, on: engine)
  }

  /// Records which folders are there, by the files that have arrived in them.
  private func noteFolders(_ batch: BatchEnd, on engine: isolated UploadEngine) {
    guard let first = files.first, first.upload.destination.needs.folders, folder == nil,
      batch.outcomes.contains(where: {
        if case .ended(_, .delivered) = $0.outcome { true } else { false }
      }), let path = folders(on: engine)
    else { return }
    engine.folders.noteArrival(in: path, on: first.job.route)
  }

  private func folders(on engine: isolated UploadEngine) -> FolderPath? {
    guard let upload = files.first?.upload, upload.destination.needs.folders else { return nil }
    return upload.destination.folders(
      with: Preparation.values(for: upload, on: occasion, now: engine.time.date()))
  }
}

/// The files' own request.
extension Attempt {
  /// Sends the files in one request. Returns how it ended; nil if no file is left to conclude.
  private func request(_ way: Way, on engine: isolated UploadEngine) async -> Ended? {
    exchange = begin(way, on: engine)
    guard let exchange else { return nil }
    let ending = await exchange.end(on: engine)
    self.exchange = nil
    return settle(ending, of: exchange, way, on: engine)
  }

  /// Begins the files' request. Returns nil if no file is left for it.
  private func begin(_ way: Way, on engine: isolated UploadEngine) -> Exchange? {
    guard let first = files.first, let home = first.job.route.origin else { return nil }
    if engine.isAhead(first.id), !engine.scheduler.isStarted {
      leaveUnbegun(files.map(\.id), on: engine)
      return nil
    }
    let destination = first.upload.destination
    let (address, ticketed) = (destination.url, occasion.address)
    let url = if way.url == address, let ticketed { ticketed } else { way.url }
    let isNamed =
      url == ticketed
      && destination.target.ticket?.namedHosts.contains { $0.holds(for: url, from: home) } == true
    // Only the target's own origin and the hosts that it names get credentials, whatever was decided elsewhere.
    let authorization = engine.access.authorization(
      of: files.map(\.id), like: first.job, to: url == address ? home : Origin(url),
      keepsCredentials: way.keepsCredentials, isNamed: isNamed, on: engine)
    let draft = first.job.draft.take().flatMap { draft in
      url == address && draft.token == authorization.number ? draft : nil
    }
    let (request, faults) =
      draft.map { ($0.request, []) }
      ?? UploadRequest.make(
        files.map(\.upload), on: occasion, from: growingFiles, to: url, token: authorization.token,
        hidesCredentials: !authorization.showsCredentials,
        mayExpect: engine.exchanges.mayExpect(at: url), now: engine.time.date())
    for fault in faults { leave(fault.items, fault.cause, on: engine) }
    guard let request, let first = files.first else { return nil }
    // A prepared file has a different path in each attempt, so the original stands for it.
    if let cause = engine.claim(request.exchange.url, for: first.job) {
      leave([first.id], cause, on: engine)
      // The address was the first file's. The others may have another one.
      return begin(way, on: engine)
    }
    if destination.needs.command {
      // The prepared file differs in size from the original.
      engine.note(
        request.files.map { item, content in
          (item.id, .sending(attempt: number, sent: 0, total: Int64(content.count)))
        })
    }
    for file in files { file.job.token = authorization.token }
    return engine.exchanges.begin(
      request, draft?.body, to: url, attempt: number, authorization,
      cookies: engine.cookies(of: first.job),
      isAhead: files.contains { engine.isAhead($0.id) }, observer: self, on: engine)
  }

  /// A file's request, made before its attempt begins.
  final class Draft {
    let request: UploadRequest
    /// The body, already read if it is small.
    let body: any ExchangeBody
    /// The number of the token that the request carries.
    let token: Int

    fileprivate init(_ request: UploadRequest, token: Int) {
      (self.request, self.token) = (request, token)
      body = UploadBody(form: request.body).readAhead()
    }
  }

  /// Makes the request of a file that is to be sent in a single one. If that is not possible, the attempt will say why.
  static func draft(of job: UploadEngine.Job, on engine: isolated UploadEngine) -> Draft? {
    let destination = job.upload.destination
    guard destination.needs.oneRequestForEachFile, !job.isGrowing else { return nil }
    let authorization = engine.access.authorization(
      of: [job.id], like: job, to: job.route.origin, on: engine)
    let (request, _) = UploadRequest.make(
      [job.upload], on: engine.runs.occasion(of: job), to: destination.url,
      token: authorization.token, hidesCredentials: false,
      mayExpect: engine.exchanges.mayExpect(at: destination.url), now: engine.time.date())
    return request.map { Draft($0, token: authorization.number) }
  }

  /// Takes note of how the files' request has ended. Returns nil if the attempt does not count.
  private func settle(
    _ ending: Exchange.Ending, of exchange: Exchange, _ way: Way,
    on engine: isolated UploadEngine
  ) -> Ended? {
    guard case .ended(var end) = ending, let first = files.first else { return nil }
    end.isConditional = occasion.keepsOthers || first.upload.destination.needs.ownCondition
    end.fate = fate ?? storedFate(by: end)
    engine.judgeAhead(after: exchange, end)
    if let restart = engine.access.settle(
      &end, exchange.authorization, of: first.job, redirects: way.redirects,
      isProof: exchange.isProof(end), on: engine)
    {
      startOver(restart, files.map(\.id), on: engine)
      return nil
    }
    return Ended(end: end, shares: exchange.files, authorization: exchange.authorization)
  }

  /// The open files of uploads whose files grow.
  private var growingFiles: [ItemID: HeldFile] {
    var open: [ItemID: HeldFile] = Dictionary()
    for file in files {
      if let held = file.job.growingFile(at: file.upload.item.location) { open[file.id] = held }
    }
    return open
  }
}

/// Files that are sent in several requests each, so that they can resume.
extension Attempt {
  /// Whether a file is sent in several requests.
  private func isResuming(_ file: File) -> Bool {
    file.upload.destination.needs.resuming
      && (file.upload.target.resume.holds(for: file.upload.item.size)
        || file.job.resumePoint != nil)
  }

  /// Lets each file that is sent in several requests go on by itself if it shares this attempt with others.
  private func splitResuming(on engine: isolated UploadEngine) {
    guard files.count > 1 else { return }
    for file in files where isResuming(file) && files.count > 1 {
      files.removeAll { $0.id == file.id }
      let own = Attempt(file, of: self)
      engine.begin(own)
    }
  }

  /// Sends a file in several requests. Returns how the last of them ended; nil if the file has left.
  private func converse(_ way: Way, on engine: isolated UploadEngine) async -> Ended? {
    var fresh: UploadJob?
    while let file = files.first {
      let found: Conversation
      do throws(Failure.Cause) {
        guard let made = try await conversation(for: fresh ?? file.upload, way, on: engine) else {
          leave([file.id], .cancelled, on: engine)
          return nil
        }
        found = made
      } catch {
        leave([file.id], error, on: engine)
        return nil
      }
      conversation = found
      let ending = await found.run(on: engine)
      conversation = nil
      switch ending {
      case .again: fresh = file.job.upload
      case .restart(let restart):
        startOver(restart, [file.id], on: engine)
        return nil
      case .ended(let end, let share, let authorization):
        return Ended(end: end, shares: [share], authorization: authorization)
      }
    }
    return nil
  }

  /// The conversation about a file as it is now; nil if the user has stopped it meanwhile.
  private func conversation(
    for upload: UploadJob, _ way: Way, on engine: isolated UploadEngine
  ) async throws(Failure.Cause) -> Conversation? {
    guard let job = files.first?.job else { return nil }
    var (upload, file) = try job.withPresentFile(upload)
    defer { if !files.isEmpty { files[0].upload = upload } }
    let wanted = upload.destination.digests
    if !wanted.isEmpty, upload.item.digests == nil {
      // The checksums that the target asks for, from the file as it is sent.
      let digests = await offQueue(on: engine) { [file] in FileDigest.digests(wanted, of: file) }
      guard !job.isTakenBack else { return nil }
      guard let digests else { throw FileDigest.failure }
      upload.item.digests = digests
      job.keep(digests)
      (upload, file) = try job.withPresentFile(upload)
    }
    let loss: ResumePoint.Loss?
    switch try job.proof(of: file) {
    case .same: loss = nil
    case .none: loss = .fileUncertain
    case .inContent:
      let isSame = await offQueue(on: engine) { [file] in (try? file.compare()) ?? false }
      guard !job.isTakenBack else { return nil }
      loss = isSame ? nil : .fileChanged
    }
    return try Conversation(
      about: upload, of: file, in: self, job, way, loss: loss, on: engine)
  }
}

/// What follows the files' request.
extension Attempt {
  /// Confirms each delivered file and creates the record for it. Returns the failures by file.
  private func makeRecords(
    _ batch: BatchEnd, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> [ItemID: Failure] {
    guard let work = recording(of: batch, authorization, on: engine) else { return [:] }
    // The files have arrived, so this is done even if they are taken back.
    return await offQueue(isShielded: true, on: engine, work)
  }

  /// What has to be done for the delivered files; nil if nothing.
  private func recording(
    of batch: BatchEnd, _ authorization: Authorization, on engine: isolated UploadEngine
  ) -> (@Sendable () async -> [ItemID: Failure])? {
    guard let first = files.first else { return nil }
    let target = first.upload.target
    let (now, occasion) = (engine.time.date(), occasion)
    let delivered = zip(files, 1...).compactMap { file, index -> (ItemID, Template.Values)? in
      guard
        case .ended(let end, .delivered)? = batch.outcomes.first(where: { $0.id == file.id })?
          .outcome
      else { return nil }
      var values = Preparation.values(for: file.upload, on: occasion, now: now)
      values.resultURL = target.response.address(in: end) ?? ""
      values.reply = JSONValue(text: end.reply.text)
      values.index = index
      return (file.id, values)
    }
    guard !delivered.isEmpty else { return nil }
    let client = ServerClient(
      to: first.upload.destination, on: occasion.aside(), token: authorization.token,
      from: engine.tokenSource,
      cookies: engine.cookies(of: first.job), time: engine.time)
    let asked = Result { () throws(InvalidInput) in
      try target.ticket?.confirmation?.request(askedForBy: occasion.ticket, of: target)
    }.mapError { Failure(.unusable($0.description)) }
    let create = target.server.create
    return {
      var failures: [ItemID: Failure] = [:]
      for (id, values) in delivered {
        do throws(Failure) {
          if let call = try asked.get() { _ = try await client.reply(to: call, values) }
        } catch {
          failures[id] = error
          failures[id]?.step = .confirmation
          continue
        }
        guard let create else { continue }
        do throws(Failure) { _ = try await client.reply(to: create, values) } catch {
          failures[id] = error
        }
      }
      return failures
    }
  }
}
