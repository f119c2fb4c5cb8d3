import Foundation
import JSONText
import MultipartForm
import UploadModel

/// Decides what to ask next of a server that takes a file in pieces: replies in, requests out. It does no I/O and lives
/// for one attempt; only the `ResumePoint` outlives it.
///
/// ```
///  begin ──► (ticket ──►) piece ──► piece … ──► finish
///    ▲ forgotten            ▲
///    │           status ────┘
///  abort        (where a point was kept)
/// ```
///
/// If pieces may go in any order, several go at once, as many as the caller asks for. If one fails, its failure is
/// handled once the others have ended.
package struct PieceMachine: ResumeMachine {
  private enum Phase {
    case aborting, beginning, asking, asksTicket, sending, verifying, finishing

    /// Whether the request under way concerns one piece.
    var isOfPiece: Bool { self == .asksTicket || self == .sending }
  }

  /// A piece under way.
  private struct Flight: Sendable {
    var phase: Phase
    var piece: Template.Values.Piece
    var ticket: JSONValue?
    var last: ResumeRequest?
    var redirects: Int
  }

  package private(set) var course: ResumeCourse
  @Boxed private var rules: PieceRules
  /// The most pieces that may be under way at once.
  private let mostAtOnce: Int
  /// The value of `{upload.id}` in an upload that this attempt begins.
  private let freshID: String
  private var phase = Phase.beginning
  private var piece = Template.Values.Piece()
  private var ticket: JSONValue?
  /// The pieces under way, by index, including the one being handled.
  private var flights: [Int: Flight] = [:]
  /// The first failure of a piece, to be handled once the others under way have ended.
  private var held: (flight: Flight, end: TransferEnd)?
  /// The change to the file that forces the upload to be given up; nil if there was no such change.
  private var spoilt: Failure.Cause?
  /// Whether the server may have the whole file, since a request whose reply does not say so may have finished the
  /// upload.
  package private(set) var mayBeWhole = false
  /// The rules for the reply that ends an upload.
  @Boxed private var response: ReplyRules

  package init(_ start: ResumeStart) throws(Failure.Cause) {
    let rules = start.target.resume.pieces ?? PieceRules()
    let values = start.values(start.now)
    course = ResumeCourse(
      start, creation: rules.url == nil ? try start.creation(values) : start.url, values)
    (self.rules, mostAtOnce, freshID) = (rules, rules.mostAtOnce, start.id)
    response = rules.response(of: start.target)
  }

  package static func termination(
    of point: ResumePoint, at target: Target, _ values: Template.Values
  ) -> ResumeRequest? {
    guard let call = target.resume.pieces?.abort, let pieces = point.pieces else { return nil }
    return try? ResumeRequest(call, of: target, pieces.values(values, of: point.identity.size))
  }

  // MARK: The beginning

  package mutating func start(without loss: ResumePoint.Loss?) -> [ResumeAction] {
    let known = course.point
    course.checkPoint(Self.self, loss: loss)
    if let point = course.point {
      // If another program wrote the point, it may be an impossible one.
      if point.pieces?.seal != seal || !settle(point) {
        course.lose(.formChanged)
      } else if rules.status == nil, !settleUnanswered() {
        course.lose(.pieceUncertain)
      }
    }
    guard var point = course.point else {
      // The upload cannot resume, but the server may have finished it. A second copy must not be sent unless the user
      // asks for that.
      if known?.pieces?.isFinishing == true, let loss = course.loss, loss != .fileChanged {
        let why = "the server may have the whole file, but the upload cannot resume"
        return [.forget] + course.unknown(TransferEnd(url: course.creation), why)
      }
      return abort(known)
    }
    mayBeWhole = point.pieces?.isFinishing == true
    guard rules.status != nil else {
      course.recordStart(into: &point)
      course.point = point
      return keep() + goOn()
    }
    // Placeholders in the request may tell the server how much of the file it should have.
    piece.range = point.offset..<point.offset
    return ask(rules.status, .asking)
  }

  /// Whether an upload can resume from a point.
  private mutating func settle(_ point: ResumePoint) -> Bool {
    let progress = point.pieces?.resumed(at: point.offset, of: course.length, by: rules)
    guard let progress else { return false }
    note { $0 = progress }
    return true
  }

  /// Settles whether the server has a piece whose reply was lost. Returns whether the upload can resume.
  private mutating func settleUnanswered() -> Bool {
    guard var point = course.point, let progress = point.pieces, progress.isUnderWay else {
      return true
    }
    switch rules.unanswered {
    case .again: return true
    case .restart: return false
    case .taken:
      // The upload cannot resume if it needs the lost reply, which is so for the reply to the first piece, if that
      // gives values, and for the reply to the last piece.
      guard rules.beginning.isEmpty || progress.hasTaken, !progress.isFinishing,
        (try? course.record(min(point.offset + progress.size, course.length), into: &point)) != nil
      else { return false }
      course.point = point
      note { ($0.hasTaken, $0.isUnderWay) = (true, false) }
      return true
    }
  }

  /// Makes the server forget an upload that is given up. Then begins a new one, unless the file changed while it was
  /// being sent.
  private mutating func abort(_ point: ResumePoint?) -> [ResumeAction] {
    guard let point, point.pieces != nil, point.target == course.target.name,
      let request = point.termination(at: course.target, course.values)
    else { return spoilt.map { [.forget] + cannot($0) } ?? begin() }
    phase = .aborting
    return [.forget] + course.send(request)
  }

  private var seal: String { rules.seal(course.values.opened ?? [:]) }

  private mutating func begin() -> [ResumeAction] {
    flights = [:]
    do throws(Failure.Cause) {
      var progress = PieceProgress(
        id: freshID, size: try rules.size(for: course.length), seal: seal)
      if mostAtOnce > 1 { progress.done = PieceSet() }
      // The point is saved without the query, which may contain credentials.
      var place = URLComponents(url: course.creation, resolvingAgainstBaseURL: true)
      place?.query = nil
      course.point = ResumePoint(
        url: place?.url ?? course.creation, target: course.target.name, identity: course.identity,
        loss: course.loss, pieces: progress)
      mayBeWhole = false
      course.first = 0
      return rules.begin == nil ? keep() + goOn() : ask(rules.begin, .beginning)
    } catch {
      return cannot(error)
    }
  }

  // MARK: Requests

  private func keep() -> [ResumeAction] { course.point.map { [.keep($0)] } ?? [] }

  private mutating func note(_ change: (inout PieceProgress) -> Void) {
    guard var point = course.point, var progress = point.pieces else { return }
    change(&progress)
    point.pieces = progress
    course.point = point
  }

  /// The values for the next request.
  private var filled: Template.Values {
    var filled = course.point?.pieces?.values(course.values, of: course.length) ?? course.values
    filled.piece = piece
    filled.ticket = ticket
    // In the first piece, values that only its own reply gives are empty.
    for value in rules.beginning where filled.upload.begun[value.name] == nil {
      filled.upload.begun[value.name] = ""
    }
    return filled
  }

  private mutating func ask(
    _ call: Call?, _ phase: Phase, _ values: Template.Values? = nil
  ) -> [ResumeAction] {
    guard let call else { return [] }
    self.phase = phase
    do throws(Failure.Cause) {
      var request = try ResumeRequest(call, of: course.target, values ?? filled)
      request.endsUpload = mayFinish
      if phase.isOfPiece { request.number = piece.index }
      if phase == .sending {
        request.content = piece.range
        request.described?.isForm = call.body == .multipart
        request.holdsEnd = isLastRequest || rules.unanswered != .again
      }
      let actions = course.send(request)
      if phase.isOfPiece { save() }
      return actions
    } catch {
      return cannot(error)
    }
  }

  /// Notes whether another server has chosen values that the next requests are made from.
  private mutating func noteSource(_ end: TransferEnd) {
    guard Origin(end.url) != course.target.origin else { return }
    note { $0.isFromAway = true }
  }

  /// Sends the next piece, or finishes the upload.
  private mutating func goOn() -> [ResumeAction] {
    guard var point = course.point, let progress = point.pieces else { return begin() }
    course.recordStart(into: &point)
    course.point = point
    if let done = progress.done {
      // While other pieces are under way, the caller asks for more when it can send them.
      guard flights.isEmpty, held == nil else { return [] }
      guard let next = missing else { return verify() }
      let sending = sendPiece(from: Int64(next) * progress.size, progress.size)
      return (done.isEmpty ? [.readAnew] : []) + sending
    }
    if point.offset >= course.length, progress.hasTaken || course.length > 0 { return finish() }
    return sendPiece(from: point.offset, progress.size)
  }

  /// Sends a piece, or first asks for the digests or the ticket that it needs.
  private mutating func sendPiece(from start: Int64, _ size: Int64) -> [ResumeAction] {
    piece = rules.piece(from: start, of: size, in: course.length)
    (ticket, phase, course.redirects) = (nil, .sending, 0)
    save()
    let digests = rules.digests
    return digests.isEmpty ? sendPiece() : [.digest(piece.range, digests, number: piece.index)]
  }

  package mutating func handle(_ digests: ContentDigests, number: Int) -> [ResumeAction] {
    guard let flight = flights[number] else { return [] }
    if held != nil { return drop(number) }
    return trying(flight) {
      $0.piece.digests = digests
      return $0.sendPiece()
    }
  }

  // MARK: Several pieces at once

  package var sendsInAnyOrder: Bool { course.point?.pieces?.done != nil }
  package var width: Int { max(1, flights.count) }
  package var isBreakingOff: Bool { held != nil }
  package var wantsMore: Bool {
    held == nil && !flights.isEmpty && flights.count < mostAtOnce && missing != nil
  }

  package mutating func sendMore() -> [ResumeAction] {
    guard wantsMore, let index = missing, let progress = course.point?.pieces else { return [] }
    return trying(nil) { $0.sendPiece(from: Int64(index) * progress.size, progress.size) }
  }

  /// The first piece that the server does not have and that is not under way; nil if there is none.
  private var missing: Int? {
    guard let progress = course.point?.pieces else { return nil }
    return progress.done?.firstMissing(
      before: PieceRules.count(of: progress.size, for: course.length), without: Set(flights.keys))
  }

  /// Saves the state of the piece that is being handled.
  private mutating func save() {
    flights[piece.index] = Flight(
      phase: phase, piece: piece, ticket: ticket, last: course.last, redirects: course.redirects)
  }

  private mutating func load(_ flight: Flight) {
    (phase, piece, ticket) = (flight.phase, flight.piece, flight.ticket)
    (course.last, course.redirects) = (flight.last, flight.redirects)
  }

  /// Takes a step with one of the pieces. A step that would end the attempt is put off while other pieces are under
  /// way. `flight` is nil for a piece that is about to be sent; `end` says how its request has ended, if it has.
  private mutating func trying(
    _ flight: Flight?, _ end: TransferEnd? = nil,
    _ step: (inout PieceMachine) -> [ResumeAction]
  ) -> [ResumeAction] {
    var trial = self
    if let flight { trial.load(flight) }
    let actions = step(&trial)
    let stop = actions.end
    var underWay = flights
    if let flight { underWay[flight.piece.index] = nil }
    let othersGoOn = !underWay.isEmpty || held != nil
    let concernsOnlyThisPiece = stop == nil && trial.phase.isOfPiece && !actions.contains(.forget)
    if concernsOnlyThisPiece || !othersGoOn {
      self = trial
      if stop != nil { flights = [:] }
      if held != nil, flights.isEmpty { return actions + release() }
      return actions
    }
    // The step is dropped. Once the other pieces have ended, the failure is judged again by what is known then.
    guard let failed = flight ?? trial.flights[trial.piece.index] else { return drop(piece.index) }
    if held == nil, let end = end ?? stop { held = (failed, end) }
    return drop(failed.piece.index)
  }

  /// Removes a piece from those under way. After the last one, handles the failure that was held back.
  private mutating func drop(_ index: Int) -> [ResumeAction] {
    flights[index] = nil
    return flights.isEmpty ? release() : []
  }

  private mutating func release() -> [ResumeAction] {
    guard let (flight, end) = held else { return [] }
    held = nil
    flights = [flight.piece.index: flight]
    load(flight)
    let actions = judge(end)
    if actions.end != nil { flights = [:] }
    return actions
  }

  // MARK: The end

  /// Before the server joins the pieces, checks whether the file changed while they were being sent.
  private mutating func verify() -> [ResumeAction] {
    if course.point?.pieces?.isFinishing == true { return finish() }
    phase = .verifying
    return [.verify]
  }

  /// Finishes the upload, unless the file has changed.
  package mutating func handle(verified trouble: Failure.Cause?) -> [ResumeAction] {
    guard let trouble else { return finish() }
    guard case .changed = trouble, let point = course.point else { return cannot(trouble) }
    spoilt = trouble
    course.lose(.fileChanged)
    return abort(point)
  }

  private mutating func sendPiece() -> [ResumeAction] {
    if ticket == nil, rules.ticket != nil { return ask(rules.ticket, .asksTicket) }
    return ask(rules.call(for: piece), .sending)
  }

  /// Notes whether the piece may finish the upload, and whether it must not be repeated. Until the end of the piece is
  /// sent, the server cannot have taken the piece, so an attempt that is killed earlier leaves no doubt.
  package mutating func handleHeldEnd() -> [ResumeAction] {
    let (mayFinish, mustNotRepeat) = (isLastRequest, rules.unanswered != .again)
    note { ($0.isFinishing, $0.isUnderWay) = (mayFinish, mustNotRepeat) }
    return keep()
  }

  private mutating func finish() -> [ResumeAction] {
    guard let call = rules.finish else {
      // The server has the whole file, but its final reply was lost.
      let end = TransferEnd(url: course.last?.url ?? course.creation)
      return course.arrived(end, 200, isReplyLost: true)
    }
    let isNews = course.point?.pieces?.isFinishing == false
    note { $0.isFinishing = true }
    var values = filled
    values.upload.pieces =
      course.point?.pieces?.list(filled, of: course.length, by: rules) ?? ""
    let actions = ask(call, .finishing, values)
    return (isNews ? keep() : []) + actions
  }

  // MARK: Replies

  package mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction] {
    if phase == .aborting {
      // The reply does not matter: a server that cannot delete the upload lets it expire.
      return spoilt.map(cannot) ?? begin()
    }
    guard !flights.isEmpty else { return judge(end) }
    guard let flight = flights[end.number] ?? (flights.count == 1 ? flights.values.first : nil)
    else { return [] }
    if held != nil, flight.phase == .asksTicket { return drop(flight.piece.index) }
    return trying(flight, end) { $0.judge(end) }
  }

  private mutating func judge(_ end: TransferEnd) -> [ResumeAction] {
    var end = end
    let (step, call) = request
    end.step = step
    if mayFinish { noteDoubt(end) }
    end.mayBeWhole = mayBeWhole
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      return interrupted(end)
    }
    let isWhole = mayFinish
    let isOK = call?.rules.isOK(status) == true
    if !isOK, !(isWhole && response.isOK(status)), status == 307 || status == 308 {
      let actions = course.follow(end)
      if phase.isOfPiece { save() }
      return actions
    }
    course.redirects = 0
    // The reply to the request that ends the upload is the upload's reply.
    if isWhole, !(isOK && saysLess(end, call)) { return finishWhole(end, status) }
    if phase == .asking, !isOK, response.isOK(status) { return finishWhole(end, status) }
    guard let call, isOK else { return refuse(end, status) }
    if let words = course.target.retry.complaint(in: end) { return failed(.rejected(words), end) }
    if let cause = call.rules.complaint(in: call.rules.read(end.reply), of: end) {
      return failed(cause, end)
    }
    do throws(ResumeFault) {
      switch phase {
      case .beginning: return finishBeginning(end, call)
      case .asking: return try finishAsking(end, call)
      case .asksTicket:
        guard let document = JSONValue(text: end.reply.text) else {
          return failed(.unusable("its answer is not JSON"), end)
        }
        ticket = document
        noteSource(end)
        return sendPiece()
      case .sending: return try finishPiece(end, call)
      case .aborting, .verifying, .finishing: return course.over(end, status: status)
      }
    } catch {
      return course.fail(error, end)
    }
  }

  /// Handles a request that ended without a reply.
  private mutating func interrupted(_ end: TransferEnd) -> [ResumeAction] {
    guard !end.sentAll, mayFinish || course.point?.pieces?.isUnderWay == true else {
      return course.over(end, status: nil)
    }
    // The server cannot have taken a piece that it did not get in full.
    if phase == .sending { note { $0.isUnderWay = false } }
    return keep() + course.over(end, status: nil)
  }

  package var mayFinish: Bool { phase == .finishing || phase == .sending && isLastRequest }
  package var isFinishing: Bool { phase == .finishing }

  /// Notes whether a request may have finished the upload although its reply does not say so.
  private mutating func noteDoubt(_ end: TransferEnd) {
    guard !mayBeWhole else { return }
    let isCutSuccess = end.trouble != nil && end.status.map { $0 < 300 } == true
    if let meaning = end.meaning, !isCutSuccess {
      mayBeWhole = meaning.leavesDoubt || end.leadsToResult
    } else if end.sentAll {
      mayBeWhole = true
    } else {
      note { $0.isFinishing = false }
    }
  }

  /// Whether the piece under way may complete the upload.
  private var isLastRequest: Bool { piece.isLast && rules.finish == nil }

  /// The request under way: which step of the upload it is, and how the configuration describes it.
  private var request: (step: Failure.Step?, call: Call?) {
    switch phase {
    case .aborting, .verifying: return (nil, nil)
    case .beginning: return (.begin, rules.begin)
    case .asking: return (.status, rules.status)
    case .asksTicket: return (.pieceTicket, rules.ticket)
    case .sending:
      let size = course.point?.pieces?.size ?? course.length
      let count = PieceRules.count(of: size, for: course.length)
      return (.piece(piece.index + 1, of: count), rules.call(for: piece))
    case .finishing: return (.finish, rules.finish)
    }
  }

  /// Whether the reply to the last piece says that the server does not have the whole file.
  private func saysLess(_ end: TransferEnd, _ call: Call?) -> Bool {
    let count = try? call?.offset?.value(in: end, known: course.length)
    return count.map { $0 < course.length } ?? false
  }

  private mutating func finishWhole(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    guard response.isOK(status) || response.isCarriedOut(end) else { return refuse(end, status) }
    var end = end
    // This content was read by the target's own rules, which are not those for the end of an upload.
    end.content = nil
    end.rules = response
    if let words = course.target.retry.complaint(in: end) { return failed(.rejected(words), end) }
    switch response.complaint(in: response.read(end.reply), of: end) {
    case nil: return course.arrived(end, status)
    // A reply that says neither is as good as lost: the request is sent again.
    case .outcomeUnknown(let why)?:
      mayBeWhole = true
      (end.mayBeWhole, end.isTemporary) = (true, true)
      return failed(.unusable(why), end)
    // The server is done with the upload.
    case .some: return [.forget] + course.arrived(end, status)
    }
  }

  private mutating func finishBeginning(_ end: TransferEnd, _ call: Call) -> [ResumeAction] {
    switch call.values.found(in: end) {
    case .failure(let missing): return failed(.unusable(missing.description), end)
    case .success(let begun):
      note { $0.begun = begun }
      noteSource(end)
      return keep() + goOn()
    }
  }

  private mutating func finishAsking(
    _ end: TransferEnd, _ call: Call
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point else { return course.over(end, status: end.status) }
    if let offset = call.offset {
      try course.record(offset.value(in: end, known: point.offset), into: &point)
    }
    course.recordStart(into: &point)
    course.point = point
    note { $0.hasTaken = $0.hasTaken || point.offset > 0 }
    return keep() + goOn()
  }

  private mutating func finishPiece(
    _ end: TransferEnd, _ call: Call
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point else { return course.over(end, status: end.status) }
    let sent = piece.range.upperBound
    var reached = try call.offset?.value(in: end, known: sent) ?? sent
    guard reached <= sent else { throw .offsetBeyondEnd }
    let before = point.offset
    // If pieces go in any order, the offset counts the bytes that have arrived; these need not be the beginning of the
    // file.
    if sendsInAnyOrder { reached = before + Int64(piece.range.count) }
    try course.record(reached, into: &point)
    var begun: [String: String] = [:]
    let beginning = before == 0 ? rules.beginning : []
    switch (call.values.found(in: end), beginning.found(in: end)) {
    case (.failure(let missing), _), (_, .failure(let missing)):
      return failed(.unusable(missing.description), end)
    case (.success(let values), .success(let others)): (piece.values, begun) = (values, others)
    }
    course.point = point
    let index = piece.index
    flights[index] = nil
    if reached == before, !piece.range.isEmpty { return course.doubt(end, status: nil) ?? goOn() }
    let names = rules.keptValues
    let kept = names.map { piece.values[$0] ?? piece.digests?[named: $0] ?? "" }
    if !beginning.isEmpty { noteSource(end) }
    note {
      $0.hasTaken = true
      $0.isUnderWay = false
      $0.begun.merge(begun) { _, new in new }
      $0.done?.insert(index)
      if !names.isEmpty { $0.keep(kept, at: index) }
    }
    return keep() + goOn()
  }

  // MARK: Failures

  private mutating func refuse(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    if rules.isForgotten(end), phase != .beginning {
      if mayBeWhole {
        return [.forget]
          + course.unknown(end, "the server no longer knows the upload, but may have finished it")
      }
      if rules.begin != nil || !rules.beginning.isEmpty {
        return course.startOver(end, status) ?? begin()
      }
    }
    var kept: [ResumeAction] = []
    if phase == .sending, course.point?.pieces?.isUnderWay == true,
      end.meaning?.leavesDoubt != true
    {
      // The server has not taken the piece.
      note { $0.isUnderWay = false }
      kept = keep()
    }
    guard response.isOK(status) else { return kept + course.over(end, status: status) }
    let why = "the setting \"ok\" of this request does not include that status"
    return kept + failed(.unusable(why), end)
  }

  private func failed(_ cause: Failure.Cause, _ end: TransferEnd) -> [ResumeAction] {
    var end = end
    (end.trouble, end.earlierStatus) = (cause, end.status)
    return course.over(end, status: nil)
  }

  /// Ends the attempt because a request cannot be sent.
  private func cannot(_ cause: Failure.Cause) -> [ResumeAction] {
    var end = TransferEnd(url: course.last?.url ?? course.creation)
    (end.trouble, end.step, end.mayBeWhole) = (cause, request.step, mayBeWhole)
    return course.over(end, status: nil)
  }
}
