import Foundation
import HTTPTransport
import MultipartForm
import Scheduling
import UploadModel

/// One request of an attempt, from its beginning to its end, which can be awaited. It owns what has been sent and
/// received so far. It judges nothing: what a reply means is up to the attempt that made the request.
final class Exchange {
  /// The number of the attempt, which the states of its files show.
  let attempt: Int
  /// Whose credentials the request carries.
  let authorization: Authorization
  let task: UploadTask
  let request: UploadRequest
  let url: URL
  private(set) var start: Instant
  /// The files in the request, at least one, in the order of the body.
  private(set) var shares: [FilePart]

  private var watch: StallWatch
  /// How many bytes of the body the other side has acknowledged.
  private(set) var acknowledged: Int64 = 0

  private var head: ReplyHead?
  /// Why the request failed, or why the engine itself broke it off.
  private(set) var trouble: Failure.Cause?
  /// What was wrong with the body, if anything.
  private var bodyError: BodyError?

  private var observer: (any ExchangeObserver)?
  private var ending: Ending?
  private var waiting: CheckedContinuation<Ending, Never>?

  enum Ending {
    indirect case ended(TransferEnd)
    /// The request was prepared, but taken back before it began.
    case notBegun
  }

  init(
    attempt: Int, authorization: Authorization, task: UploadTask, request: UploadRequest, url: URL,
    start: Instant, observer: any ExchangeObserver
  ) {
    self.observer = observer
    self.authorization = authorization
    self.attempt = attempt
    self.task = task
    self.request = request
    self.url = url
    self.start = start
    shares = request.files.map { FilePart(item: $0.item, content: $0.content) }
    watch = StallWatch(from: start)
  }

  var origin: Origin? { authorization.origin }

  var items: some Sequence<ItemID> { shares.lazy.map(\.item.id) }
  var firstItem: ItemID { shares[0].item.id }

  /// Whether the request carries the last bytes of a file that is sent in several requests.
  var carriesEnd: Bool {
    guard let piece = request.piece, let size = piece.size, let content = shares.first?.content
    else { return false }
    return piece.start + content.upperBound - content.lowerBound >= size
  }

  /// Whether the server may have received everything.
  var hasSentAll: Bool { head != nil && request.body.contentLength == 0 || task.hasHandedOverAll }

  /// Whether the server may have received everything, or will soon, at the speed so far.
  func hasSentAll(orWillWithin seconds: Double) -> Bool {
    hasSentAll && task.transferProgress.secondsToLeave <= seconds
  }

  /// Waits for the request's end, and says how it ended.
  func end(on engine: isolated UploadEngine) async -> Ending {
    if let ending { return ending }
    return await withCheckedContinuation { waiting = $0 }
  }

  func finish(with end: TransferEnd) { finish(.ended(end)) }

  /// Gives up a request that has not begun.
  func takeBack(on engine: isolated UploadEngine) {
    observer?.exchangeWasTakenBack(self, on: engine)
    finish(.notBegun)
  }

  private func finish(_ ending: Ending) {
    self.ending = ending
    observer = nil
    waiting.take()?.resume(returning: ending)
  }

  /// Records that the request has begun after waiting for a lane.
  func begin(at now: Instant, on engine: isolated UploadEngine) {
    (start, watch) = (now, StallWatch(from: now))
    observer?.exchangeBegan(self, at: now, on: engine)
  }

  /// Takes note of what the transport reports, apart from the request's end.
  func note(_ news: TransportNews, at now: Instant, on engine: isolated UploadEngine) {
    watch.recordActivity(at: now)
    switch news {
    case .begun(let instant): begin(at: instant, on: engine)
    case .acknowledged(let bytes):
      acknowledged = min(bytes, request.body.contentLength)
      observer?.exchangeProgressed(self, on: engine)
    case .endHeld: observer?.exchangeHoldsEnd(self, on: engine)
    case .informed(let head): observer?.exchangeReceived(head, self, on: engine)
    case .responded(let head): self.head = head
    case .expectIgnored, .ended: break
    }
  }

