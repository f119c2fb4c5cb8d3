import Foundation
import JSONText
import MultipartForm
import ScalarText
import UploadDraft
import UploadModel

/// Decides what to ask a server that may speak Resumable Uploads for HTTP
/// (draft-ietf-httpbis-resumable-upload), in any version of the draft.
///
/// ```
///  OPTIONS ──► the target's own request ─────────────────────► its reply
///  (auto, or     │ 104 with Location: kept                         ▲
///   chunks)      └─ lost, 5xx ─► HEAD ─► PATCH ─► PATCH … ─────────┘
///                      ▲           ▲       │ 409, 413
///           (where a point was kept)└──────┘
/// ```
///
/// The request that begins an upload is the one that the target describes, with an additional `Upload-Complete: ?1`. A
/// server that does not know the protocol takes it like any other request, and its reply is judged like any other. A
/// server whose limit for one request is smaller than the content gets an empty request first (`Upload-Complete: ?0`),
/// then pieces.
///
/// `VersionNegotiation` finds the version of the draft: if the server wants the content without having made an offer, the
/// request is cancelled, and the next version is tried. The upload keeps the version in which it was offered.
///
/// Some proxies, nginx among them, take an interim reply for the final one. They hold it back, or pass it on and then
/// send no more of the body. Once such a proxy is noticed, its server gets the usual request without the draft's
/// fields.
package struct HTTPResumeMachine: ResumeMachine {
  /// The first request is the target's own.
  package static let sendsTargetsBody = true

  enum Phase {
    case settling, discarding, discovering, creating, asking, appending, replaying, deleting
  }

  /// Why the creating request is being broken off, which decides what comes next.
  private enum BreakOff {
    /// The server made no offer in this version of the draft, so it is asked in another version.
    case noOffer
    /// The upload is larger than the server allows, so it is deleted.
    case unwanted
    /// The server does not take all the content in one request: the rest goes in pieces.
    case tooMuchAtOnce
    /// Interim replies do not get through, so the upload is deleted and begun again with the usual request.
    case lostInterims
  }

  package private(set) var course: ResumeCourse
  /// The limits that the server has announced for all uploads.
  private var announced: ResumeLimits?
  private var size: RequestSize
  private var negotiation: VersionNegotiation
  /// Whether the server is first asked which protocol it speaks.
  private let discovers: Bool
  private var phase = Phase.discovering
  /// Why the request under way is being broken off; nil if it is not being broken off.
  private var breakOff: BreakOff?
  /// How the attempt ends once the upload is deleted, or once the lost reply has been asked for again.
  private var held: TransferEnd?
  /// Whether interim replies do not get through.
  private var losesInterims: Bool
  /// Whether the upload is deleted because interim replies are lost, and begun again with the usual request.
  private var leavesDraft = false
  /// Whether everything was sent before a request was broken off, so that the server may have stored the file.
  private var hadAll = false
  /// Whether the server did not delete the upload when asked to, so that the upload continues after all.
  private var staysWithDraft = false

  package init(_ start: ResumeStart) throws(Failure.Cause) {
    let body = try start.body()
    let values = start.values(body.form?.made ?? start.now)
    course = ResumeCourse(start, creation: try start.creation(values), values, body)
    let known =
      if case .http(let known)? = start.server { known } else { HTTPResumeServer(isSettled: false) }
    announced = known.limits
    negotiation = VersionNegotiation(with: known, upload: start.point?.version)
    losesInterims = start.server == .usual
    let resume = start.target.resume
    size = RequestSize(chunk: resume.chunk, limits: known.limits)
    discovers = start.server == nil && (resume.mode == .auto || resume.chunk != nil)
  }

  package mutating func start(without loss: ResumePoint.Loss?) -> [ResumeAction] {
    course.checkPoint(Self.self, loss: loss)
    guard let abandoned = course.abandoned else { return begin() }
    phase = .settling
    return course.send(request("HEAD", abandoned.url))
  }

  private mutating func begin() -> [ResumeAction] {
    if course.point == nil { negotiation.beginUpload() }
    // A resume point already says which protocol the server speaks.
    guard discovers, course.point == nil else { return proceed() }
    phase = .discovering
    return course.send(request("OPTIONS", course.creation))
  }

  /// The version of the next request.
  private var version: DraftVersion { negotiation.version }

  /// What is known about the server, whichever upload this attempt continues.
  private var known: HTTPResumeServer {
    HTTPResumeServer(
      limits: announced, version: negotiation.offered, isSettled: negotiation.isSettled)
  }

  // MARK: Requests

  /// Begins the new upload, after deleting the abandoned one if it still exists.
  private mutating func discard() -> [ResumeAction] {
    guard let url = course.takeAbandoned() else { return begin() }
    phase = .discarding
    return course.send(request("DELETE", url))
  }

  private mutating func proceed() -> [ResumeAction] {
    if let point = course.point { return ask(point) }
    if let limit = size.limits?.size, course.length > limit {
      let end = TransferEnd(url: course.creation, trouble: .tooLarge(limit: limit))
      return course.over(end, status: nil)
    }
    return create()
  }

  mutating func create() -> [ResumeAction] {
    phase = .creating
    if losesInterims {
      // The target's own request, without additional fields.
      var request = ResumeRequest("POST", course.creation, content: 0..<course.length)
      request.isTargetsOwn = true
      return course.send(request)
    }
    // Only a server that has announced limits gets pieces. Any other server would take the empty first request for an
    // empty file.
    let isWhole = size.limits == nil || !negotiation.isSettled || course.length <= size.mostContent
    if !isWhole, size.isTooSmall(for: course.length) {
      return course.fail(.appendTooSmall, TransferEnd(url: course.creation))
    }
    var request = Self.creation(
      at: course.creation, length: course.length, isWhole: isWhole, in: version)
    request.content = 0..<(isWhole ? course.length : 0)
    return course.send(request)
  }

  /// The request that creates an upload, without its content.
  package static func creation(
    at url: URL, length: Int64, isWhole: Bool, in version: DraftVersion = .newest
  ) -> ResumeRequest {
    var request = ResumeRequest("POST", url, [version.stamp, version.completeness(isWhole)])
    if version.has(.length) { request.add("Upload-Length", "\(length)") }
    request.isTargetsOwn = true
    return request
  }

  private mutating func ask(_ point: ResumePoint) -> [ResumeAction] {
    phase = .asking
    return course.send(request("HEAD", point.url))
  }

  mutating func append(_ point: ResumePoint) -> [ResumeAction] {
    phase = .appending
    let rest = course.length - point.offset
    if size.isTooSmall(for: rest) {
      return course.fail(.appendTooSmall, TransferEnd(url: point.url))
    }
    let count = min(rest, size.mostContent)
    return course.send(piece(point, count: count, isLast: count == rest))
  }

  mutating func delete(_ url: URL, then end: TransferEnd) -> [ResumeAction] {
    phase = .deleting
    held = end
    return course.send(request("DELETE", url))
  }

  package static func termination(
    of point: ResumePoint, at target: Target, _ values: Template.Values
  ) -> ResumeRequest? {
    ResumeRequest("DELETE", point.url, [point.version.stamp])
  }

  private func request(_ method: String, _ url: URL) -> ResumeRequest {
    ResumeRequest(method, url, [version.stamp])
  }

  private func piece(_ point: ResumePoint, count: Int64, isLast: Bool) -> ResumeRequest {
    var request = ResumeRequest(
      "PATCH", point.url,
      [version.stamp, version.completeness(isLast), ("Upload-Offset", "\(point.offset)")],
      content: point.offset..<(point.offset + count))
    if let type = version.pieceType { request.add("Content-Type", type) }
    return request
  }
}

