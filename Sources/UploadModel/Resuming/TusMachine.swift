import Foundation
import MultipartForm

/// Decides what to ask a tus server next: replies in, requests out. It touches nothing, and lives for one
/// attempt; what outlives it is the `ResumePoint`.
///
/// ```
///  OPTIONS ──► POST ─────────► PATCH ──► PATCH … ──► all there
///     │          ▲ forgotten     ▲  │ 409, 460
///     └────────► HEAD ───────────┘◄─┘
///        (where a point was kept)
/// ```
///
/// Statuses that say nothing of the protocol (401, 413, 423, 503, …) end the attempt as they do for any
/// upload; the next one begins with HEAD.
public struct TusMachine: ResumeMachine {
  enum Phase { case learning, creating, asking, appending }

  /// The version that is spoken.
  static let version = "1.0.0"

  /// The type of a body that is a piece of a file.
  private static let pieceType = "application/offset+octet-stream"
  /// The most bytes that go along with the request that makes an upload.
  private static let mostAlong: Int64 = 1 << 20

  /// What it knows, whatever the protocol.
  public internal(set) var course: ResumeCourse
  let metadata: String
  var server: TusServer?
  var phase = Phase.learning
  /// How often in a row what arrived had another checksum.
  var mismatches = 0
  /// Whether something on the way forbids PATCH.
  var overridesMethod = false

  /// An attempt at a file.
  ///
  /// - Parameters:
  ///   - identity: the file as it is now.
  ///   - creation: where uploads are made.
  ///   - metadata: what the server is told of the file, as the header field has it.
  ///   - point: where an earlier attempt got to.
  ///   - server: what is known of the server; nil where it has not been asked.
  public init(
    target: Target, identity: FileIdentity, creation: URL, metadata: String, point: ResumePoint?,
    server: TusServer?, furthest: Int64 = 0
  ) {
    course = ResumeCourse(
      target: target, identity: identity, creation: creation, length: identity.size, point: point,
      furthest: furthest)
    (self.metadata, self.server) = (metadata, server)
  }

  /// Begins.
  public mutating func start(without loss: ResumePoint.Loss?, now: Date) -> [ResumeAction] {
    course.checkPoint(form: nil, loss: loss, now: now)
    guard server == nil else { return proceed() }
    phase = .learning
    return course.send(
      ResumeRequest("OPTIONS", course.creation, [("Tus-Resumable", Self.version)]))
  }

  /// tus knows no interim replies.
  public mutating func handle(
    interim headers: [String: String], at url: URL, now: Date
  ) -> [ResumeAction] { [] }

  /// Takes in how the last request ended.
  public mutating func handle(_ end: TransferEnd, now: Date) -> [ResumeAction] {
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      return course.over(end, status: nil)
    }
    if status == 307 || status == 308 { return course.follow(end) }
    course.redirects = 0
    if status == 412, phase != .learning { return course.fail(.otherVersion, end) }
    switch phase {
    case .learning: return learn(end, status)
    case .creating: return finishCreation(end, status, now)
    case .asking: return finishAsking(end, status, now)
    case .appending: return finishAppending(end, status, now)
    }
  }

  // MARK: Requests

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
    // Never all of the file: if the reply were lost, nobody could tell whether it is there. And not much.
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

  /// The request that makes an upload.
  public static func creation(at url: URL, size: Int64, metadata: String) -> ResumeRequest {
    var headers = [("Tus-Resumable", version), ("Upload-Length", "\(size)")]
    if !metadata.isEmpty { headers.append(("Upload-Metadata", metadata)) }
    return ResumeRequest("POST", url, headers)
  }

  /// A sum has to be known before the first byte leaves: it is made of chunks, not of whole files.
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

  /// The request that has the server forget an upload, for whoever does not want it any more.
  public static func termination(of url: URL) -> ResumeRequest {
    ResumeRequest("DELETE", url, [("Tus-Resumable", version)])
  }
}
