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
public struct TusMachine: Sendable {
  /// What is to be done, in order.
  public enum Action: Hashable, Sendable {
    /// Send this, and come back with its end.
    case send(ResumeRequest)
    /// Write down where the upload can go on, before anything else is sent.
    case keep(ResumePoint)
    /// What was written down is of no use any more.
    case forget
    /// Remember what the server can do.
    case learn(TusServer)
    /// The attempt is over.
    case end(TransferEnd)
  }

  enum Phase { case learning, creating, asking, appending }

  /// The version that is spoken.
  public static let version = "1.0.0"
  /// How often the server may say the same of an attempt without a byte of progress.
  static let patience = 3

  /// Where the upload stands.
  public internal(set) var point: ResumePoint?
  /// Whether the server has more of the file than when the attempt before this one began.
  public internal(set) var hasAdvanced = false

  /// The size of the file, in bytes.
  public var size: Int64 { identity.size }

  let target: Target
  let identity: FileIdentity
  let creation: URL
  let metadata: String
  var server: TusServer?
  var phase = Phase.learning
  var last: ResumeRequest?
  /// The first of the file's bytes that this attempt sends, once that is known.
  var first: Int64?
  var loss: ResumePoint.Loss?
  var redirects = 0
  /// How often the upload was lost, and how often its offset had to be asked for again, in a row.
  var losses = 0
  var doubts = 0
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
    server: TusServer?
  ) {
    (self.target, self.identity, self.creation) = (target, identity, creation)
    (self.metadata, self.point, self.server) = (metadata, point, server)
  }

  /// Begins.
  public mutating func start(now: Date) -> [Action] {
    if let known = point {
      if known.target != target.name || fault(of: known.url) != nil {
        // It was begun for another target, or under other rules.
        point = nil
      } else if known.identity != identity {
        lose(.fileChanged)
      } else if let expires = known.expires, expires <= now {
        lose(.expired)
      }
    }
    guard server == nil else { return proceed() }
    phase = .learning
    return send(ResumeRequest("OPTIONS", creation, [("Tus-Resumable", Self.version)]))
  }

  /// Takes in how the last request ended.
  public mutating func handle(_ end: TransferEnd, now: Date) -> [Action] {
    guard let status = end.status, end.trouble == nil || status >= 300 else {
      return over(end, status: nil)
    }
    if status == 307 || status == 308 { return follow(end) }
    redirects = 0
    if status == 412, phase != .learning { return fail(.otherVersion, end) }
    switch phase {
    case .learning: return learn(end, status)
    case .creating: return finishCreation(end, status, now)
    case .asking: return finishAsking(end, status, now)
    case .appending: return finishAppending(end, status, now)
    }
  }

  // MARK: Requests

  mutating func proceed() -> [Action] {
    if server?.isOfOtherVersion == true {
      return fail(.otherVersion, TransferEnd(url: creation))
    }
    guard let point else { return create() }
    return ask(point)
  }

  mutating func create() -> [Action] {
    if let limit = server?.maxSize, identity.size > limit {
      return over(TransferEnd(url: creation, trouble: .tooLarge(limit: limit)), status: nil)
    }
    phase = .creating
    return send(Self.creation(at: creation, size: identity.size, metadata: metadata))
  }

  /// The request that makes an upload.
  public static func creation(at url: URL, size: Int64, metadata: String) -> ResumeRequest {
    var headers = [("Tus-Resumable", version), ("Upload-Length", "\(size)")]
    if !metadata.isEmpty { headers.append(("Upload-Metadata", metadata)) }
    return ResumeRequest("POST", url, headers)
  }

  mutating func ask(_ point: ResumePoint) -> [Action] {
    phase = .asking
    return send(ResumeRequest("HEAD", point.url, [("Tus-Resumable", Self.version)]))
  }

  mutating func append(_ point: ResumePoint) -> [Action] {
    phase = .appending
    let length = min(identity.size - point.offset, target.resume.chunk ?? .max)
    var headers = [
      ("Tus-Resumable", Self.version), ("Upload-Offset", "\(point.offset)"),
      ("Content-Type", "application/offset+octet-stream"),
    ]
    if overridesMethod { headers.append(("X-HTTP-Method-Override", "PATCH")) }
    // A sum has to be known before the first byte leaves: it is made of chunks, not of whole files.
    let checksum = target.resume.chunk == nil ? nil : server?.checksum
    return send(
      ResumeRequest(
        overridesMethod ? "POST" : "PATCH", point.url, headers,
        content: point.offset..<(point.offset + length), checksum: checksum))
  }

  mutating func send(_ request: ResumeRequest) -> [Action] {
    last = request
    return [.send(request)]
  }

  /// The request that has the server forget an upload, for whoever does not want it any more.
  public static func termination(of url: URL) -> ResumeRequest {
    ResumeRequest("DELETE", url, [("Tus-Resumable", version)])
  }
}