  func waitedForOffer(on engine: isolated UploadEngine) {
    observer?.exchangeWaitedForOffer(self, on: engine)
  }

  /// Whether the reply proves something about the credentials. A reply to OPTIONS does so only if it is a 401: servers
  /// answer OPTIONS without checking them.
  func isProof(_ end: TransferEnd) -> Bool {
    request.exchange.method != "OPTIONS" || end.status == 401
  }

  /// Breaks the request off because the user has stopped one of its files. Once the server may have everything, that
  /// would leave the outcome of its files unknown, so the request then ends by itself. It is cut at once only if all of
  /// its files have been stopped and none of them is spared.
  func stop(_ id: ItemID, isSpared: Bool) {
    record(of: id) { $0.isStopped = true }
    for index in shares.indices where shares[index].item.id == id {
      shares[index].isSpared = isSpared
    }
    if shares.allSatisfy({ $0.end.isStopped && !$0.isSpared }) {
      task.cancel()
    } else {
      task.cancelUnlessSent()
    }
  }

  /// Breaks the request off for a reason of the engine's own.
  func breakOff(because cause: Failure.Cause) {
    trouble = cause
    task.cancel()
  }

  /// Checks the progress. Returns a cause if nothing has moved for too long, or if the reply takes too long.
  func stall(at now: Instant) -> Failure.Cause? {
    watch.look(task.transferProgress, at: now)
    let limit = request.target.stallTimeout
    if let replyStart = watch.replyStart,
      watch.isReplyOverdue(at: now, limit, endsUpload: request.endsUpload)
    {
      return .stalled(seconds: now - replyStart)
    }
    let patience = limit + expectPatience + replyPatience
    guard now - watch.lastActivity > patience else { return nil }
    // Without a connection, no part of the request has been sent.
    return task.transferProgress.hasBegun
      ? .stalled(seconds: patience.rounded())
      : .unreachable("nothing could be sent for \(HumanReadable.seconds(limit))", .answer)
  }

  /// Seconds of silence that libcurl causes: it waits one second for a "100 Continue".
  private var expectPatience: Double { request.expectsContinue && acknowledged == 0 ? 1 : 0 }

  /// Seconds that a server may take beyond the time-out once everything is acknowledged, since buffers on the way may
  /// still contain data that a slow server must read.
  private var replyPatience: Double {
    guard acknowledged >= request.body.contentLength, watch.replyStart == nil else { return 0 }
    return Self.replyPatience(
      after: request.body.contentLength, stallTimeout: request.target.stallTimeout)
  }

  /// The same for a body of this length. A small one does not stay in buffers.
  static func replyPatience(after length: Int64, stallTimeout: Double) -> Double {
    let rest = max(0, length - smallBody)
    return min(Double(rest) / slowestReader, 2 * stallTimeout)
  }

  private static let slowestReader = 20_000.0
  private static let smallBody: Int64 = 1 << 20

  /// Records something about this one file.
  func record(of id: ItemID, _ change: (inout BatchEnd.File) -> Void) {
    for index in shares.indices where shares[index].item.id == id { change(&shares[index].end) }
  }

  /// The new states of the files whose states have changed since the last call.
  func changes(at now: Instant) -> [(ItemID, ItemState)] {
    var news: [(ItemID, ItemState)] = []
    for index in shares.indices {
      guard let state = shares[index].news(at: acknowledged, of: request, attempt, now)
      else { continue }
      news.append((shares[index].item.id, state))
    }
    return news
  }

