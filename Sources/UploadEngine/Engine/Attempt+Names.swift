import Foundation
import MultipartForm
import Scheduling
import UploadModel

/// The name under which the file is sent, if its target says what to do when it is taken.
extension Attempt {
  /// The size of a file, in bytes, beyond which the server is always asked first: a request costs less than a file that
  /// is sent in vain.
  private static let mostUnasked: Int64 = 1 << 20

  /// The highest number that a name gets.
  private static let mostNumbers = 10_000

  /// Finds the name under which the file is sent. A file whose name is taken leaves, unless it gets another name.
  /// `isRefused` says that the server has just said that the name is taken.
  func settleName(
    _ preparation: Preparation, _ authorization: Authorization, isRefused: Bool = false,
    on engine: isolated UploadEngine
  ) async {
    guard let first = files.first, let check = first.upload.target.nameCheck,
      let rule = first.nameRule, rule.keepsOthers
    else { return keepOthers(false) }
    takeName(by: rule, on: engine)
    var isRefused = isRefused
    while let file = files.first, let naming = file.job.naming {
      let target = file.upload.target
      let name = target.nameOnServer(of: file.upload.item, on: occasion, now: engine.time.date())
      let isSure =
        check != .address || isRefused || naming.isUnclear || target.beforeRetry != nil
        || file.upload.item.size > Self.mostUnasked
        || engine.names.condition(of: target.name) != .kept
      var found = Preparation.Occupant.nothing
      if isTakenHere(file, name, by: rule, on: engine) {
        found = .file(TakenName(name), nil)
      } else if isSure {
        found = await occupant(of: file, name, by: check, preparation, authorization, on: engine)
        leaveStopped(on: engine)
        guard files.first?.id == file.id else { return }
      }
      if isRefused, case .nothing = found { found = .file(TakenName(name), nil) }
      isRefused = false
      switch found {
      case .nothing:
        // Only a server that was asked has said that it has nothing.
        if isSure, check != .reply {
          file.job.naming?.wasFree = true
          file.job.naming?.isUnclear = false
        }
        return keepOthers(check == .address)
      case .failure(let failure): return leaveRefused([file.id], failure, authorization, on: engine)
      case .file(let taken, let end):
        let isOwn = await isOwn(file, taken, end, check, preparation, authorization, on: engine)
        leaveStopped(on: engine)
        guard files.first?.id == file.id else { return }
        switch isOwn {
        case true?:
          return leaveThere(file, end, fate(of: naming, name), authorization, on: engine)
        case nil:
          let why = "the server has a file called \(name), but nothing tells whether it is this one"
          return leave([file.id], Failure(.outcomeUnknown(why), attempts: number), on: engine)
        case false?: break
        }
        guard
          await goesOn(file, taken, end, by: rule, preparation, authorization, on: engine)
        else { return }
      }
    }
  }

