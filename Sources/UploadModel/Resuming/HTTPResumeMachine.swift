import Foundation
import MultipartForm

/// Decides what to ask a server that may speak Resumable Uploads for HTTP
/// (draft-ietf-httpbis-resumable-upload, interop version 8).
///
/// ```
///  OPTIONS ──► the target's own request ─────────────────────► its reply
///  (auto, or     │ 104 with Location: kept                         ▲
///   chunks)      └─ lost, 5xx ─► HEAD ─► PATCH ─► PATCH … ─────────┘
///                      ▲           ▲       │ 409, 413
///           (where a point was kept)└──────┘
/// ```
///
/// The request that begins an upload is the one that the target describes, with an additional `Upload-Complete: ?1`.
/// A server that does not know the protocol takes it like any other request, and its reply is judged like any other.
/// A server that allows less in one request than there is to send gets an empty request first
/// (`Upload-Complete: ?0`), then pieces.
///
/// Some proxies, nginx among them, take an interim reply for the answer. They hold it back, or pass it on and send no
/// more of the body. Once such a server is noticed, it gets the usual request without those fields.
package struct HTTPResumeMachine: ResumeMachine {
  /// The version to speak while the protocol is a draft.
  static let interopVersion: Int64 = 8

  enum Phase {
    case settling, discarding, learning, creating, asking, appending, replaying, deleting
  }

  /// What does not depend on the protocol.
  package internal(set) var course: ResumeCourse
  /// The form around the file, if there is one.
  let form: ResumePoint.Form?
  /// The limits that the server has announced.
  var limits: ResumeLimits?
  /// Whether the server is first asked which protocol it speaks.
  let discovers: Bool
  var phase = Phase.learning
  /// The most bytes in a request, once one was too large.
  var most: Int64?
  /// Whether to go on in pieces once the request under way has been broken off.
  var turnsToPieces = false
  /// The upload to delete on the server once the request under way has been broken off.
  var condemned: URL?
  /// How the attempt ends after that, or after asking for the reply again.
  var held: TransferEnd?
  /// Whether interim replies do not get through.
  var losesInterims: Bool
  /// Whether the upload is deleted for that reason and begun again with the usual request.
  var leavesDraft = false
  /// Whether all of that request was sent nevertheless: the server may have stored it.
  var hadAll = false
  /// Whether the server did not forget the upload when it was told to: it goes on after all.
  var staysWithDraft = false

  /// An attempt at a file.
  ///
  /// - Parameters:
  ///   - identity: the file as it is now.
  ///   - creation: where the target's own request goes.
  ///   - length: the size of that request's content in bytes.
  ///   - lead: how many of them come before the file's.
  ///   - form: the form around the file; nil if it goes without one.
  ///   - point: where an earlier attempt got to.
  ///   - server: what is known of the server; nil if it has not been asked.
  package init(
    target: Target, identity: FileIdentity, creation: URL, length: Int64, lead: Int64 = 0,
    form: ResumePoint.Form? = nil, point: ResumePoint?, server: ResumeServer?,
    furthest: Int64 = 0
  ) {
    course = ResumeCourse(
      target: target, identity: identity, creation: creation, length: length, lead: lead,
      point: point, furthest: furthest)
    self.form = form
    if case .http(let known)? = server { limits = known }
    losesInterims = server == .usual
    discovers = server == nil && (target.resume.mode == .auto || target.resume.chunk != nil)
  }

  /// Begins the attempt.
  package mutating func start(without loss: ResumePoint.Loss?, now: Date) -> [ResumeAction] {
    course.checkPoint(form: form, loss: loss, now: now)
    guard let abandoned = course.abandoned else { return begin() }
    phase = .settling
    return course.send(request("HEAD", abandoned.url))
  }

  private mutating func begin() -> [ResumeAction] {
    // A point already tells which protocol the server speaks.
    guard discovers, course.point == nil else { return proceed() }
    phase = .learning
    return course.send(request("OPTIONS", course.creation))
  }

  // MARK: Requests

  /// Goes on once the abandoned upload is settled, or deletes it first.
  mutating func discard() -> [ResumeAction] {
    guard let abandoned = course.abandoned, phase == .settling else {
      course.forgetAbandoned()
      return begin()
    }
    phase = .discarding
    return course.send(Self.termination(of: abandoned.url))
  }

  mutating func proceed() -> [ResumeAction] {
    if let point = course.point { return ask(point) }
    if let limit = limits?.size, course.length > limit {
      let end = TransferEnd(url: course.creation, trouble: .tooLarge(limit: limit))
      return course.over(end, status: nil)
    }
    return create()
  }

  mutating func create() -> [ResumeAction] {
    phase = .creating
    if losesInterims { return course.send(Self.usual(at: course.creation, length: course.length)) }
    // Only a server that has announced limits gets pieces.
    let isWhole = limits == nil || course.length <= mostContent
    if !isWhole, takesTooLittle(of: course.length) {
      return course.fail(.appendTooSmall, TransferEnd(url: course.creation))
    }
    var request = Self.creation(at: course.creation, length: course.length, isWhole: isWhole)
    request.content = 0..<(isWhole ? course.length : 0)
    return course.send(request)
  }

  /// The request that creates an upload, without its content.
  package static func creation(at url: URL, length: Int64, isWhole: Bool) -> ResumeRequest {
    var request = ResumeRequest(
      "POST", url,
      [
        ("Upload-Draft-Interop-Version", "\(interopVersion)"),
        ("Upload-Complete", isWhole ? "?1" : "?0"), ("Upload-Length", "\(length)"),
      ])
    request.isTargetsOwn = true
    return request
  }

  /// The target's own request, without additional fields.
  private static func usual(at url: URL, length: Int64) -> ResumeRequest {
    var request = ResumeRequest("POST", url, content: 0..<length)
    request.isTargetsOwn = true
    return request
  }

  mutating func ask(_ point: ResumePoint) -> [ResumeAction] {
    phase = .asking
    return course.send(request("HEAD", point.url))
  }

  mutating func append(_ point: ResumePoint) -> [ResumeAction] {
    phase = .appending
    let rest = course.length - point.offset
    if takesTooLittle(of: rest) {
      return course.fail(.appendTooSmall, TransferEnd(url: point.url))
    }
    let count = min(rest, mostContent)
    return course.send(piece(point, count: count, isLast: count == rest))
  }

  /// Asks again for the lost reply to a complete upload.
  mutating func askForReply(_ point: ResumePoint) -> [ResumeAction] {
    phase = .replaying
    return course.send(piece(point, count: 0, isLast: true))
  }

  mutating func delete(_ url: URL, then end: TransferEnd) -> [ResumeAction] {
    phase = .deleting
    held = end
    return course.send(Self.termination(of: url))
  }

  /// The request that makes the server forget an upload that is not wanted.
  package static func termination(of url: URL) -> ResumeRequest {
    ResumeRequest("DELETE", url, [("Upload-Draft-Interop-Version", "\(interopVersion)")])
  }

  private func request(_ method: String, _ url: URL) -> ResumeRequest {
    ResumeRequest(method, url, [("Upload-Draft-Interop-Version", "\(Self.interopVersion)")])
  }

  private func piece(_ point: ResumePoint, count: Int64, isLast: Bool) -> ResumeRequest {
    var request = request("PATCH", point.url)
    request.add("Upload-Complete", isLast ? "?1" : "?0")
    request.add("Upload-Offset", "\(point.offset)")
    request.add("Content-Type", "application/partial-upload")
    request.content = point.offset..<(point.offset + count)
    return request
  }

  /// The most bytes in one request: what the target and the server allow, but no less than the server's minimum.
  var mostContent: Int64 {
    let allowed = [course.target.resume.chunk, limits?.append, most].compactMap { $0 }.min()
    return max(allowed ?? .max, limits?.least ?? 1, 1)
  }

  /// Whether the server takes so little at once that these bytes would need far too many requests.
  func takesTooLittle(of rest: Int64) -> Bool {
    guard rest > 0, let append = limits?.append else { return false }
    let piece = max(append, limits?.least ?? 0)
    if piece == 0 { return true }
    return piece < Self.leastPiece && (rest - 1) / piece >= Self.mostTinyPieces
  }

  /// The smallest sensible piece: a refusal of less is not about its size, and a lower limit is hardly meant for files.
  static let leastPiece: Int64 = 16 << 10
  /// The most pieces smaller than that for one upload.
  static let mostTinyPieces: Int64 = 100
}
