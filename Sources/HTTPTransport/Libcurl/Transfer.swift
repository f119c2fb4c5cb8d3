import CCurl
import Foundation

/// One exchange on an easy handle. Lives on the loop's thread.
final class Transfer {
  let exchange: Exchange
  let easy: UnsafeMutableRawPointer
  unowned let loop: TransferLoop
  let request: ExchangeRequest
  let length: Int64
  /// Whether the server is asked before the body is sent.
  let asks: Bool

  /// Room for the whole body, where it goes with the head.
  let wholeBody: UnsafeMutableRawBufferPointer?
  var reader: (any ExchangeBodyReader)?
  var bodyError: (any Error)?
  /// The body's bytes given to libcurl since it last began.
  var given: Int64 = 0
  var parser = ReplyHeadParser()
  var toldExpect = false
  /// Whether the handle will not ask again, whatever it is used for.
  var wasExpectRefused = false
  /// Whether that was all that the server refused: it had not asked for the body, nor been given all of it.
  var mayAskPlainly = false
  /// Whether the server has said what it wants to have answered.
  var wasChallenged = false
  var headBytes = 0
  private var isHeadTold = false

  /// The socket that it goes over, once it has begun.
  var socket: Int32?
  /// Where on that connection the request begins.
  var mark: Int64?
  /// Whether libcurl wanted to repeat the request and must not.
  var isUnrepeatable = false
  /// Whether the server had ended the connection before anything of the request went over it.
  var isTooLate = false
  /// The bytes of requests' heads that libcurl had sent for this transfer before.
  var headsBefore = 0
  /// The connection, where it was closed without a reply: the server may still be known not to have seen the request.
  private var closed: ClosedConnection?
  /// Where the connection stood when the reply came, where that was before all had arrived.
  var arrival: Arrival?
  /// How often it was begun again because of that.
  private(set) var repetitions = 0
  /// When a limit lets it go on; nil where none holds it back.
  var heldUntil: Double?
  /// When libcurl has waited long enough for "100 Continue"; nil where it does not.
  var continueBy: Double?
  /// The bytes that its limits have let through and that it has not given yet.
  var allowance = 0
  /// Why the last socket for it could not be made; 0 where one was.
  var socketError: Int32 = 0
  /// What was told last.
  private(set) var acknowledged: Int64 = 0
  let words: UnsafeMutablePointer<CChar>
  var lists: [UnsafeMutablePointer<curl_slist>] = []

  /// With half as much, large files over TLS take a twentieth longer; twice as much gives nothing.
  static let largeBuffer = 512 << 10
  /// The most bytes of head lines and trailers together.
  static let mostHead = 1 << 20
  private static let mostRepetitions = 5
  /// How many bytes a limit is asked for at once.
  private static let mostGranted = 1 << 20

  init(_ exchange: Exchange, easy: UnsafeMutableRawPointer, loop: TransferLoop) {
    self.exchange = exchange
    self.easy = easy
    self.loop = loop
    request = exchange.request
    length = exchange.request.body?.length ?? 0
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

  /// The connection is about to be closed: the last chance to ask the kernel about it.
  func recordClosing(_ descriptor: Int32) {
    guard descriptor == socket else { return }
    recordArrival(at: descriptor, isClosing: true)
    if let mark, headBytes == 0, given > 0 { closed = ClosedConnection(descriptor, mark: mark) }
    (socket, mark) = (nil, nil)
  }

  /// Whether the server has seen a request that ended so. Where it has not, it is to be begun again.
  func sight(after code: CURLcode) -> SocketTable.Sight {
    guard repetitions < Self.mostRepetitions, bodyError == nil else { return .uncertain }
    if isTooLate { return .unseen }
    let isLost =
      isUnrepeatable
      || [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND]
        .contains(code)
    guard isLost, parser.head == nil, headBytes == 0, exchange.transferProgress.hasBegun,
      let closed
    else { return .uncertain }
    // libcurl has taken the error from the connection.
    let isBrokenPipe =
      code == CURLE_SEND_ERROR && hoist_info_long(easy, CURLINFO_OS_ERRNO) == Int(EPIPE)
    return isBrokenPipe && closed.wasUnacknowledged ? .unseen : closed.sight()
  }

  /// Begins again what the server has not seen.
  func beginAgain() {
    repetitions += 1
    startOver()
  }

  /// Whether it may begin again that often.
  var mayBeginAgain: Bool { repetitions < Self.mostRepetitions }

  /// The body's bytes that the other side has acknowledged by now, where that is news.
  ///
  /// - Parameter shares: how many transfers have the same connection, as with HTTP/2.
  func newlyAcknowledged(shares: Int) -> Int64? {
    guard let socket, given > acknowledged else { return nil }
    let written = written
    let waiting = SocketTable.unacknowledged(at: socket) ?? 0
    if waiting == 0, written == given { return record(acknowledged: given) }
    guard let mark, !request.offersHTTP2 else {
      return record(acknowledged: max(0, written - waiting / Int64(max(1, shares))))
    }
    // libcurl counts a piece as written once all of its TLS records are: up to a mebibyte too late. The
    // connection's own count is finer. It has the head in it, and what a record is longer than its content.
    let counted = Int64(hoist_info_long(easy, CURLINFO_REQUEST_SIZE) - headsBefore)
    // From 8.14 on, libcurl counts what it has sent of the body too.
    let uploaded = hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T)
    let head = counted > uploaded ? counted - uploaded : counted
    let arrived = hoist_look_at(socket).acknowledged - mark - head
    let content = request.url.scheme == "https" ? arrived * 16_384 / 16_406 : arrived
    return record(acknowledged: min(max(0, content), given - 1))
  }

