import CCurl
import Foundation

/// One task's request on an easy handle. Used only on the loop's thread.
final class Transfer {
  let task: UploadTask
  let easy: UnsafeMutableRawPointer
  unowned let loop: TransferLoop
  let request: ExchangeRequest
  let length: Int64
  /// Whether the server is asked before the body is sent.
  let asks: Bool

  /// Room for the whole body, if it goes with the head.
  let wholeBody: UnsafeMutableRawBufferPointer?
  var reader: (any ExchangeBodyReader)?
  var bodyError: (any Error)?
  /// How many bytes of the body libcurl has been given since it last began.
  var given: Int64 = 0
  var parser = ReplyHeadParser()
  var toldExpect = false
  /// Whether the server refused `Expect`. The handle never sends it again, whatever it is used for.
  var wasExpectRefused = false
  /// Whether that was all that the server refused: it had not asked for the body, nor been given all of it.
  var mayAskPlainly = false
  /// Whether the server has sent its digest challenge.
  var wasChallenged = false
  var headBytes = 0
  private var isHeadTold = false

  /// The socket that it uses, once it has begun.
  var socket: Int32?
  /// Where on that connection the request begins.
  var mark: Int64?
  /// Whether libcurl wanted to repeat the request and must not.
  var isUnrepeatable = false
  /// Whether the server had ended the connection before anything of the request went over it.
  var isTooLate = false
  /// How many bytes of heads libcurl had sent for earlier requests of this transfer.
  var headsBefore = 0
  /// The connection, if it was closed without a reply. It may still turn out that the server has not seen the request.
  private var closed: ClosedConnection?
  /// The end of the body on the connection, if the reply came before all of it had arrived.
  var arrival: Arrival?
  /// How often it was begun again because the server had not seen it.
  private(set) var repetitions = 0
  /// When a limit lets it go on; nil if none holds it back.
  var heldUntil: Double?
  /// When libcurl has waited long enough for "100 Continue"; nil if it does not wait.
  var continueBy: Double?
  /// How many bytes its limits have let through that libcurl has not been given yet.
  var allowance = 0
  /// Why the last socket for it could not be made; 0 if it was.
  var socketError: Int32 = 0
  /// How many bytes of the body were last known to be acknowledged.
  private(set) var acknowledged: Int64 = 0
  let words: UnsafeMutablePointer<CChar>
  var lists: [UnsafeMutablePointer<curl_slist>] = []

  /// How much of a large body is read at once. Over TLS, half as much takes a twentieth longer. Without it, a reader
  /// that is quicker than we are falls asleep while 512 KiB are read, and waking it costs more than the reading saves.
  var largeBuffer: Int { request.url.scheme == "https" ? 512 << 10 : 256 << 10 }
  /// The most bytes of head lines and trailers together.
  static let mostHead = 1 << 20
  private static let mostRepetitions = 5
  /// The most bytes that a limit is asked for at once.
  private static let mostGranted = 1 << 20

  init(_ task: UploadTask, easy: UnsafeMutableRawPointer, loop: TransferLoop) {
    self.task = task
    self.easy = easy
    self.loop = loop
    request = task.request
    length = task.request.body?.length ?? 0
    asks = request.expectsContinue
    wholeBody =
      Self.sendsAtOnce(request) ? .allocate(byteCount: Int(length), alignment: 1) : nil
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    for list in lists { curl_slist_free_all(list) }
    words.deallocate()
    wholeBody?.deallocate()
  }

  // MARK: What the loop asks

  /// The connection is about to be closed. This is the last chance to ask the kernel about it.
  func recordClosing(_ descriptor: Int32) {
    guard descriptor == socket else { return }
    recordArrival(at: descriptor, isClosing: true)
    if let mark, headBytes == 0, given > 0 { closed = ClosedConnection(descriptor, mark: mark) }
    (socket, mark) = (nil, nil)
  }

  /// Whether the server has seen a request that ended with this code. If not, the request is to be begun again.
  func sight(after code: CURLcode) -> SocketTable.Sight {
    guard repetitions < Self.mostRepetitions, bodyError == nil else { return .uncertain }
    if isTooLate { return .unseen }
    let isLost =
      isUnrepeatable
      || [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND]
        .contains(code)
    guard isLost, parser.head == nil, headBytes == 0, task.transferProgress.hasBegun,
      let closed
    else { return .uncertain }
    // libcurl has already read, and so cleared, the connection's error.
    let isBrokenPipe =
      code == CURLE_SEND_ERROR && hoist_info_long(easy, CURLINFO_OS_ERRNO) == Int(EPIPE)
    return isBrokenPipe && closed.wasUnacknowledged ? .unseen : closed.sight()
  }

  /// Prepares to begin again, since the server has not seen the request.
  func beginAgain() {
    repetitions += 1
    startOver()
  }

  /// Whether it may begin again once more.
  var mayBeginAgain: Bool { repetitions < Self.mostRepetitions }

  /// How many bytes of the body the other side has acknowledged; nil if that has not changed.
  ///
  /// - Parameter shares: how many transfers share the connection, as with HTTP/2.
  func newlyAcknowledged(shares: Int) -> Int64? {
    guard let socket, given > acknowledged else { return nil }
    let written = written
    let waiting = SocketTable.unacknowledged(at: socket) ?? 0
    // A connection that was reset has nothing waiting because the kernel threw it away.
    if waiting == 0, written == given, !SocketTable.isClosed(socket) {
      return record(acknowledged: given)
    }
    guard let arrived = arrived(at: socket) else {
      return record(acknowledged: max(0, written - waiting / Int64(max(1, shares))))
    }
    return record(acknowledged: min(max(0, arrived), given - 1))
  }

