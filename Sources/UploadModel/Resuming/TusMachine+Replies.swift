import Foundation

/// What the replies of a tus server mean, and what comes next.
extension TusMachine {
  /// Whatever the reply, the upload is created: something in between may have answered OPTIONS.
  mutating func learn(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    let known = (200..<300).contains(status) ? TusServer(headers: end.headers) : TusServer()
    server = known
    return [.learn(.tus(known))] + proceed()
  }

  mutating func finishCreation(_ end: TransferEnd, _ status: Int, _ now: Date) -> [ResumeAction] {
    guard (200..<300).contains(status) else { return course.over(end, status: status) }
    guard status == 201 else { return course.fail(.unexpectedStatus, end) }
    guard end.headers["location"] != nil else { return course.fail(.noLocation, end) }
    guard let url = end.location else { return course.fail(.badLocation, end) }
    if let fault = course.fault(of: url) { return course.fail(fault, end) }
    var point = ResumePoint(
      url: url, target: course.target.name, identity: course.identity,
      expires: Self.expiry(end, now), loss: course.loss)
    course.first = 0
    // How much of the content of this request has been taken.
    if let sent = course.last?.content, let offset = Self.offset(end) {
      guard offset <= sent.upperBound else { return course.fail(.offsetBeyondEnd, end) }
      if let fault = course.record(offset, into: &point) { return course.fail(fault, end) }
    }
    course.point = point
    return [.keep(point)] + (course.length > 0 ? append(point) : arrived(end, status))
  }

  mutating func finishAsking(_ end: TransferEnd, _ status: Int, _ now: Date) -> [ResumeAction] {
    guard var point = course.point else { return course.over(end, status: status) }
    switch status {
    case 200, 204: break
    case 404, 410: return course.startOver(end, status) ?? create()
    case 200..<300: return course.fail(.unexpectedStatus, end)
    default: return course.over(end, status: status)
    }
    if let length = end.headers["upload-length"], TusServer.number(length) != course.length {
      return course.fail(.otherLength, end)
    }
    guard let offset = Self.offset(end) else { return course.fail(.noOffset, end) }
    if let fault = course.record(offset, into: &point) { return course.fail(fault, end) }
    course.recordStart(into: &point)
    point.expires = Self.expiry(end, now) ?? point.expires
    course.point = point
    guard offset < course.length else {
      var end = end
      end.isReplyLost = true
      return [.keep(point)] + arrived(end, status)
    }
    return [.keep(point)] + append(point)
  }

  mutating func finishAppending(_ end: TransferEnd, _ status: Int, _ now: Date) -> [ResumeAction] {
    guard var point = course.point, let sent = course.last?.content else {
      return course.over(end, status: status)
    }
    switch status {
    case 204: break
    case 404, 410: return course.startOver(end, status) ?? create()
    case 409: return course.doubt(end, status: status) ?? ask(point)
    // Something in between does not let PATCH through.
    case 405, 501:
      guard !overridesMethod else { return course.over(end, status: status) }
      overridesMethod = true
      return append(point)
    // Checksum mismatch (tus 1.0.0, "Checksum").
    case 460:
      mismatches += 1
      guard mismatches < ResumeCourse.patience else { return course.fail(.checksumMismatch, end) }
      return ask(point)
    case 200..<300: return course.fail(.unexpectedStatus, end)
    default: return course.over(end, status: status)
    }
    guard let offset = Self.offset(end) else { return course.fail(.noOffset, end) }
    // It may have taken less than was sent, but not more.
    guard offset <= sent.upperBound else { return course.fail(.offsetBeyondEnd, end) }
    if let fault = course.record(offset, into: &point) { return course.fail(fault, end) }
    guard offset > sent.lowerBound else { return course.doubt(end, status: nil) ?? ask(point) }
    mismatches = 0
    point.expires = Self.expiry(end, now) ?? point.expires
    course.point = point
    guard offset < course.length else { return arrived(end, status) }
    return [.keep(point)] + append(point)
  }

  /// The file has arrived. The server may say where at the end; otherwise it is where it was sent.
  private func arrived(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    var end = end
    if end.headers["location"] == nil || phase == .creating, let url = course.point?.url {
      end.headers["location"] = url.absoluteString
    }
    return course.arrived(end, status)
  }

  static func offset(_ end: TransferEnd) -> Int64? {
    end.headers["upload-offset"].flatMap { TusServer.number($0) }
  }

  private static func expiry(_ end: TransferEnd, _ now: Date) -> Date? {
    end.headers["upload-expires"].flatMap { RetryAfter.seconds($0, now: now) }
      .map { now.addingTimeInterval($0) }
  }
}