/// What a server's replies mean, and what comes next. Section names are those of the draft.
extension HTTPResumeMachine {
  /// Handles an interim reply: the offer of a resumable upload, or news of its progress.
  package mutating func handle(
    interim headers: [String: String], at url: URL, now: Date
  ) -> [ResumeAction] {
    // "Status Code 104": an interim reply that reports progress has no Location. The usual request asks for no offer,
    // so an offer that comes anyway means nothing.
    guard phase == .creating, !losesInterims, breakOff == nil, let location = headers["location"],
      let offered = DraftVersion(named: headers[Self.versionField])
    else { return [] }
    guard let address = URL(written: location, relativeTo: url)?.absoluteURL else {
      return [.stop(.unresumable(.badLocation))]
    }
    if let cause = course.obstacle(at: address, namedBy: url) { return [.stop(cause)] }
    if let point = course.point {
      return point.url == address ? [] : [.stop(.unresumable(.locationChanged))]
    }
    let isNews = negotiation.settle(on: offered)
    let point = keep(address, headers, now)
    if let limit = size.limits?.size, course.length > limit {
      breakOff = .unwanted
      return [.stop(.tooLarge(limit: limit))]
    }
    if size.isTooSmall(for: course.length), course.last?.content?.isEmpty == false {
      return [.keep(point), .stop(.unresumable(.appendTooSmall))]
    }
    let record: [ResumeAction] = isNews ? [.record(.http(known))] : []
    // It proves nothing if this reply is late, since connections and servers may be slow.
    if Self.isTakenForAnswer(headers) {
      (losesInterims, leavesDraft, breakOff) = (true, true, .lostInterims)
      return [
        .keep(point), .record(.usual),
        .stop(.connectionLost("a proxy takes an interim reply for the final one")),
      ]
    }
    // Otherwise, the request under way carries more than the server takes in one request.
    guard (course.last?.content?.count ?? 0) > size.mostContent else {
      return [.keep(point)] + record
    }
    breakOff = .tooMuchAtOnce
    return [.keep(point)] + record + [.stop(.tooLarge(limit: size.mostContent))]
  }