  /// How many bytes of the body the other side has acknowledged by the connection's own count; nil if others share it.
  func arrived(at socket: Int32) -> Int64? {
    guard let mark, !request.offersHTTP2 else { return nil }
    // libcurl counts a piece as written once all of its TLS records are, up to a mebibyte too late. The
    // connection's own count is finer, but includes the head and the overhead of TLS records.
    let counted = Int64(hoist_info_long(easy, CURLINFO_REQUEST_SIZE) - headsBefore)
    // From 8.14 on, libcurl's count includes what it has sent of the body.
    let uploaded = hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T)
    let head = counted > uploaded ? counted - uploaded : counted
    let arrived = hoist_look_at(socket).acknowledged - mark - head
    return request.url.scheme == "https" ? arrived * 16_384 / 16_406 : arrived
  }

  /// Notes that the request was answered: a reply to all of it proves that it arrived.
  func recordAnswered() -> Int64? {
    guard written >= given else { return newlyAcknowledged(shares: 1) }
    return record(acknowledged: given)
  }

  /// How many bytes of the body the connection has taken.
  private var written: Int64 {
    min(given, hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T))
  }

  private func record(acknowledged now: Int64) -> Int64? {
    guard now > acknowledged else { return nil }
    acknowledged = now
    task.content.withLock { $0.progress.acknowledged = now }
    return now
  }

  var hasGivenAll: Bool { given == length }

  /// Whether the body goes with the head. It has no progress to show, and the reply soon proves that it arrived.
  var isInOnePiece: Bool { wholeBody != nil }

  var isAwaitingAcknowledgement: Bool { socket != nil && given > acknowledged }

  /// The final reply's head, unless it has been reported.
  func removeHead() -> ReplyHead? {
    guard !isHeadTold, let head = task.content.withLock({ $0.head }) else { return nil }
    isHeadTold = true
    return head
  }

  /// Why it ended, if not well.
  func trouble(_ code: CURLcode) -> TransportError? {
    if let bodyError { return TransportError(.body(bodyError), code: code) }
    if isUnrepeatable {
      return TransportError(
        .connectionLost, code: code, words: "The server closed the connection without a reply")
    }
    if arrival?.isLost == true {
      return TransportError(
        .connectionLost, code: code,
        words: "The server answered before it had everything, and closed the connection")
    }
    guard code != CURLE_OK, !task.content.withLock({ $0.isReplyCut }) else { return nil }
    // libcurl does not tell why no socket could be made.
    return TransportError(
      code, of: easy, words: words, socket: code == CURLE_COULDNT_CONNECT ? socketError : 0)
  }

  /// Lets a transfer that is held back go on with as many bytes as its limits allow now. Returns false
  /// if they allow none; `heldUntil` then says when they may.
  func letGo(at now: Double) -> Bool {
    guard !task.content.withLock({ $0.holdsBody }) else {
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

  /// How many bytes of the body may go out now. If limits let none through, the transfer is held back.
  func granted(upTo most: Int) -> Int {
    let wanted = Int(min(Int64(most), length - given))
    guard !request.limits.isEmpty, wanted > 0 else { return wanted }
    guard heldUntil == nil else { return 0 }
    // Transfers that are already waiting come first.
    guard allowance > 0 || !loop.holdsAny && letGo(at: Clock.now) else {
      hold()
      return 0
    }
    return min(wanted, allowance)
  }

  func hold() {
    heldUntil = heldUntil ?? 0
    loop.hold(self)
    task.content.withLock { $0.progress.isHeldBack = true }
  }

  /// Hands over at most `most` bytes of the body. `work` does it and returns how many they were; nil for none.
  /// Throws once the task is stopped, so that the number handed over does not change after that.
  func handOver(_ most: Int, _ work: () throws -> Int?) throws -> Int? {
    try recordHandedOver(given + Int64(most))
    var count: Int?
    defer {
      given += Int64(count ?? 0)
      if !request.limits.isEmpty { allowance -= count ?? 0 }
      try? recordHandedOver(given)
      if hasGivenAll, !isInOnePiece { loop.recordBodyHandedOver() }
    }
    count = try work()
    return count
  }

  func recordHandedOver(_ bytes: Int64) throws(CancellationError) {
    let isStopped = task.content.withLock { content in
      if !content.isStopped { content.progress.handedOver = bytes }
      return content.isStopped
    }
    if isStopped { throw CancellationError() }
  }

  // MARK: Beginning again

  var mayRepeat: Bool {
    request.mayRepeat || mayAskPlainly && parser.head?.status == 417
  }

  func startOver() {
    reader = nil
    given = 0
    acknowledged = 0
    (socket, mark, closed, arrival) = (nil, nil, nil, nil)
    (isUnrepeatable, isTooLate) = (false, false)
    continueBy = nil
    task.content.withLock { content in
      content.reported = 0
      let received = content.progress.received
      content.progress = UploadTask.Progress()
      content.progress.received = received
    }
  }
}
