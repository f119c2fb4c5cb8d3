import CCurl
import Foundation

/// One task's request on an easy handle. Used only on the loop's thread.
final class Transfer {
  let task: UploadTask
  private(set) var easy: UnsafeMutableRawPointer
  unowned let loop: TransferLoop
  let request: ExchangeRequest
  let length: Int64

  /// A buffer for the whole body, if it is sent together with the head.
  let wholeBody: UnsafeMutableRawBufferPointer?
  var reader: (any ExchangeBodyReader)?
  var bodyError: (any Error)?
  /// How many bytes of the body libcurl has been given since it last started the request.
  var given: Int64 = 0
  var parser = ReplyHeadParser()
  var hasReportedExpect = false
  /// Whether the delegate was told on this connection that only the body's end is missing.
  var hasReportedEnd = false
  /// Whether the server rejected `Expect`. The handle will never send it again, even for other requests.
  var wasExpectRefused = false
  /// Whether the server rejected nothing but `Expect`. When it did so, it had neither asked for the body nor been given
  /// all of it.
  var mayAskPlainly = false
  /// What the request does about challenges; nil if it has no credentials for them, or the server wants none.
  var challengeStep: ChallengeStep?
  var headBytes = 0
  private var isHeadReported = false

  /// The socket of the request, once it has started.
  var socket: Int32?
  /// The position on the connection at which the request begins.
  var mark: Int64?
  /// When the request began on the connection, in seconds of ``Clock``.
  var begun = 0.0
  /// Whether the request must not begin again, since the caller only awaits the end of what has been sent.
  var isNotRepeated = false
  /// Whether libcurl tried to repeat the request although that was not allowed.
  var isUnrepeatable = false
  /// Whether the server had already closed the connection before any of the request was sent on it.
  var isTooLate = false
  /// How many bytes of request heads libcurl sent for earlier attempts of this transfer.
  var headsBefore = 0
  /// The connection, if it was closed without a reply. It may still turn out that the server has not seen the request.
  private var closed: ClosedConnection?
  /// Whether libcurl had not written all that it was given when the connection was closed.
  private var wasUnwritten = false
  /// Whether the reply began before the server had the whole body, so that it cannot mean that it does.
  var wasRepliedEarly = false
  /// The end of the body on the connection, if the reply came before all of the body had arrived.
  var arrival: Arrival?
  /// Whether the reply was read after libcurl had given the connection up.
  var hasLastReply = false
  /// The reply's content as it came, with its chunks, if it is in a coding that libcurl does not know.
  var rawReply: [UInt8]?
  /// How often the request was repeated because the server had not seen it.
  private(set) var repetitions = 0
  /// When a limit may let the transfer continue; nil if no limit is delaying it.
  var heldUntil: Double?
  /// When libcurl should have stopped waiting for "100 Continue"; nil if it is not waiting.
  var continueBy: Double?
  /// How many bytes the limits have granted but libcurl has not been given yet.
  var allowance = 0
  /// Why the last attempt to create a socket failed, as an `errno`; 0 if it succeeded.
  var socketError: Int32 = 0
  /// How many bytes of the body were last known to be acknowledged.
  private(set) var acknowledged: Int64 = 0
  let words: UnsafeMutablePointer<CChar>
  var headerLines: UnsafeMutablePointer<curl_slist>?

  /// How much of a large body is read at once, in bytes. Over TLS, reading half as much takes 5% longer. Over plain
  /// HTTP, a server that reads faster than we send goes to sleep while 512 KiB are read, and waking it costs more than
  /// the larger reads save.
  var largeBuffer: Int { request.url.scheme == "https" ? 512 << 10 : 256 << 10 }
  /// How many bytes are held back with `holdsEnd`. They are more than the closing boundary of a form, so that the
  /// server cannot take the body for complete.
  static let heldEnd: Int64 = 512
  /// The most bytes of header lines and trailers together.
  static let mostHead = 1 << 20
  private static let mostRepetitions = 5
  /// The maximum number of bytes requested from a limit at once.
  private static let mostGranted = 1 << 20

  init(_ task: UploadTask, easy: UnsafeMutableRawPointer, loop: TransferLoop) {
    self.task = task
    self.easy = easy
    self.loop = loop
    request = task.request
    length = task.request.body?.length ?? 0
    wholeBody = Self.sendsAtOnce(request) ? .allocate(byteCount: Int(length), alignment: 1) : nil
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_slist_free_all(headerLines)
    words.deallocate()
    wholeBody?.deallocate()
  }

  /// Whether the request is sent without its body, to be challenged.
  var isAsking: Bool { challengeStep?.isQuestion == true }

  // MARK: Questions from the loop

