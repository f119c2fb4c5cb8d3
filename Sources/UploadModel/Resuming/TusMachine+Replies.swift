import Foundation

/// What the replies of a tus server mean, and what comes next.
extension TusMachine {
  /// Whatever the reply, uploads are made all the same: what answers OPTIONS may be something on the way.
  mutating func learn(_ end: TransferEnd, _ status: Int) -> [Action] {
    let known = (200..<300).contains(status) ? TusServer(headers: end.headers) : TusServer()
    server = known
    return [.learn(known)] + proceed()
  }

  mutating func finishCreation(_ end: TransferEnd, _ status: Int, _ now: Date) -> [Action] {
    guard (200..<300).contains(status) else { return over(end, status: status) }
    guard status == 201 else { return fail(.unexpectedStatus, end) }
    guard end.headers["location"] != nil else { return fail(.noLocation, end) }
    guard let url = end.location else { return fail(.badLocation, end) }
    if let fault = fault(of: url) { return fail(fault, end) }
    let point = ResumePoint(
      url: url, target: target.name, identity: identity, expires: Self.expiry(end, now),
      loss: loss)
    first = 0
    self.point = point
    return [.keep(point)] + (identity.size > 0 ? append(point) : arrived(end, status))
  }

  mutating func finishAsking(_ end: TransferEnd, _ status: Int, _ now: Date) -> [Action] {
    guard var point else { return over(end, status: status) }
    switch status {
    case 200, 204: break
    case 404, 410: return startOver(end, status)
    case 200..<300: return fail(.unexpectedStatus, end)
    default: return over(end, status: status)
    }
    if let length = end.headers["upload-length"], TusServer.number(length) != identity.size {
      return fail(.otherLength, end)
    }
    guard let offset = Self.offset(end) else { return fail(.noOffset, end) }
    if let fault = record(offset, into: &point) { return fail(fault, end) }
    point.start = first ?? offset
    first = point.start
    point.expires = Self.expiry(end, now) ?? point.expires
    self.point = point
    return [.keep(point)] + (offset < identity.size ? append(point) : arrived(end, status))
  }

  mutating func finishAppending(_ end: TransferEnd, _ status: Int, _ now: Date) -> [Action] {
    guard var point, let sent = last?.content else { return over(end, status: status) }
    switch status {
    case 204: break
    case 404, 410: return startOver(end, status)
    // The server is somewhere else than was thought.
    case 409: return askAgain(point, end, status)
    // Something on the way does not let PATCH through.
    case 405, 501:
      guard !overridesMethod else { return over(end, status: status) }
      overridesMethod = true
      return append(point)
    // Checksum mismatch (tus 1.0.0, "Checksum").
    case 460:
      mismatches += 1
      guard mismatches < Self.patience else { return fail(.checksumMismatch, end) }
      return ask(point)
    case 200..<300: return fail(.unexpectedStatus, end)
    default: return over(end, status: status)
    }
    guard let offset = Self.offset(end) else { return fail(.noOffset, end) }
    // It may have taken less than was sent, and not more.
    guard offset <= sent.upperBound else { return fail(.offsetBeyondEnd, end) }
    if let fault = record(offset, into: &point) { return fail(fault, end) }
    guard offset > sent.lowerBound else { return askAgain(point, end, nil) }
    point.expires = Self.expiry(end, now) ?? point.expires
    self.point = point
    guard offset < identity.size else { return arrived(end, status) }
    return [.keep(point)] + append(point)
  }

  /// Notes what the server has; the fault where that cannot be.
  mutating func record(_ offset: Int64, into point: inout ResumePoint) -> ResumeFault? {
    if offset > identity.size { return .offsetBeyondEnd }
    if offset < point.offset { return .offsetWentBack }
    if offset > point.offset { (hasAdvanced, doubts, mismatches) = (true, 0, 0) }
    point.offset = offset
    return nil
  }

  /// - Parameter status: what the attempt ends with where that has been going on for too long; nil for the
  ///   fault that no bytes are taken.
  mutating func askAgain(
    _ point: ResumePoint, _ end: TransferEnd, _ status: Int?
  ) -> [Action] {
    doubts += 1
    if doubts < Self.patience { return ask(point) }
    return status.map { over(end, status: $0) } ?? fail(.offsetStuck, end)
  }

  mutating func startOver(_ end: TransferEnd, _ status: Int) -> [Action] {
    losses += 1
    // Once can be the server's age; more often it is something else.
    guard losses == 1 else { return [.forget] + over(end, status: status) }
    lose(.forgotten)
    return create()
  }

  mutating func lose(_ why: ResumePoint.Loss) {
    loss = why
    point = nil
  }

  mutating func follow(_ end: TransferEnd) -> [Action] {
    switch Verdict.redirect(
      end, target: target, redirects: redirects, failed: { .failed(Failure($0)) })
    {
    case .follow(let url, _):
      guard var request = last else { return over(end, status: end.status) }
      redirects += 1
      request.url = url
      last = request
      return [.send(request)]
    case .failed(let failure):
      var end = end
      end.trouble = failure.cause
      return over(end, status: nil)
    case .delivered: return over(end, status: end.status)
    }
  }

  /// What keeps requests from going to an upload's address, if anything does.
  func fault(of url: URL) -> ResumeFault? {
    guard let origin = Origin(url), url.user == nil, url.password == nil else {
      return .badLocation
    }
    return origin == Origin(target.url) || target.redirectOrigins.contains(origin)
      ? nil : .locationElsewhere
  }

  // MARK: Ends

  mutating func arrived(_ end: TransferEnd, _ status: Int) -> [Action] {
    var end = end
    end.status = status
    end.trouble = nil
    end.sentAll = true
    end.bytes = identity.size - (point?.start ?? 0)
    // Where the file is now: the server may say so at the end; else it is where it was sent.
    if end.headers["location"] == nil || phase == .creating, let url = point?.url {
      end.headers["location"] = url.absoluteString
    }
    return [.end(end)]
  }

  /// What was sent can be asked for: nothing of it is unknown, however it ended.
  func over(_ end: TransferEnd, status: Int?) -> [Action] {
    var end = end
    end.status = status
    end.sentAll = false
    end.hasAdvanced = hasAdvanced
    return [.end(end)]
  }

  func fail(_ fault: ResumeFault, _ end: TransferEnd) -> [Action] {
    var end = end
    end.trouble = .unresumable(fault)
    let isSpoilt = [.offsetBeyondEnd, .offsetWentBack, .otherLength].contains(fault)
    return (isSpoilt ? [.forget] : []) + over(end, status: nil)
  }

  private static func offset(_ end: TransferEnd) -> Int64? {
    end.headers["upload-offset"].flatMap { TusServer.number($0) }
  }

  private static func expiry(_ end: TransferEnd, _ now: Date) -> Date? {
    end.headers["upload-expires"].flatMap { RetryAfter.seconds($0, now: now) }
      .map { now.addingTimeInterval($0) }
  }
}
