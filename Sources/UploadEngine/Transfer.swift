import Foundation
import FoundationNetworking
import MultipartForm
import UploadModel

/// One request under way: what has gone out and what has come back. Lives inside the engine.
struct Transfer {
  let item: ItemID
  let attempt: Int
  let task: URLSessionTask
  let request: UploadRequest
  let url: URL
  let fate: BodyFate
  let start: Moment

  /// When a byte last moved in either direction.
  var lastActivity: Moment
  /// The body's bytes handed over.
  private(set) var sent: Int64 = 0
  /// The count that URLSession had reached when the body last started over.
  private var base: Int64 = 0
  private var reported: Int64 = 0

  var status: Int?
  var headers: [String: String] = [:]
  private var reply = Data()
  private var replyBytes = 0

  /// Set where the engine itself broke the request off.
  var trouble: Failure.Cause?
  /// Whether the person took it back.
  var isStopped = false
  /// Whether everybody has been told of the last bytes.
  var isPublished = true

  init(
    item: ItemID, attempt: Int, task: URLSessionTask, request: UploadRequest, url: URL,
    fate: BodyFate, start: Moment
  ) {
    self.item = item
    self.attempt = attempt
    self.task = task
    self.request = request
    self.url = url
    self.fate = fate
    self.start = start
    lastActivity = start
  }

  var hasSentAll: Bool { sent >= request.body.contentLength }

  /// The file's own bytes handed over.
  var fileBytes: Int64 {
    min(max(0, sent - request.content.lowerBound), fileSize)
  }

  var fileSize: Int64 { request.content.upperBound - request.content.lowerBound }

  var itemState: ItemState {
    hasSentAll
      ? .awaitingReply(attempt: attempt, since: lastActivity)
      : .sending(attempt: attempt, sent: fileBytes, total: fileSize)
  }

  /// Seconds of silence that are libcurl's own: it waits for a "100 Continue" for one.
  var extraPatience: Double { request.expectsContinue && sent == 0 ? 1 : 0 }

  /// Whether libcurl's patience of one second for a "100 Continue" has run out by `moment` without a
  /// byte of the body sent.
  func hasWaitedInVain(until moment: Moment) -> Bool {
    request.expectsContinue && sent == 0 && moment - start > 0.95
  }

  mutating func noteSent(total: Int64) {
    reported = total
    sent = min(total - base, request.body.contentLength)
  }

  mutating func noteRestart() {
    base = reported
    sent = 0
  }

  /// Keeps the beginning of the reply. Returns whether more of it is worth waiting for.
  mutating func noteReply(_ data: Data) -> Bool {
    replyBytes += data.count
    let room = Reply.limit - reply.count
    if room > 0 { reply.append(data.prefix(room)) }
    return replyBytes <= Self.patience
  }

  /// The bytes of a reply that are read before the connection is given up. Reading a long page to
  /// its end keeps the connection; reading an endless one keeps the lane.
  private static let patience = 4 * 1024 * 1024

  func end(at now: Moment) -> TransferEnd {
    TransferEnd(
      url: url, status: status, headers: headers,
      reply: Reply(
        text: String(decoding: reply, as: UTF8.self), isCut: replyBytes > reply.count,
        mediaType: headers["content-type"].map {
          $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        }),
      trouble: trouble, expectedContinue: request.expectsContinue, sentAll: hasSentAll,
      bytes: fileBytes, seconds: now - start)
  }
}