  /// A reply to all of a request proves that it arrived.
  func recordAnswered() -> Int64? {
    guard written >= given else { return newlyAcknowledged(shares: 1) }
    return record(acknowledged: given)
  }

  /// The body's bytes that the connection has taken.
  private var written: Int64 {
    min(given, hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T))
  }

  private func record(acknowledged now: Int64) -> Int64? {
    guard now > acknowledged else { return nil }
    acknowledged = now
    exchange.content.withLock { $0.progress.acknowledged = now }
    return now
  }

  /// Whether the whole body was handed over.
  var hasGivenAll: Bool { given == length }

  /// Whether it went with the head. There is no progress of it to show, and the reply proves soon that it arrived.
  var isInOnePiece: Bool { wholeBody != nil }

  /// Whether bytes are on their way.
  var isAwaitingAcknowledgement: Bool { socket != nil && given > acknowledged }

  /// The final reply's head, where nobody has been told of it yet.
  func removeHead() -> ReplyHead? {
    guard !isHeadTold, let head = exchange.content.withLock({ $0.head }) else { return nil }
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
    guard code != CURLE_OK, !exchange.content.withLock({ $0.isReplyCut }) else { return nil }
    // libcurl does not tell why no socket could be made.
    return TransportError(
      code, of: easy, words: words, socket: code == CURLE_COULDNT_CONNECT ? socketError : 0)
  }

  /// Lets a transfer that is held back go on with as many bytes as its limits have for it now. Returns false
  /// where they have none, and says in `heldUntil` when they may.
  func letGo(at now: Double) -> Bool {
    guard !exchange.content.withLock({ $0.isWaiting }) else {
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
    exchange.content.withLock { $0.progress.isHeldBack = false }
    return true
  }

  /// How many bytes of the body may go out now. Where limits let none through, it is held back.
  func granted(upTo most: Int) -> Int {
    let wanted = Int(min(Int64(most), length - given))
    guard !request.limits.isEmpty, wanted > 0 else { return wanted }
    guard heldUntil == nil else { return 0 }
    // Those that wait already come first.
    guard allowance > 0 || !loop.holdsAny && letGo(at: Clock.now) else {
      hold()
      return 0
    }
    return min(wanted, allowance)
  }

  func hold() {
    heldUntil = heldUntil ?? 0
    loop.hold(self)
    exchange.content.withLock { $0.progress.isHeldBack = true }
  }

  /// Hands over at most so many bytes of the body by `work`, which says how many they were; nil for none. Throws once
  /// the exchange is stopped: whoever asks then how much was handed over has the last word.
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
    let isStopped = exchange.content.withLock { content in
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
    exchange.content.withLock { content in
      let received = content.progress.received
      content.progress = Exchange.Progress()
      content.progress.received = received
    }
  }
}
