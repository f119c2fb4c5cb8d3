import Foundation
import MultipartForm
import UploadModel

/// The protocol-independent state of an attempt at an upload: the file, how much the server has, and the last request.
package struct ResumeCourse: Sendable {
  /// How often in a row the server may answer an attempt without a byte of progress.
  static let patience = 3

  /// Where the upload stands.
  package internal(set) var point: ResumePoint?
  /// An upload that is given up because the file may have changed. It is kept until it is certain that the server does
  /// not have all of it. Otherwise, the file could be stored twice.
  private(set) var abandoned: ResumePoint?
  /// Whether the server now has more of the file than ever before, in any upload of the file.
  package private(set) var hasAdvanced = false
  /// The most bytes of the content that the server has ever had. So a server that forgets every upload and takes one
  /// byte of the next does not count as advancing.
  package private(set) var furthest: Int64

  private let plan: SendPlan
  var target: Target { _read { yield plan.target } }
  let identity: FileIdentity
  let creation: URL
  /// The values for placeholders.
  @Boxed package private(set) var values: Template.Values
  /// The form around the file, if there is one.
  package let form: ResumePoint.Form?
  /// The size of the content in bytes: that of the file or, if there is a form around it, of the form.
  let length: Int64

  var last: ResumeRequest?
  /// The offset of the first of the file's bytes that this attempt sends, once it is known.
  var first: Int64?
  var loss: ResumePoint.Loss?
  var redirects = 0
  /// How many times in a row the upload was lost (`losses`), and how many times its offset had to be asked for again
  /// (`doubts`).
  var losses = 0
  var doubts = 0

  /// `body` is nil if the content is the file alone.
  init(
    _ start: ResumeStart, creation: URL, _ values: Template.Values, _ body: ResumeStart.Body? = nil
  ) {
    (plan, identity, point) = (start.plan, start.identity, start.point)
    (self.creation, self.values) = (creation, values)
    (length, form) = (body?.length ?? start.identity.size, body?.form)
    furthest = max(start.furthest, start.point?.offset ?? 0)
  }

  /// Drops a point that this attempt cannot use, and notes the reason if the user should know it. `loss` says why the
  /// file keeps the upload from resuming, if it does.
  mutating func checkPoint(_ machine: any ResumeMachine.Type, loss: ResumePoint.Loss?) {
    guard let known = point else { return }
    if known.target != target.name || obstacle(at: known.url) != nil {
      // The upload began for another target, or under other rules.
      point = nil
    } else if known.machine != machine {
      // The target was described differently when the upload began.
      lose(.formChanged)
    } else if known.identity != identity {
      lose(.fileChanged)
    } else if let loss {
      if loss == .fileUncertain { abandoned = known }
      lose(loss)
    } else if known.form != form || !(0...length).contains(known.offset) {
      // If another program wrote the point, it may be an impossible one.
      lose(.formChanged)
    }
  }

  /// How many of the file's bytes are among the first `offset` bytes of the content.
  package func fileOffset(_ offset: Int64) -> Int64 {
    min(max(0, offset - (form?.lead ?? 0)), identity.size)
  }

  /// How many of the file's bytes the server has.
  package var taken: Int64 { fileOffset(point?.offset ?? 0) }

  /// The size of the file, in bytes.
  package var size: Int64 { identity.size }

  mutating func send(_ request: ResumeRequest) -> [ResumeAction] {
    last = request
    return [.send(request)]
  }

  mutating func lose(_ why: ResumePoint.Loss) {
    loss = why
    point = nil
    // Another file, or another form, has not been sent before.
    if why == .fileChanged || why == .formChanged { furthest = 0 }
  }

  /// Notes how much the server has. Throws if that is impossible.
  mutating func record(_ offset: Int64, into point: inout ResumePoint) throws(ResumeFault) {
    if offset > length { throw .offsetBeyondEnd }
    if offset < point.offset { throw .offsetWentBack }
    if offset > point.offset { doubts = 0 }
    if offset > furthest { (hasAdvanced, furthest) = (true, offset) }
    point.offset = offset
  }

  /// Notes where in the file this attempt begins to send.
  mutating func recordStart(into point: inout ResumePoint) {
    point.start = first ?? fileOffset(point.offset)
    first = point.start
  }

  /// Handles an unexpected offset. Returns nil if the server should be asked again. If this has happened too often,
  /// ends the attempt with the status, or with `fault` if that is nil.
  mutating func doubt(
    _ end: TransferEnd, status: Int?, fault: ResumeFault = .offsetStuck
  ) -> [ResumeAction]? {
    doubts += 1
    if doubts < Self.patience { return nil }
    return status.map { over(end, status: $0) } ?? fail(fault, end)
  }

  /// Handles the reply that says whether the server has all of an abandoned upload (`hasAll`; nil if it does not say).
  /// Returns nil if a new upload can begin, after the abandoned one is deleted if it still exists.
  mutating func settle(_ end: TransferEnd, _ status: Int, hasAll: Bool?) -> [ResumeAction]? {
    if status == 404 || status == 410 {
      abandoned = nil
      return nil
    }
    guard (200..<300).contains(status) else { return over(end, status: status) }
    guard let hasAll else { return fail(.noOffset, end) }
    guard hasAll else { return nil }
    return [.forget]
      + unknown(end, "the server had all of it, and the file may have changed while it was sent")
  }

  /// Returns the address of the abandoned upload for its deletion, and forgets it; nil if the upload is gone. A server
  /// that cannot delete it does not get the rest of the upload either.
  mutating func takeAbandoned() -> URL? {
    defer { abandoned = nil }
    return abandoned?.url
  }

  /// Handles the loss of an upload that the server has forgotten. Returns nil the first time, so that a new upload is
  /// created, since the old one may have expired. The second time, ends the attempt, since something else must be
  /// wrong.
  mutating func startOver(_ end: TransferEnd, _ status: Int) -> [ResumeAction]? {
    losses += 1
    guard losses == 1 else { return [.forget] + over(end, status: status) }
    // Only the server knows whether it still has the upload, since its clock may differ from this machine's.
    let hasExpired = point?.expires.map { $0 <= values.now } == true
    lose(hasExpired ? .expired : .forgotten)
    return nil
  }

  mutating func follow(_ end: TransferEnd) -> [ResumeAction] {
    switch Verdict.redirect(
      end, target: target, redirects: redirects, failed: { .failed(Failure($0)) })
    {
    case .follow(let url, let keepsCredentials):
      guard var request = last else { return over(end, status: end.status) }
      redirects += 1
      // Another server must not choose what is signed with the target's credentials.
      if !keepsCredentials || Origin(request.url) != target.origin { request.staysAway = true }
      if !keepsCredentials { request.headers.removeAll { !$0.value.isPublic } }
      request.url = url
      return send(request)
    case .failed(let failure):
      var end = end
      end.trouble = failure.cause
      return over(end, status: nil)
    case .delivered: return over(end, status: end.status)
    }
  }

  /// Why no request may go to an upload's address, which a reply from `source` may have named; nil if requests may go
  /// there.
  func obstacle(at url: URL, namedBy source: URL? = nil) -> Failure.Cause? {
    guard let origin = Origin(url), url.user == nil, url.password == nil else {
      return .unresumable(.badLocation)
    }
    if target.isDowngrade(origin) { return .unencrypted(at: url) }
    guard origin == target.origin else {
      return target.redirectOrigins.contains(origin) ? nil : .unresumable(.locationElsewhere)
    }
    // Only the target's own server may name an address on itself, where requests carry the target's credentials.
    guard let source else { return nil }
    let isOwn = Origin(source) == origin && last?.staysAway != true
    return isOwn ? nil : .unresumable(.locationAtHome)
  }

  // MARK: Ends

  /// Ends the attempt: everything has arrived, whichever request brought the last bytes.
  func arrived(_ end: TransferEnd, _ status: Int, isReplyLost: Bool = false) -> [ResumeAction] {
    var end = end
    end.status = status
    end.trouble = nil
    end.isReplyLost = isReplyLost
    end.sentAll = true
    end.bytes = identity.size - (point?.start ?? 0)
    return [.end(end)]
  }

  /// Ends the attempt. However the request ended, nothing is in doubt, since the server can be asked what has arrived.
  func over(_ end: TransferEnd, status: Int?) -> [ResumeAction] {
    var end = end
    end.status = status
    end.sentAll = false
    end.hasAdvanced = hasAdvanced
    return [.end(end)]
  }

  /// Ends the attempt with an unknown outcome: everything was sent, and the server cannot be asked what became of it.
  func unknown(_ end: TransferEnd, _ why: String) -> [ResumeAction] {
    var end = end
    (end.status, end.trouble, end.sentAll) = (nil, .connectionLost(why), true)
    return [.end(end)]
  }

  /// Ends the attempt because the upload's address cannot be used.
  func refuse(_ cause: Failure.Cause, _ end: TransferEnd) -> [ResumeAction] {
    var end = end
    (end.trouble, end.earlierStatus) = (cause, end.status)
    return over(end, status: nil)
  }

  func fail(_ fault: ResumeFault, _ end: TransferEnd) -> [ResumeAction] {
    var end = end
    end.trouble = .unresumable(fault)
    let isSpoilt: [ResumeFault] = [
      .offsetBeyondEnd, .offsetWentBack, .otherLength, .endedEarly, .neverComplete,
    ]
    return (isSpoilt.contains(fault) ? [.forget] : []) + over(end, status: nil)
  }
}