  /// Records how the task ended, and what the target's rules found in the reply if they need it. Returns the end of the
  /// request as a whole.
  func noteEnd(_ exchange: ExchangeEnd, _ content: ReplyContent?, at now: Instant) -> TransferEnd {
    head = exchange.head ?? head
    if case .body(let error as BodyError)? = exchange.trouble?.kind { bodyError = error }
    var end = TransferEnd(
      exchange, head, of: url, keeping: Reply.limit, proxy: request.target.proxy(for: url))
    // In order of significance: the file's error, the engine's own reason, the connection's error.
    end.trouble = bodyError.map { Failure.Cause($0, wasSeen: true) } ?? trouble ?? end.trouble
    if head == nil, end.trouble == nil, end.reply.isCut {
      end.trouble = .network("the server's reply is too long")
    }
    (end.expectedContinue, end.sentAll) = (request.expectsContinue, hasSentAll)
    (end.content, end.number) = (content, request.number)
    end.asksForJSON = request.occasion.headers.askForJSON
    end.bytes = shares.reduce(0) { $0 + $1.bytes(at: acknowledged) }
    end.seconds = now - start
    end.digests = shares.count == 1 ? shares[0].item.digests : nil
    return end
  }

  /// The files in their state at the request's end.
  var files: [BatchEnd.File] {
    shares.enumerated().map { index, share in
      var file = share.end
      file.bytes = share.bytes(at: acknowledged)
      file.sent = request.sent.indices.contains(index) ? request.sent[index] : nil
      file.digests = share.item.digests
      if request.target.after.way != nil {
        file.moment = request.body.moment(of: share.item.location)
      }
      if case .file(let error)? = bodyError,
        let source = request.sources.first(where: {
          $0.owner == file.id && $0.location == error.file
        })
      {
        file.cause = source.cause(of: error, wasSeen: true)
      }
      return file
    }
  }

  /// One of the files in a request.
  struct FilePart {
    let item: UploadItem
    /// The range of the file's own bytes in the body.
    let content: Range<Int64>
    /// Whether the user stopped the file, and the problem with this one file. `files` fills in the rest.
    fileprivate(set) var end: BatchEnd.File
    /// Whether the user has stopped the file only if the server does not have it yet.
    fileprivate var isSpared = false
    private var reportedPhase = Phase.ahead

    private enum Phase: Equatable {
      case ahead
      case leaving(Int64)
      case handedOver
    }

    init(item: UploadItem, content: Range<Int64>) {
      (self.item, self.content) = (item, content)
      end = BatchEnd.File(id: item.id)
    }

    /// How many of the file's bytes are covered by the first `sent` bytes of the body.
    func bytes(at sent: Int64) -> Int64 {
      min(max(sent, content.lowerBound), content.upperBound) - content.lowerBound
    }

    /// The file's state, if it has changed since the last call. A file waits for the reply once its own last byte is
    /// sent, or the body's if it is the last file.
    fileprivate mutating func news(
      at sent: Int64, of request: UploadRequest, _ attempt: Int, _ now: Instant
    ) -> ItemState? {
      let (body, piece) = (request.body, request.piece)
      // A request that only asks about the file sends none of its bytes.
      if let piece, piece.size == nil { return nil }
      let start = piece?.start ?? 0
      let total = piece?.size ?? content.upperBound - content.lowerBound
      // If this is false, the rest of the file follows in another request.
      let isOver = start + content.upperBound - content.lowerBound >= total
      let isLast = content.upperBound == body.contentRanges.last?.upperBound
      let phase: Phase =
        if isOver, sent >= (isLast ? body.contentLength : content.upperBound) {
          .handedOver
        } else if sent > content.lowerBound {
          .leaving(bytes(at: sent))
        } else { .ahead }
      guard phase != reportedPhase else { return nil }
      reportedPhase = phase
      return switch phase {
      case .ahead: .preparing(attempt: attempt)
      case .leaving(let bytes): .sending(attempt: attempt, sent: start + bytes, total: total)
      case .handedOver: .awaitingReply(attempt: attempt, since: now)
      }
    }
  }
}