  /// Whether the server's version is unknown, and the creating request under way has no offer yet.
  package var awaitsOffer: Bool {
    phase == .creating && course.point == nil && !negotiation.isSettled && !losesInterims
      && breakOff == nil && course.last?.content?.isEmpty == false
  }

  /// Cancels the request before any of its content has left, so that the server does not get the same content twice.
  package mutating func handleLackOfOffer() -> [ResumeAction] {
    guard awaitsOffer else { return [] }
    breakOff = .noOffer
    return [.stop(.unresumable(.otherVersion))]
  }

  /// Asks for an offer in the next version.
  private mutating func offerAnew() -> [ResumeAction] {
    negotiation.tryOlder()
    return (negotiation.isSettled ? [.record(.http(known))] : []) + create()
  }

  /// Whether a proxy has taken an interim reply for a final one. This shows in header fields that an interim reply does
  /// not need: those about the connection, and the proxy's own.
  private static func isTakenForAnswer(_ headers: [String: String]) -> Bool {
    headers["connection"] != nil || headers["server"] != nil && headers["date"] != nil
  }

  /// What to conclude about the server if a creating request ends without any reply, since something may hold interim
  /// replies back. Nil if nothing can be concluded. Only silence after the whole body, for as long as the target waits,
  /// is remembered. Anything else may be chance.
  private func lackOfInterim(_ end: TransferEnd) -> ResumeAction? {
    guard phase == .creating, course.point == nil, !losesInterims, end.status == nil else {
      return nil
    }
    switch end.trouble {
    case .stalled where end.sentAll: return .record(.usual)
    case .stalled where end.bytes > 0: return .assume(.usual)
    case .connectionLost, .outOfTime: return end.sentAll ? .assume(.usual) : nil
    default: return nil
    }
  }

