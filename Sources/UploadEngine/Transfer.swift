import CCurlHook
import Foundation
import MultipartForm
import UploadModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request under way: what has gone out and what has come back. Lives inside the engine.
final class Transfer {
  let attempt: Int
  /// Whose credentials it was sent with.
  let visit: UploadEngine.Visit
  let task: URLSessionTask
  let request: UploadRequest
  let url: URL
  let fate: BodyFate
  let start: Moment
  /// The files in it, at least one, in the order of the body.
  private(set) var shares: [Share]

  /// When a byte last moved in either direction.
  var lastActivity: Moment
  /// The body's bytes handed over.
  private(set) var sent: Int64 = 0
  /// The count that URLSession had reached when the body last started over.
  private var base: Int64 = 0
  private var reported: Int64 = 0
  /// For an empty body, the requests that had been begun there before this one.
  private let begunBefore: Int64?

  var status: Int?
  var headers: [String: String] = [:]
  private var reply = Data()
  private var replyBytes = 0
  /// Whether there was more of it than was taken.
  var isReplyCut = false

  /// Set where the engine itself broke the request off.
  var trouble: Failure.Cause?
  /// Whether it was broken off because the person took a file back.
  var isBrokenOff = false
  /// Whether everybody has been told of the last bytes.
  var isPublished = true

  init(
    attempt: Int, visit: UploadEngine.Visit, task: URLSessionTask, request: UploadRequest,
    url: URL, fate: BodyFate, start: Moment
  ) {
    self.visit = visit
    self.attempt = attempt
    self.task = task
    self.request = request
    self.url = url
    self.fate = fate
    begunBefore = request.body.contentLength == 0 ? CurlHook.begun(at: url) : nil
    self.start = start
    shares = request.files.map { Share(item: $0.item, content: $0.content) }
    lastActivity = start
  }

  var origin: Origin? { visit.origin }

  var items: some Sequence<ItemID> { shares.lazy.map(\.item.id) }

  /// Whether the server may have all of it. An empty body is sent with the request's head, of which
  /// URLSession tells nothing.
  var hasSentAll: Bool {
    guard request.body.contentLength == 0 else { return sent >= request.body.contentLength }
    guard status == nil, let before = begunBefore else { return true }
    return CurlHook.begun(at: url) != before
  }

  /// Whether breaking off does more good than harm: once the server has everything, what it makes of
  /// the others' files would never be known.
  var mayBreakOff: Bool { !hasSentAll || shares.allSatisfy(\.isStopped) }

  /// Seconds of silence that are libcurl's own: it waits for a "100 Continue" for one.
  var extraPatience: Double { request.expectsContinue && sent == 0 ? 1 : 0 }

  /// Whether libcurl's patience of one second for a "100 Continue" has run out by `moment` without a
  /// byte of the body sent.
  func hasWaitedInVain(until moment: Moment) -> Bool {
    request.expectsContinue && sent == 0 && moment - start > 0.95
  }

  /// The bytes that leave as soon as it begins, whatever the line is limited to.
  var advance: Int64 { min(request.body.contentLength, Int64(Pace.smallest)) }

  /// Notes how far it is. Returns how many bytes that is further than was known to leave.
  func noteSent(total: Int64) -> Int64 {
    let known = max(sent, advance)
    reported = total
    sent = min(total - base, request.body.contentLength)
    return max(sent, advance) - known
  }

  func noteRestart() {
    base = reported
    sent = 0
  }

  func noteStopped(_ id: ItemID) {
    for index in shares.indices where shares[index].item.id == id {
      shares[index].isStopped = true
    }
  }

  /// Notes what is the matter with one file and no other.
  func note(_ cause: Failure.Cause, of id: ItemID) {
    for index in shares.indices where shares[index].item.id == id { shares[index].cause = cause }
  }

  /// What is new about the files since the last time.
  func news() -> [(ItemID, ItemState)] {
    isPublished = true
    var news: [(ItemID, ItemState)] = []
    for index in shares.indices {
      guard let state = shares[index].news(at: sent, of: request.body, attempt, lastActivity)
      else { continue }
      news.append((shares[index].item.id, state))
    }
    return news
  }

  /// Keeps the beginning of the reply. Returns whether more of it is worth waiting for.
  func noteReply(_ data: Data) -> Bool {
    replyBytes += data.count
    let room = Reply.limit - reply.count
    if room > 0 { reply.append(data.prefix(room)) }
    // Reading a long page to its end keeps the connection; reading an endless one keeps the lane.
    return replyBytes <= HOIST_MOST_REPLY
  }

  /// The end of the request as a whole.
  func end(at now: Moment) -> TransferEnd {
    TransferEnd(
      url: url, status: status, headers: headers,
      reply: Reply(
        text: String(decoding: reply, as: UTF8.self), isCut: isReplyCut || replyBytes > reply.count,
        mediaType: headers["content-type"].map {
          $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        }),
      trouble: trouble, expectedContinue: request.expectsContinue, sentAll: hasSentAll,
      bytes: files.reduce(0) { $0 + $1.bytes }, seconds: now - start)
  }

  /// The files as the request's end finds them.
  var files: [BatchEnd.File] {
    shares.map { share in
      var cause = share.cause
      if case .file(let error) = fate.error, error.file == share.item.location {
        cause = Failure.Cause(error, wasSeen: true)
      }
      return BatchEnd.File(
        id: share.item.id, bytes: share.bytes(at: sent), cause: cause, isStopped: share.isStopped)
    }
  }
}

extension Transfer {
  /// One of the files in a request.
  struct Share {
    let item: UploadItem
    /// Where in the body its own bytes lie.
    let content: Range<Int64>
    /// Whether the person took it back.
    var isStopped = false
    /// What is the matter with it and no other file.
    var cause: Failure.Cause?
    private var told = Phase.ahead

    private enum Phase: Equatable {
      case ahead
      case leaving(Int64)
      case handedOver
    }

    init(item: UploadItem, content: Range<Int64>) {
      self.item = item
      self.content = content
    }

    /// Its bytes handed over once so many of the body have been.
    func bytes(at sent: Int64) -> Int64 {
      min(max(sent, content.lowerBound), content.upperBound) - content.lowerBound
    }

    /// Its state, if it has another one than when this was last asked. A file waits for the reply from
    /// its own last byte on, or the body's where it is the last.
    fileprivate mutating func news(
      at sent: Int64, of body: FormBody, _ attempt: Int, _ now: Moment
    ) -> ItemState? {
      let isLast = content.upperBound == body.contentRanges.last?.upperBound
      let phase: Phase =
        if sent >= (isLast ? body.contentLength : content.upperBound) {
          .handedOver
        } else if sent > content.lowerBound {
          .leaving(bytes(at: sent))
        } else { .ahead }
      guard phase != told else { return nil }
      told = phase
      return switch phase {
      case .ahead: .preparing(attempt: attempt)
      case .leaving(let bytes):
        .sending(attempt: attempt, sent: bytes, total: content.upperBound - content.lowerBound)
      case .handedOver: .awaitingReply(attempt: attempt, since: now)
      }
    }
  }
}