  /// Whether the file goes on although its name is taken: under another name, or because what has the name was a part
  /// of it that is gone now. Otherwise, it leaves.
  private func goesOn(
    _ file: File, _ taken: TakenName, _ end: TransferEnd?, by rule: IfThere,
    _ preparation: Preparation, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> Bool {
    let naming = file.job.naming
    let mayBeRemnant = naming?.isUnclear == true
    file.job.naming?.isUnclear = false
    if mayBeRemnant, naming?.wasFree == true, file.upload.target.beforeRetry != nil {
      await removeRemnant(preparation, authorization, on: engine)
      return files.first?.id == file.id
    }
    var taken = taken
    switch rule {
    case .rename where (naming?.number ?? 0) < Self.mostNumbers && file.canBeRenamed:
      advanceName(on: engine)
      return true
    case .skip where !mayBeRemnant:
      var fate = NameFate()
      fate.skipped = taken
      leaveThere(file, end, fate, authorization, on: engine)
    default:
      if rule == .ask { (taken.asks, taken.isFixed) = (true, !file.canBeRenamed) }
      var failure = Failure(.taken(taken), status: end?.status, attempts: number)
      failure.step = nil
      leave([file.id], failure, on: engine)
    }
    return false
  }

  /// Goes on with a file whose name the server has refused, or lets it leave. Returns false if that is not why it
  /// failed.
  func nameWasTaken(
    _ batch: BatchEnd, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> Bool {
    guard files.count == 1, let file = files.first, !file.job.isStopped, let rule = file.nameRule,
      case .ended(let end, .failed(let failure))? = batch.outcomes.first?.outcome,
      failure.taken != nil
    else { return false }
    if end.isConditional, end.status == 412 {
      engine.names.note(.kept, of: file.upload.target.name)
    }
    engine.note([(file.id, .preparing(attempt: number))])
    let preparation = preparation(of: file, on: engine)
    let isRenamed = rule == .rename && file.canBeRenamed
    if isRenamed { advanceName(on: engine) }
    await settleName(preparation, authorization, isRefused: !isRenamed, on: engine)
    if occasion.address != nil { await getTicket(preparation, authorization, on: engine) }
    return true
  }

  /// Notes whether the file may be on the server under its present name.
  func noteUnclear(_ batch: BatchEnd) {
    guard let file = files.first, file.job.naming != nil,
      case .ended(let end, .failed(let failure))? = batch.outcomes.first?.outcome
    else { return }
    if end.mayLeaveRemnant(failure) { file.job.naming?.isUnclear = true }
  }

  // MARK: The name

  private func takeName(by rule: IfThere, on engine: isolated UploadEngine) {
    guard let file = files.first else { return }
    let base =
      file.job.naming.flatMap { file.isNamed($0) ? $0.base : nil } ?? file.upload.item.fileName
    if file.job.naming?.base != base {
      let number = rule == .rename ? engine.names.next(for: file.key(of: base)) : 1
      // What an earlier process has left, if anything, has the file's own name.
      let isUnclear = number == 1 && file.job.machine.mayHaveLeftRemnant
      file.job.naming = Naming(base: base, number: number, isUnclear: isUnclear)
    }
    if let naming = file.job.naming {
      rename(file.id, to: Template.Placeholder.numbered(base, naming.number))
    }
  }

  private func advanceName(on engine: isolated UploadEngine) {
    guard let file = files.first, let naming = file.job.naming else { return }
    let number = engine.names.next(for: file.key(of: naming.base), after: naming.number)
    file.job.naming = Naming(base: naming.base, number: number)
    rename(file.id, to: Template.Placeholder.numbered(naming.base, number))
  }

  private func fate(of naming: Naming, _ name: String) -> NameFate? {
    guard naming.number > 1 else { return nil }
    var fate = NameFate()
    fate.renamed = name
    return fate
  }

  /// What the file's receipt says about its name.
  var fate: NameFate? {
    guard let file = files.first, let naming = file.job.naming else { return nil }
    return fate(of: naming, file.upload.item.fileName)
  }

  /// What a reply says about the name of a file that was to replace another one: not every server replaces files.
  func storedFate(by end: TransferEnd) -> NameFate? {
    guard files.count == 1, let upload = files.first?.upload,
      (upload.item.record.ifThere ?? upload.target.ifThere) == .replace,
      let name = upload.target.response.otherName(
        than: end.sent?.name ?? upload.item.fileName, in: end)
    else { return nil }
    var fate = NameFate()
    fate.renamed = name
    return fate
  }

  /// Whether another file of this process has the name, or an earlier session has sent one there.
  private func isTakenHere(
    _ file: File, _ name: String, by rule: IfThere, on engine: isolated UploadEngine
  ) -> Bool {
    let (upload, target) = (file.upload, file.upload.target)
    let values = Preparation.values(for: upload, on: occasion, now: engine.time.date())
    let address = upload.destination.address(with: values).written
    guard target.protectsAddresses else {
      return !engine.names.take("\(target.name) \(address) \(name)", for: file.id)
    }
    // Otherwise, a file that would overwrite another one of its session fails, as it does without such a rule.
    guard rule == .rename || rule == .ask,
      let url = try? UploadRequest.url(address, at: target.url, of: target)
    else { return false }
    return engine.claim(url, for: file.job) != nil
  }

  // MARK: What is there

  private func occupant(
    of file: File, _ name: String, by check: Target.NameCheck, _ preparation: Preparation,
    _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> Preparation.Occupant {
    let upload = file.upload
    guard check == .list else {
      return await offQueue(on: engine) {
        await preparation.occupant(of: upload, name, by: check, token: authorization.token)
      }
    }
    let list = await engine.names.list(of: upload.target.name, on: engine) {
      await preparation.list(for: upload, token: authorization.token)
    }
    switch list {
    case .success(let names): return names[name].map { .file($0, nil) } ?? .nothing
    case .failure(let failure): return .failure(failure)
    }
  }

  /// Whether what has the name is the file itself; nil if it may be, but nobody can tell. After an attempt whose
  /// outcome is not known, it is compared; otherwise, only a checksum that the server gives by itself counts.
  private func isOwn(
    _ file: File, _ taken: TakenName, _ end: TransferEnd?, _ check: Target.NameCheck,
    _ preparation: Preparation, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> Bool? {
    let upload = file.upload
    guard file.job.naming?.isUnclear == true else {
      return end.map { upload.target.response.verifies($0, with: upload.item.digests) } ?? false
    }
    return await offQueue(on: engine) {
      await preparation.isSame(upload, taken, end, by: check, token: authorization.token)
    }
  }

  /// Ends the attempt for a file that is on the server, or is skipped because of what has its name there.
  private func leaveThere(
    _ file: File, _ end: TransferEnd?, _ fate: NameFate?, _ authorization: Authorization,
    on engine: isolated UploadEngine
  ) {
    let (target, hasAnswered) = (file.upload.target, end != nil)
    var end = end ?? TransferEnd(url: target.url, status: 412)
    (end.isThereAlready, end.fate) = (true, fate)
    if hasAnswered { engine.access.noteAnswer(to: file.job, authorization, on: engine) }
    let way = Way(url: target.url)
    let there = judge(end, [BatchEnd.File(id: file.id)], of: target, way, on: engine)
    conclude(there.outcomes, way, on: engine)
  }

  // MARK: The condition

  /// The largest file that is sent twice to find out whether its server keeps the condition.
  private static let mostAskedWith: Int64 = 16 << 10

  /// Finds out, once for each target, whether its server keeps the condition, by sending it a small file that it has
  /// just taken once more: either it refuses that, or it replaces the file by itself. Until that is known, and if it
  /// does not keep it, each file is preceded by a question. Returns false if the connection broke, so that the file
  /// must be sent again.
  func probeCondition(
    _ batch: BatchEnd, _ way: Way, _ authorization: Authorization, on engine: isolated UploadEngine
  ) async -> Bool {
    guard files.count == 1, let file = files.first, occasion.keepsOthers, way.redirects == 0,
      file.upload.item.size <= Self.mostAskedWith, file.upload.target.protectsAddresses,
      case .ended(let end, .delivered)? = batch.outcomes.first?.outcome, end.isConditional,
      engine.hasWaiting(for: file.upload.target.name),
      engine.names.takeQuestion(of: file.upload.target.name),
      let request = UploadRequest.make(
        [file.upload], on: occasion, to: way.url, token: authorization.token,
        hidesCredentials: !authorization.showsCredentials, mayExpect: false,
        now: engine.time.date()
      ).0
    else { return true }
    let client = ServerClient(
      to: file.upload.destination, on: occasion, token: authorization.token, from: nil,
      cookies: engine.cookies(of: file.job), time: engine.time)
    let again = await offQueue(isShielded: true, on: engine) {
      await client.end(of: request.exchange)
    }
    guard let status = again.status else {
      keepOthers(false)
      return false
    }
    switch status {
    case 412: engine.names.note(.kept, of: file.upload.target.name)
    case 200..<300: engine.names.note(.ignored, of: file.upload.target.name)
    default: break
    }
    return true
  }
}

extension Attempt.File {
  /// What is done if the name is taken: as the user has chosen for this file, or else as the target says; nil if the
  /// server is not asked.
  var nameRule: IfThere? {
    upload.target.checksNames ? upload.item.record.ifThere ?? upload.target.ifThere : nil
  }

  fileprivate var canBeRenamed: Bool { upload.target.sendsNames && !upload.target.resume.isOn }

  /// Whether the file, as it is to be sent now, has its own name or the one that it got.
  fileprivate func isNamed(_ naming: Naming) -> Bool {
    upload.item.fileName == naming.base
      || upload.item.fileName == Template.Placeholder.numbered(naming.base, naming.number)
  }

  /// What stands for a name of files in the file's folder.
  fileprivate func key(of name: String) -> String {
    "\(upload.target.name) \(upload.item.folder)\(name)"
  }
}