  /// Called when a connection is about to be closed, which is the last chance to ask the kernel about it.
  /// `isShared` says whether other requests use it.
  func recordClosing(_ descriptor: Int32, isShared: Bool) {
    guard descriptor == socket else { return }
    defer { (socket, mark) = (nil, nil) }
    // A server may take the last bytes, answer and close before anybody looks.
    if !isShared, let acknowledged = newlyAcknowledged(shares: 1) {
      task.report(acknowledged: acknowledged, head: nil)
    }
    // The task was stopped while libcurl was not asking for more; libcurl then closes the connection by itself.
    if bodyError is CancellationError { return breakOff() }
    takeLastReply(at: descriptor)
    recordArrival(at: descriptor, isClosing: true)
    guard parser.head == nil, given > 0 else { return }
    wasUnwritten = isUnwritten
    closed = mark.flatMap { ClosedConnection(descriptor, mark: $0, isAlone: !isShared) }
  }

  /// Whether the server has seen the request, which ended with this code. If it has not, the request should be
  /// repeated.
  func sight(after code: CURLcode) -> SocketTable.Sight {
    guard mayBeginAgain, bodyError == nil else { return .uncertain }
    if isTooLate { return .unseen }
    let isLost =
      isUnrepeatable
      || [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND]
        .contains(code)
    guard isLost, parser.head == nil, task.transferProgress.hasBegun, let closed
    else { return .uncertain }
    let isUndecided =
      hasGivenAll && !wasUnwritten && closed.loss(slack: closingSlack, speed: speed) == .open
    guard headBytes == 0 else { return isUndecided ? .open : .uncertain }
    // libcurl has already read the connection's error and thereby cleared it.
    let isBrokenPipe =
      code == CURLE_SEND_ERROR && hoist_info_long(easy, CURLINFO_OS_ERRNO) == Int(EPIPE)
    let sight = isBrokenPipe && closed.wasUnacknowledged ? .unseen : closed.sight()
    return sight == .uncertain && isUndecided ? .open : sight
  }

  /// Prepares to repeat the request, which the server has not seen, on another handle.
  func beginAgain(on easy: UnsafeMutableRawPointer) {
    self.easy = easy
    repetitions += 1
    startOver()
  }

  /// Whether the request may be repeated once more.
  var mayBeginAgain: Bool { repetitions < Self.mostRepetitions }

  /// The number of bytes of the body that the other side has acknowledged; nil if that number has not changed. `shares`
  /// is how many transfers share the connection, as with HTTP/2.
  func newlyAcknowledged(shares: Int) -> Int64? {
    guard let socket, given > acknowledged else { return nil }
    defer { recordRest(at: socket) }
    let written = written
    let waiting = SocketTable.unacknowledged(at: socket) ?? 0
    // After a reset, nothing is waiting for an acknowledgement either, but only because the kernel has discarded the
    // data.
    if waiting == 0, written == given, !SocketTable.isClosed(socket) {
      return record(acknowledged: given)
    }
    guard let arrived = arrived(at: socket) else {
      return record(acknowledged: max(0, written - waiting / Int64(max(1, shares))))
    }
    return record(acknowledged: min(max(0, arrived), given - 1))
  }

  /// How many bytes of the body the other side has taken each second; infinite if it has taken none yet.
  var speed: Double {
    acknowledged > 0 ? Double(acknowledged) / max(Clock.now - begun, 0.001) : .infinity
  }

  /// Records how long the rest of the body takes to leave, once all of it has been handed over.
  private func recordRest(at socket: Int32) {
    guard hasGivenAll, !request.offersHTTP2 else { return }
    let rest = (isUnwritten ? given - written : 0) + SocketTable.unsent(at: socket)
    let seconds = given > acknowledged ? Double(rest) / speed : 0
    task.content.withLock { $0.progress.secondsToLeave = seconds }
  }

