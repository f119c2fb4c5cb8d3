import Foundation
import MultipartForm
import UploadModel

/// Decides what to ask a tus server next: replies in, requests out. It does no I/O. A machine serves one attempt, and
/// only the `ResumePoint` outlives it.
///
/// ```
///  OPTIONS ──► POST ─────────► PATCH ──► PATCH … ──► all there
///     │          ▲ forgotten     ▲  │ 409, 460
///     └────────► HEAD ───────────┘◄─┘
///        (where a point was kept)
/// ```
///
/// Statuses that have nothing to do with the protocol (401, 413, 423, 503, …) end the attempt as in any other upload.
/// The next attempt begins with HEAD.
package struct TusMachine: ResumeMachine {
  enum Phase { case settling, discarding, discovering, creating, asking, appending }

  /// The media type of a body that is a piece of a file.
  private static let pieceType = "application/offset+octet-stream"
  /// The most bytes in the request that creates an upload.
  private static let mostAlong: Int64 = 1 << 20

  package private(set) var course: ResumeCourse
  let metadata: String
  private var server: TusServer?
  private var phase = Phase.discovering
  /// How often in a row the content arrived with a wrong checksum.
  private var mismatches = 0
  /// Whether an intermediary forbids PATCH.
  private var overridesMethod = false

  package init(_ start: ResumeStart) throws(Failure.Cause) {
    let values = start.values(start.now)
    course = ResumeCourse(start, creation: try start.creation(values), values)
    metadata = start.target.resume.metadataHeader(with: values)
    server = if case .tus(let known)? = start.server { known } else { nil }
  }

  package mutating func start(without loss: ResumePoint.Loss?) -> [ResumeAction] {
    course.checkPoint(Self.self, loss: loss)
    guard let abandoned = course.abandoned else { return begin() }
    phase = .settling
    return course.send(Self.request("HEAD", abandoned.url))
  }

  private mutating func begin() -> [ResumeAction] {
    guard server == nil else { return proceed() }
    phase = .discovering
    return course.send(Self.request("OPTIONS", course.creation))
  }

  package mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction] {
    do throws(ResumeFault) { return try judge(end, now) } catch { return course.fail(error, end) }
  }

  private mutating func judge(
    _ end: TransferEnd, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      return course.over(end, status: nil)
    }
    if status == 307 || status == 308 { return course.follow(end) }
    course.redirects = 0
    if status == 412, phase != .discovering { throw .otherVersion }
    switch phase {
    case .settling:
      let hasAll = Self.offset(end).map { $0 == course.length }
      return course.settle(end, status, hasAll: hasAll) ?? discard()
    case .discarding: return begin()
    case .discovering: return finishDiscovery(end, status)
    case .creating: return try finishCreation(end, status, now)
    case .asking: return try finishAsking(end, status, now)
    case .appending: return try finishAppending(end, status, now)
    }
  }

  // MARK: Requests

  /// Begins the new upload, after deleting the abandoned one if it still exists.
  private mutating func discard() -> [ResumeAction] {
    guard let url = course.takeAbandoned() else { return begin() }
    phase = .discarding
    return course.send(Self.request("DELETE", url))
  }

  private mutating func proceed() -> [ResumeAction] {
    if server?.isOfOtherVersion == true {
      return course.fail(.otherVersion, TransferEnd(url: course.creation))
    }
    guard let point = course.point else { return create() }
    return ask(point)
  }

  mutating func create() -> [ResumeAction] {
    if let limit = server?.maxSize, course.identity.size > limit {
      return course.over(
        TransferEnd(url: course.creation, trouble: .tooLarge(limit: limit)), status: nil)
    }
    phase = .creating
    var request = Self.creation(at: course.creation, size: course.identity.size, metadata: metadata)
    // Never send the whole file along: if the reply were lost, nobody could tell whether the file arrived. And send
    // only a little, since after a lost reply, what was sent stays on the server until it expires.
    let first = min(course.target.resume.chunk ?? .max, Self.mostAlong)
    if course.target.resume.sendsAlong, server?.takesContentAtOnce == true,
      !sendsChecksums, first < course.length
    {
      request.add("Content-Type", Self.pieceType)
      request.content = 0..<first
    }
    return course.send(request)
  }

  package static func creation(at url: URL, size: Int64, metadata: String) -> ResumeRequest {
    var headers = [("Tus-Resumable", TusServer.version), ("Upload-Length", "\(size)")]
    if !metadata.isEmpty { headers.append(("Upload-Metadata", metadata)) }
    return ResumeRequest("POST", url, headers)
  }

  /// Whether requests carry checksums. A checksum must be known before the first byte leaves, so only chunks get one,
  /// not whole files.
  private var sendsChecksums: Bool { course.target.resume.chunk != nil && server?.checksum != nil }

  private mutating func ask(_ point: ResumePoint) -> [ResumeAction] {
    phase = .asking
    return course.send(Self.request("HEAD", point.url))
  }

  mutating func append(_ point: ResumePoint) -> [ResumeAction] {
    phase = .appending
    let length = min(course.identity.size - point.offset, course.target.resume.chunk ?? .max)
    var request = Self.piece(at: point.url, from: point.offset)
    if overridesMethod {
      request.method = "POST"
      request.add("X-HTTP-Method-Override", "PATCH")
    }
    request.content = point.offset..<(point.offset + length)
    request.checksum = sendsChecksums ? server?.checksum : nil
    return course.send(request)
  }

  /// The request that appends to an upload, without its content.
  package static func piece(at url: URL, from offset: Int64) -> ResumeRequest {
    ResumeRequest(
      "PATCH", url,
      [
        ("Tus-Resumable", TusServer.version), ("Upload-Offset", "\(offset)"),
        ("Content-Type", pieceType),
      ])
  }

  package static func termination(
    of point: ResumePoint, at target: Target, _ values: Template.Values
  ) -> ResumeRequest? {
    request("DELETE", point.url)
  }

  private static func request(_ method: String, _ url: URL) -> ResumeRequest {
    ResumeRequest(method, url, [("Tus-Resumable", TusServer.version)])
  }
}