  package mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction] {
    do throws(ResumeFault) { return try judge(end, now) } catch { return course.fail(error, end) }
  }

  private mutating func judge(
    _ end: TransferEnd, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    if phase == .deleting { return finishDeleting(end) }
    let reason = breakOff
    breakOff = nil
    switch (reason, course.point) {
    case (.noOffer?, _) where end.status == nil: return offerAnew()
    case (.unwanted?, let point?): return delete(point.url, then: end)
    case (.tooMuchAtOnce?, let point?), (.lostInterims?, let point?):
      hadAll = end.sentAll
      return ask(point)
    case (.noOffer?, _), (nil, _), (_, nil): break
    }
    if let lack = lackOfInterim(end) { return [lack, .end(end)] }
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      // Without a resume point, this was an ordinary request, and ends as such.
      return course.point == nil && phase == .creating
        ? withoutOffer(end) : course.over(end, status: nil)
    }
    if status == 307 || status == 308, phase != .creating { return course.follow(end) }
    course.redirects = 0
    size.limits = ResumeLimits(end.headers["upload-limit"], in: version) ?? size.limits
    switch phase {
    case .settling:
      let hasAll = isComplete(end) ?? Self.integer("upload-offset", end).map { $0 == course.length }
      return course.settle(end, status, hasAll: hasAll) ?? discard()
    case .discarding: return begin()
    case .discovering: return finishDiscovery(end, status)
    case .creating: return try finishCreation(end, status, now)
    case .asking: return try finishAsking(end, status, now)
    case .appending: return try finishAppending(end, status, now)
    case .replaying:
      // Even if its reply is lost for good, the file has arrived.
      return try finalReply(end, status)
        ?? course.arrived(held ?? end, held?.status ?? status, isReplyLost: true)
    case .deleting: return []
    }
  }

  /// Goes on to create the upload even if the reply is an error, since that may have come from an intermediary.
  private mutating func finishDiscovery(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    // A proxy that wants credentials has not asked the server.
    if end.hasNonceExpired || status == 407 { return course.over(end, status: status) }
    let isAnswer = (200..<300).contains(status)
    let speaksTus = ["tus-resumable", "tus-version"].contains { end.headers[$0] != nil }
    // tus has no place for a form's fields.
    if isAnswer, speaksTus, course.target.resume.mode == .auto, course.target.fields.isEmpty {
      return [.record(.tus(TusServer(headers: end.headers))), .startAgain]
    }
    announced = isAnswer ? size.limits : nil
    size.limits = announced
    if let named = DraftVersion(named: end.headers[Self.versionField]) {
      negotiation.settle(on: named)
    } else if size.limits == nil, course.target.resume.mode == .auto {
      // Nothing suggests that the server speaks the protocol, and the target does not say so.
      negotiation.settle()
    }
    return [.record(.http(known))] + proceed()
  }

  /// Ends as an ordinary request, since the server made no offer. If the server has seen the request, the next request
  /// uses another version.
  private mutating func withoutOffer(_ end: TransferEnd) -> [ResumeAction] {
    guard !negotiation.isSettled, !losesInterims, end.status != nil || end.bytes > 0 else {
      return [.end(end)]
    }
    negotiation.tryOlder()
    // Only a reply proves anything, since a connection may be lost at any time.
    let isProof = negotiation.isSettled && end.status != nil
    return [isProof ? .record(.http(known)) : .assume(.http(known)), .end(end)]
  }

  /// Tries another version after a refusal that concerns the version, if the server has taken nothing. Returns nil for
  /// any other refusal.
  private mutating func inOtherVersion(_ end: TransferEnd, _ status: Int) -> [ResumeAction]? {
    guard course.point == nil, (400..<500).contains(status), !losesInterims else { return nil }
    if negotiation.take(named: DraftVersion(named: end.headers[Self.versionField])) {
      return [.record(.http(known))] + create()
    }
    // A tus server that also speaks some versions of the draft takes requests in the other versions for tus requests
    // (tus 1.0.0, "Tus-Resumable").
    let isTus = status == 412 && end.headers["tus-resumable"] != nil
    return isTus && !negotiation.isSettled ? offerAnew() : nil
  }

  /// "Upload Creation".
  private mutating func finishCreation(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    let isComplete = isComplete(end)
    let isWhole = course.last?.content?.count ?? 0 == course.length
    guard isGood(status, end) else {
      if isComplete == true, version.has(.markedReplies) { return [.forget, .end(end)] }
      if status == 413, isWhole, size.limits != nil, size.mostContent < course.length {
        // The server has announced limits, so it can take the content in smaller requests.
        negotiation.settle()
        return course.point.map { ask($0) } ?? create()
      }
      if let other = inOtherVersion(end, status) { return other }
      return course.point == nil ? [.end(end)] : course.over(end, status: status)
    }
    if isWhole, isComplete != false, mayHaveAll(end) {
      return course.point == nil ? withoutOffer(end) : finish(end)
    }
    guard isComplete != true || isWhole && !version.has(.markedReplies) else { throw .endedEarly }
    let url = end.headers["location"] == nil ? course.point?.url : end.location
    guard let url else { throw end.headers["location"] == nil ? .noLocation : .badLocation }
    if let cause = course.obstacle(at: url, namedBy: end.url) { return course.refuse(cause, end) }
    if let point = course.point, point.url != url { throw .locationChanged }
    let point = course.point ?? keep(url, end.headers, now)
    // Not everything that was sent has been taken, or nothing has been sent yet.
    return [.keep(point)] + (isWhole && course.length > 0 ? ask(point) : append(point))
  }

  /// "Offset Retrieval".
  private mutating func finishAsking(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point else { return course.over(end, status: status) }
    if status == 404 || status == 410 { return beginAnew(end, status) }
    guard (200..<300).contains(status) else { return course.over(end, status: status) }
    if let length = Self.integer("upload-length", end), length != course.length {
      throw .otherLength
    }
    guard let offset = Self.integer("upload-offset", end), offset >= 0 else { throw .noOffset }
    try course.record(offset, into: &point)
    // Start over without the draft's fields: later requests would lose their interim replies too, and less than half of
    // the content must be sent again.
    let isComplete = isComplete(end)
    if losesInterims, !staysWithDraft, isComplete != true, offset < course.length / 2 {
      leavesDraft = true
      return delete(point.url, then: end)
    }
    course.recordStart(into: &point)
    record(end, in: &point, now)
    course.point = point
    // Now the server may have stored the file, even if it does not say so.
    if offset == course.length, isComplete != false { hadAll = true }
    guard isComplete == true else { return [.keep(point)] + append(point) }
    guard offset == course.length else { throw .endedEarly }
    // Everything was taken, but the reply was lost. The server may have kept that reply.
    held = end
    guard version.has(.replay) else {
      return [.keep(point)] + course.arrived(end, status, isReplyLost: true)
    }
    phase = .replaying
    return [.keep(point)] + course.send(piece(point, count: 0, isLast: true))
  }

  /// "Upload Append".
  private mutating func finishAppending(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point, let sent = course.last?.content else {
      return course.over(end, status: status)
    }
    if version.has(.markedReplies) {
      if let final = try finalReply(end, status) { return final }
    } else if sent.upperBound == course.length, isGood(status, end),
      isComplete(end) != false, mayHaveAll(end)
    {
      return finish(end)
    }
    switch status {
    case 200..<300: break
    case 404, 410: return beginAnew(end, status)
    case 409: return course.doubt(end, status: status) ?? ask(point)
    case 413: return sendLess(point, end, sent)
    case _ where Self.problem(end) == "inconsistent-upload-length": throw .otherLength
    // The server has the whole upload. A refusal that does not say whether it is complete leaves the outcome open.
    case 400 where sent.isEmpty && !version.has(.statedCompleteness):
      return [.forget]
        + course.unknown(end, "the server had all of it, but does not say whether it is complete")
    default: return course.over(end, status: status)
    }
    // What was sent has been taken, unless the server says that it took less.
    let offset = Self.integer("upload-offset", end) ?? sent.upperBound
    guard offset <= sent.upperBound else { throw .offsetBeyondEnd }
    try course.record(offset, into: &point)
    guard offset > sent.lowerBound else {
      let fault: ResumeFault = sent.isEmpty ? .neverComplete : .offsetStuck
      return course.doubt(end, status: nil, fault: fault) ?? ask(point)
    }
    record(end, in: &point, now)
    course.point = point
    hadAll = false
    return [.keep(point)] + append(point)
  }

  /// Whether a reply says that the server has taken what the request has sent; if that was the last of the content, the
  /// reply may lead to the result.
  private func isGood(_ status: Int, _ end: TransferEnd) -> Bool {
    (200..<300).contains(status)
      || course.last?.content?.upperBound == course.length
        && course.target.response.isCarriedOut(end)
  }

  /// Begins a new upload, since the server no longer knows this one.
  private mutating func beginAnew(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    // The server may have stored the file before it forgot the upload.
    if hadAll { return [.forget] + course.unknown(end, "the server no longer knows the upload") }
    return course.startOver(end, status) ?? create()
  }

  /// Begins anew only if the old upload is gone for certain, since a server that has all of it may still be working on
  /// it.
  private mutating func finishDeleting(_ end: TransferEnd) -> [ResumeAction] {
    guard leavesDraft else { return [.forget] + course.over(held ?? end, status: nil) }
    let isGone =
      switch end.status ?? 0 {
      case 200..<300: true
      // Servers that do not know the method may answer this way too.
      case 404, 410: !hadAll
      default: false
      }
    if isGone { return [.forget, .startAgain] }
    guard let point = course.point else { return course.over(end, status: end.status) }
    staysWithDraft = true
    return ask(point)
  }

  /// Ends with a reply that comes from the resource that the upload is for; nil for any other reply.
  private func finalReply(
    _ end: TransferEnd, _ status: Int
  ) throws(ResumeFault) -> [ResumeAction]? {
    guard isComplete(end) == true else { return nil }
    guard isGood(status, end) else { return [.forget, .end(end)] }
    guard course.last?.content?.upperBound == course.length, mayHaveAll(end) else {
      throw .endedEarly
    }
    return finish(end)
  }

  // MARK: Steps

  private mutating func keep(
    _ url: URL, _ headers: [String: String], _ now: Date
  ) -> ResumePoint {
    size.limits =
      ResumeLimits(headers["upload-limit"], in: version) ?? size.limits ?? ResumeLimits()
    let point = ResumePoint(
      url: url, target: course.target.name, identity: course.identity,
      expires: size.limits?.age.map { now.addingTimeInterval(Double($0)) }, loss: course.loss,
      mode: .http, draft: version, form: course.form)
    course.first = 0
    course.point = point
    return point
  }

  private func record(_ end: TransferEnd, in point: inout ResumePoint, _ now: Date) {
    guard let age = ResumeLimits(end.headers["upload-limit"], in: version)?.age else { return }
    point.expires = now.addingTimeInterval(Double(age))
  }

  /// Ends with the reply to the target's own request.
  private func finish(_ end: TransferEnd) -> [ResumeAction] {
    var end = end
    // The address of the upload is not that of the file.
    if let url = course.point?.url, end.location == url { end.headers["location"] = nil }
    guard phase != .creating, let status = end.status else { return [.end(end)] }
    return course.arrived(end, status)
  }

  /// Continues after a 413 with as much as the server says that it takes, or else half of what was too much.
  private mutating func sendLess(
    _ point: ResumePoint, _ end: TransferEnd, _ sent: Range<Int64>
  ) -> [ResumeAction] {
    size.shrink(below: Int64(sent.count)) ? ask(point) : course.over(end, status: 413)
  }

  // MARK: Header fields

  private static let versionField = DraftVersion.versionField.lowercased()

  private func isComplete(_ end: TransferEnd) -> Bool? { version.isComplete { end.headers[$0] } }

  /// Whether the reply is consistent with the server having taken everything. In older versions of the draft, each
  /// reply gives the offset; in newer ones, a reply may give it.
  private func mayHaveAll(_ end: TransferEnd) -> Bool {
    Self.integer("upload-offset", end).map { $0 == course.length } ?? true
  }

  private static func integer(_ name: String, _ end: TransferEnd) -> Int64? {
    end.headers[name].flatMap { FieldValue(item: $0)?.integer }
  }

  /// The last component of the problem type (RFC 9457) that the reply names.
  private static func problem(_ end: TransferEnd) -> String? {
    guard end.reply.mediaType == "application/problem+json",
      case .object(let members)? = JSONValue(text: end.reply.text),
      case .string(let type)? = members["type"]
    else { return nil }
    return type.split(scalar: "#").last
  }
}