  /// The number of bytes of the body that have arrived according to the connection's own count; nil if other
  /// transfers share the connection.
  func arrived(at socket: Int32) -> Int64? {
    guard let mark, !request.offersHTTP2 else { return nil }
    // libcurl counts a piece as written only once all of its TLS records have been written, so its count can lag by up
    // to a mebibyte. The connection's own count is finer, but includes the head and the overhead of TLS records.
    let counted = Int64(hoist_info_long(easy, CURLINFO_REQUEST_SIZE) - headsBefore)
    // From 8.14 on, libcurl's count includes the bytes of the body that it has sent.
    let uploaded = hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T)
    let head = counted > uploaded ? counted - uploaded : counted
    let found = hoist_look_at(socket)
    if found.round_trip > 0 {
      task.content.withLock { $0.progress.roundTrip = found.round_trip }
    }
    let arrived = found.acknowledged - mark - head
    return request.url.scheme == "https" ? arrived * 16_384 / 16_406 : arrived
  }

  /// Records that the request was answered. If all of it was written, the reply proves that it arrived.
  func recordAnswered() -> Int64? {
    guard written >= given else { return newlyAcknowledged(shares: 1) }
    return record(acknowledged: given)
  }

  /// How many bytes of the body libcurl has written to the connection.
  var written: Int64 { min(given, hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T)) }

  private func record(acknowledged now: Int64) -> Int64? {
    guard now > acknowledged else { return nil }
    acknowledged = now
    task.content.withLock { $0.progress.acknowledged = now }
    return now
  }

  var hasGivenAll: Bool { given == length }

  /// Whether the kernel may keep a part of the body for a while. A small one leaves with the first packets (RFC 6928).
  var mayStay: Bool { length > Self.firstWindow }
  private static let firstWindow: Int64 = 12 << 10

  /// Whether the kernel may still have a part of the body, since no final reply has come.
  var isUnanswered: Bool { mayStay && parser.head == nil }

  /// Whether the body is sent together with the head. The body then has no progress to show, and the reply soon proves
  /// that it arrived.
  var isInOnePiece: Bool { wholeBody != nil }

  var isAwaitingAcknowledgement: Bool { socket != nil && given > acknowledged }

  /// Returns the head of the final reply once, after it has arrived.
  func removeHead() -> ReplyHead? {
    guard !isHeadReported, let head = task.content.withLock({ $0.end.head }) else { return nil }
    isHeadReported = true
    return head
  }

  /// Why the transfer failed; nil if it succeeded.
  func trouble(_ code: CURLcode) -> TransportError? {
    if let bodyError { return TransportError(.body(bodyError), code: code) }
    if hasLastReply { return nil }
    if isUnrepeatable {
      return TransportError(
        .connectionLost, code: code, words: "The server closed the connection without a reply")
    }
    if arrival?.isLost == true {
      return TransportError(
        .connectionLost, code: code,
        words: "The server replied and closed the connection before it had received everything")
    }
    guard code != CURLE_OK, !task.content.withLock({ $0.end.isReplyCut }) else { return nil }
    // libcurl does not report why a socket could not be created.
    return TransportError(
      code, of: easy, words: words, socket: code == CURLE_COULDNT_CONNECT ? socketError : 0)
  }

  /// Lets a delayed transfer continue with as many bytes as its limits grant now. Returns false if they grant none;
  /// `heldUntil` is then the time to retry.
  func letGo(at now: Double) -> Bool {
    guard !task.content.withLock({ $0.isWaiting }) else {
      heldUntil = .infinity
      return false
    }
    let wanted = Int(min(length - given, Int64(Self.mostGranted)))
    let (bytes, delay) = BandwidthLimit.consume(wanted, from: request.limits)
    guard bytes > 0 || wanted == 0 else {
      heldUntil = now + delay
      return false
    }
    (allowance, heldUntil) = (bytes, nil)
    task.content.withLock { $0.progress.isHeldBack = false }
    return true
  }

  /// How many bytes of the body may be sent now. If limits grant none, the transfer is delayed.
  func granted(upTo wanted: Int) -> Int {
    guard !request.limits.isEmpty else { return wanted }
    guard heldUntil == nil else { return 0 }
    // Transfers that are already waiting take precedence.
    guard allowance > 0 || loop.held.isEmpty && letGo(at: Clock.now) else {
      hold()
      return 0
    }
    return min(wanted, allowance)
  }

  func hold() {
    heldUntil = heldUntil ?? 0
    if !loop.held.contains(where: { $0 === self }) { loop.held.append(self) }
    task.content.withLock { $0.progress.isHeldBack = true }
  }

  /// Hands over the next bytes of the body in this buffer, and returns their number; nil if they cannot be read or the
  /// exchange is stopped. Once it is stopped, the recorded number no longer changes.
  func handOver(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let reader = reader ?? request.body?.makeReader() else { return nil }
    self.reader = reader
    do {
      try recordHandedOver(given + Int64(buffer.count))
      defer { try? recordHandedOver(given) }
      let count = try reader.read(into: buffer)
      given += Int64(count)
      if !request.limits.isEmpty { allowance -= count }
      if hasGivenAll, !isInOnePiece { loop.recordBodyHandedOver() }
      return count
    } catch {
      bodyError = error
      return nil
    }
  }

  private func recordHandedOver(_ bytes: Int64) throws(CancellationError) {
    let isStopped = task.content.withLock { content in
      if !content.isStopped { content.progress.handedOver = bytes }
      return content.isStopped
    }
    if isStopped { throw CancellationError() }
  }

  /// Whether libcurl has not written all that it was given. A body that goes with the head is not counted.
  var isUnwritten: Bool { wholeBody == nil && written < given }

  /// Records that a body that was handed over whole has not arrived, if that is certain after a request that ended with
  /// this code.
  func recordLoss(_ code: CURLcode) {
    guard length > 0, hasGivenAll else { return }
    let isLost =
      if parser.head != nil {
        wasRepliedEarly
      } else if let closed {
        wasUnwritten || closed.loss(slack: closingSlack, speed: speed) == .some
      } else {
        code != CURLE_OK && socket != nil && isUnwritten
      }
    if isLost { recordIncomplete() }
  }

  // MARK: Repetition

  var mayRepeat: Bool {
    !isNotRepeated && (request.mayRepeat || mayAskPlainly && parser.head?.status == 417)
  }

  func startOver() {
    reader = nil
    (given, acknowledged) = (0, 0)
    (socket, mark, closed, arrival, continueBy) = (nil, nil, nil, nil, nil)
    (isUnrepeatable, isTooLate, wasUnwritten, wasRepliedEarly) = (false, false, false, false)
    task.content.withLock { content in
      content.reported = 0
      let received = content.progress.received
      content.progress = UploadTask.Progress()
      content.progress.received = received
    }
  }
}
