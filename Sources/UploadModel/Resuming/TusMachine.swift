import Foundation
import MultipartForm

/// Decides what to ask a tus server next: replies in, requests out. It does no I/O, and lives for one
/// attempt; only the `ResumePoint` outlives it.
///
/// ```
///  OPTIONS ──► POST ─────────► PATCH ──► PATCH … ──► all there
///     │          ▲ forgotten     ▲  │ 409, 460
///     └────────► HEAD ───────────┘◄─┘
///        (where a point was kept)
/// ```
///
/// Statuses that have nothing to do with the protocol (401, 413, 423, 503, …) end the attempt as for any
/// upload; the next attempt begins with HEAD.
package struct TusMachine: ResumeMachine {
  enum Phase { case settling, discarding, learning, creating, asking, appending }

  /// The version of tus to speak.
  static let version = "1.0.0"

  /// The media type of a body that is a piece of a file.
  private static let pieceType = "application/offset+octet-stream"
  /// The most bytes in the request that creates an upload.
  private static let mostAlong: Int64 = 1 << 20

  /// What does not depend on the protocol.
  package internal(set) var course: ResumeCourse
  let metadata: String
  var server: TusServer?
  var phase = Phase.learning
  /// How often in a row the checksum of what arrived was wrong.
  var mismatches = 0
  /// Whether something in between forbids PATCH.
  var overridesMethod = false

  /// An attempt at a file.
  ///
  /// - Parameters:
  ///   - identity: the file as it is now.
  ///   - creation: where uploads are created.
  ///   - metadata: what the server is told about the file, as the value of the header field.
  ///   - point: where an earlier attempt got to.
  ///   - server: what is known of the server; nil if it has not been asked.
  package init(
    target: Target, identity: FileIdentity, creation: URL, metadata: String, point: ResumePoint?,
    server: TusServer?, furthest: Int64 = 0
  ) {
    course = ResumeCourse(
      target: target, identity: identity, creation: creation, length: identity.size, point: point,
      furthest: furthest)
    (self.metadata, self.server) = (metadata, server)
  }

  /// Begins the attempt.
  package mutating func start(without loss: ResumePoint.Loss?, now: Date) -> [ResumeAction] {
    course.checkPoint(form: nil, loss: loss, now: now)
    guard let abandoned = course.abandoned else { return begin() }
    phase = .settling
    return course.send(ResumeRequest("HEAD", abandoned.url, [("Tus-Resumable", Self.version)]))
  }

  private mutating func begin() -> [ResumeAction] {
    guard server == nil else { return proceed() }
    phase = .learning
    return course.send(
      ResumeRequest("OPTIONS", course.creation, [("Tus-Resumable", Self.version)]))
  }

  /// Does nothing: tus has no interim replies.
  package mutating func handle(
    interim headers: [String: String], at url: URL, now: Date
  ) -> [ResumeAction] { [] }

  /// Handles the end of the last request.
  package mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction] {
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      return course.over(end, status: nil)
    }
    if status == 307 || status == 308 { return course.follow(end) }
    course.redirects = 0
    if status == 412, phase != .learning { return course.fail(.otherVersion, end) }
    switch phase {
    case .settling:
      return course.settle(end, status, hasAll: Self.offset(end) == course.length) ?? discard()
    case .discarding: return discard()
    case .learning: return learn(end, status)
    case .creating: return finishCreation(end, status, now)
    case .asking: return finishAsking(end, status, now)
    case .appending: return finishAppending(end, status, now)
    }
  }

  // MARK: Requests

  /// Goes on once the abandoned upload is settled, or deletes it first.
  private mutating func discard() -> [ResumeAction] {
    guard let abandoned = course.abandoned, phase == .settling else {
      course.forgetAbandoned()
      return begin()
    }
    phase = .discarding
    return course.send(Self.termination(of: abandoned.url))
  }

  mutating func proceed() -> [ResumeAction] {
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
    var request = Self.creation(
      at: course.creation, size: course.identity.size, metadata: metadata)
    // Never the whole file: if the reply were lost, nobody could tell whether it arrived. And not much of it.
    let first = min(course.target.resume.chunk ?? .max, Self.mostAlong)
    if course.target.resume.sendsAlong, server?.takesContentAtOnce == true,
      !sendsChecksums,
      first < course.length
    {
      request.add("Content-Type", Self.pieceType)
      request.content = 0..<first
    }
    return course.send(request)
  }

  /// The request that creates an upload.
  package static func creation(at url: URL, size: Int64, metadata: String) -> ResumeRequest {
    var headers = [("Tus-Resumable", version), ("Upload-Length", "\(size)")]
    if !metadata.isEmpty { headers.append(("Upload-Metadata", metadata)) }
    return ResumeRequest("POST", url, headers)
  }

  /// A checksum has to be known before the first byte leaves, so only chunks get one, not whole files.
  private var sendsChecksums: Bool {
    course.target.resume.chunk != nil && server?.checksum != nil
  }

  mutating func ask(_ point: ResumePoint) -> [ResumeAction] {
    phase = .asking
    return course.send(ResumeRequest("HEAD", point.url, [("Tus-Resumable", Self.version)]))
  }

  mutating func append(_ point: ResumePoint) -> [ResumeAction] {
    phase = .appending
    let length = min(course.identity.size - point.offset, course.target.resume.chunk ?? .max)
    var headers = [
      ("Tus-Resumable", Self.version), ("Upload-Offset", "\(point.offset)"),
      ("Content-Type", Self.pieceType),
    ]
    if overridesMethod { headers.append(("X-HTTP-Method-Override", "PATCH")) }
    return course.send(
      ResumeRequest(
        overridesMethod ? "POST" : "PATCH", point.url, headers,
        content: point.offset..<(point.offset + length),
        checksum: sendsChecksums ? server?.checksum : nil))
  }

  /// The request that makes the server forget an upload that is not wanted.
  package static func termination(of url: URL) -> ResumeRequest {
    ResumeRequest("DELETE", url, [("Tus-Resumable", version)])
  }
}