/// What the replies of a tus server mean, and what comes next.
extension TusMachine {
  /// Goes on to create the upload even if the reply is an error, since that may have come from an intermediary.
  mutating func finishDiscovery(_ end: TransferEnd, _ status: Int) -> [ResumeAction] {
    // A proxy that wants credentials has not asked the server.
    if end.hasNonceExpired || status == 407 { return course.over(end, status: status) }
    let known = TusServer(headers: (200..<300).contains(status) ? end.headers : [:])
    server = known
    return [.record(.tus(known))] + proceed()
  }

  private mutating func finishCreation(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard (200..<300).contains(status) else { return course.over(end, status: status) }
    guard status == 201 else { throw .unexpectedStatus }
    guard end.headers["location"] != nil else { throw .noLocation }
    guard let url = end.location else { throw .badLocation }
    if let cause = course.obstacle(at: url, namedBy: end.url) { return course.refuse(cause, end) }
    var point = ResumePoint(
      url: url, target: course.target.name, identity: course.identity,
      expires: Self.expiry(end, now), loss: course.loss)
    course.first = 0
    // The reply to a request with content says how much of it was taken.
    if let sent = course.last?.content, let offset = Self.offset(end) {
      guard offset <= sent.upperBound else { throw .offsetBeyondEnd }
      try course.record(offset, into: &point)
    }
    course.point = point
    return [.keep(point)] + (course.length > 0 ? append(point) : arrived(end, status))
  }

  private mutating func finishAsking(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point else { return course.over(end, status: status) }
    switch status {
    case 200, 204: break
    case 404, 410: return course.startOver(end, status) ?? create()
    case 200..<300: throw .unexpectedStatus
    default: return course.over(end, status: status)
    }
    if let length = end.headers["upload-length"], TusServer.number(length) != course.length {
      throw .otherLength
    }
    guard let offset = Self.offset(end) else { throw .noOffset }
    try course.record(offset, into: &point)
    course.recordStart(into: &point)
    point.expires = Self.expiry(end, now) ?? point.expires
    course.point = point
    guard offset < course.length else {
      return [.keep(point)] + arrived(end, status, isReplyLost: true)
    }
    return [.keep(point)] + append(point)
  }

  private mutating func finishAppending(
    _ end: TransferEnd, _ status: Int, _ now: Date
  ) throws(ResumeFault) -> [ResumeAction] {
    guard var point = course.point, let sent = course.last?.content else {
      return course.over(end, status: status)
    }
    switch status {
    case 204: break
    case 404, 410: return course.startOver(end, status) ?? create()
    case 409: return course.doubt(end, status: status) ?? ask(point)
    // An intermediary does not let PATCH through.
    case 405, 501:
      guard !overridesMethod else { return course.over(end, status: status) }
      overridesMethod = true
      return append(point)
    // Checksum mismatch (tus 1.0.0, "Checksum").
    case 460:
      mismatches += 1
      guard mismatches < ResumeCourse.patience else { throw .checksumMismatch }
      return ask(point)
    case 200..<300: throw .unexpectedStatus
    default: return course.over(end, status: status)
    }
    guard let offset = Self.offset(end) else { throw .noOffset }
    // The server may have taken less than was sent, but not more.
    guard offset <= sent.upperBound else { throw .offsetBeyondEnd }
    try course.record(offset, into: &point)
    guard offset > sent.lowerBound else { return course.doubt(end, status: nil) ?? ask(point) }
    mismatches = 0
    point.expires = Self.expiry(end, now) ?? point.expires
    course.point = point
    guard offset < course.length else { return arrived(end, status) }
    return [.keep(point)] + append(point)
  }

  /// Ends the attempt: the file has arrived. The last reply may say where the file is; otherwise, the file is at the
  /// upload's own address.
  private func arrived(
    _ end: TransferEnd, _ status: Int, isReplyLost: Bool = false
  ) -> [ResumeAction] {
    var end = end
    if end.headers["location"] == nil || phase == .creating, let url = course.point?.url {
      end.headers["location"] = url.absoluteString
    }
    return course.arrived(end, status, isReplyLost: isReplyLost)
  }

  static func offset(_ end: TransferEnd) -> Int64? {
    end.headers["upload-offset"].flatMap { TusServer.number($0) }
  }

  private static func expiry(_ end: TransferEnd, _ now: Date) -> Date? {
    end.headers["upload-expires"].flatMap { RetryAfter.seconds(until: $0, in: end, now: now) }
      .map { now.addingTimeInterval($0) }
  }
}
