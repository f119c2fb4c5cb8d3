import CCurl
import Foundation

/// One exchange on an easy handle. Lives on the loop's thread.
final class Transfer {
  let link: ProtocolLink
  let easy: UnsafeMutableRawPointer
  private unowned let loop: TransferLoop
  private let request: ExchangeRequest
  private var exchange: Exchange { link.exchange }
  private let length: Int64

  private var reader: (any ExchangeBodyReader)?
  private var bodyError: (any Error)?
  /// The body's bytes given to libcurl since it last began.
  private var given: Int64 = 0
  private var parser = ReplyHeadParser()
  private var toldExpect = false
  /// Whether the handle will not ask again, whatever it is used for.
  private(set) var wasExpectRefused = false
  private var headBytes = 0
  private var isHeadTold = false

  /// The socket that it goes over, once it has begun.
  private(set) var socket: Int32?
  /// Where on that connection the request begins.
  private var mark: Int64?
  /// Whether libcurl wanted to repeat the request and must not.
  private var isUnrepeatable = false
  /// The bytes of requests' heads that libcurl had sent for this transfer before.
  private var headsBefore = 0
  /// What the kernel said of the connection when it was closed: whether nothing of the request had been
  /// acknowledged, and whether the server is known not to have seen it.
  private var closed = (isUnacknowledged: false, isUnseen: false)
  /// How often it was begun again because of that.
  private(set) var repetitions = 0
  /// When a limit lets it go on; nil where none holds it back.
  var heldUntil: Double?
  /// The bytes that its limits have let through and that it has not given yet.
  private var allowance = 0
  /// Why the last socket for it could not be made; 0 where one was.
  private var socketError: Int32 = 0
  /// What was told last.
  private(set) var acknowledged: Int64 = 0
  private let words: UnsafeMutablePointer<CChar>
  private var lists: [UnsafeMutablePointer<curl_slist>] = []

  /// The most bytes of head lines and trailers together.
  private static let mostHead = 1 << 20
  private static let mostRepetitions = 5

  init(_ link: ProtocolLink, easy: UnsafeMutableRawPointer, loop: TransferLoop) {
    self.link = link
    self.easy = easy
    self.loop = loop
    request = link.exchange.request
    length = link.exchange.request.body?.length ?? 0
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    for list in lists { curl_slist_free_all(list) }
    words.deallocate()
  }

  // MARK: Setting up

  /// Configures the handle. Fails if libcurl rejects any option, because security may depend on it.
  func setUp(maxIdle: Int) throws(TransportError) {
    let options = EasyOptions(easy)
    try options.set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
    try options.set(CURLOPT_ERRORBUFFER, pointer: words)
    try options.set(CURLOPT_NOSIGNAL, 1)
    try options.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try options.set(CURLOPT_URL, request.url.absoluteString)
    // What a signature covers must arrive to the letter.
    try options.set(CURLOPT_PATH_AS_IS, 1)
    try options.set(CURLOPT_ACCEPT_ENCODING, "")
    try options.set(CURLOPT_MAXAGE_CONN, maxIdle)
    // A resolver's thread that hangs must not hold the loop when its transfer is cancelled.
    options.trySet(CURLOPT_QUICK_EXIT, 1)
    // A proxy's reply to CONNECT is not the server's.
    try options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try options.set(
      CURLOPT_HTTP_VERSION,
      request.offersHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    try options.set(request.tls)
    try setUpRequest(options)
    try setUpCallbacks(options)
  }

  private func setUpRequest(_ options: EasyOptions) throws(TransportError) {
    if request.body != nil {
      // POST with a read callback is libcurl's way to send a body of a known length; the method's name is
      // free.
      try options.set(CURLOPT_POST, 1)
      try options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: length)
      if length > Self.smallBody { options.trySet(CURLOPT_UPLOAD_BUFFERSIZE, Self.largeBuffer) }
    } else {
      try options.set(CURLOPT_HTTPGET, 1)
    }
    // Where there is no body to rewind, libcurl repeats a request without asking.
    if length == 0, !request.mayRepeat, !["GET", "HEAD"].contains(request.method) {
      try options.set(CURLOPT_FRESH_CONNECT, 1)
    }
    if request.method != (request.body == nil ? "GET" : "POST") {
      try options.set(CURLOPT_CUSTOMREQUEST, request.method)
    }
    // libcurl sends them as they are, and a line break would begin another field.
    guard
      !request.headers.contains(where: { Self.breaksLine($0.name) || Self.breaksLine($0.value) })
    else { throw TransportError(.optionRefused, code: CURLE_BAD_FUNCTION_ARGUMENT) }
    var lines = request.headers.map { name, value in
      // libcurl takes "Name:" for a field that it shall leave out.
      value.isEmpty ? "\(name);" : "\(name): \(value)"
    }
    // libcurl's own question, which it leaves out of the repetition after a 417.
    if request.body != nil, !request.expectsContinue { lines.append("Expect:") }
    guard !lines.isEmpty else { return }
    guard let list = Self.list(lines) else {
      throw TransportError(.optionRefused, code: CURLE_OUT_OF_MEMORY)
    }
    lists.append(list)
    try options.set(CURLOPT_HTTPHEADER, list: list)
  }

  private static func breaksLine(_ text: String) -> Bool {
    text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
  }

  private static let smallBody: Int64 = 64 << 10
  /// What fits a processor's own cache beside all else: it is written once and read twice.
  private static let largeBuffer = 256 << 10

  private static func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        return nil
      }
      list = longer
    }
    return list
  }

  private func setUpCallbacks(_ options: EasyOptions) throws(TransportError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let loop = Unmanaged.passUnretained(loop).toOpaque()
    options.check(
      hoist_set_give(easy) { Transfer.of($3).give($0, $1 * $2) })
    options.check(
      hoist_set_seek(easy) { context, offset, _ in Transfer.of(context).seek(to: offset) })
    options.check(
      hoist_set_take(easy, CURLOPT_WRITEFUNCTION) { Transfer.of($3).receive($0, $1 * $2) })
    options.check(
      hoist_set_take(easy, CURLOPT_HEADERFUNCTION) {
        Transfer.of($3).receiveHeaderLine($0, $1 * $2)
      })
    options.check(
      hoist_set_prereq(easy) { context, peer, _, peerPort, localPort in
        let connection = SocketTable.Connection(
          localPort: UInt16(truncatingIfNeeded: localPort),
          peerPort: UInt16(truncatingIfNeeded: peerPort),
          peer: peer.map { String(cString: $0) } ?? "")
        return Transfer.of(context).begin(on: connection)
          ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
    options.check(
      hoist_set_open_socket(easy) { context, _, address in
        address.map { Transfer.of(context).openSocket($0) } ?? -1
      })
    options.check(
      hoist_set_close_socket(easy) { TransferLoop.of($0).closeSocket($1) })
    for option in [CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA] {
      options.check(hoist_set_pointer(easy, option, context))
    }
    options.check(hoist_set_pointer(easy, CURLOPT_PREREQDATA, context))
    options.check(hoist_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context))
    // A connection outlives its first transfer, and what it is closed with has to as well.
    options.check(hoist_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, loop))
    try options.throwIfRefused()
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
    // libcurl gives back the pointer that it was given, which the loop keeps alive for as long as the
    // handle is in use.
    Unmanaged<Transfer>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  // MARK: What libcurl asks

  /// A request is about to go out on a connection. Returns whether it may.
  private func begin(on connection: SocketTable.Connection) -> Bool {
    // libcurl begins again by itself where a kept connection has ended, or `Expect` was refused. It does not
    // always rewind the body: not where it still counts a piece as unwritten of which TLS has sent some.
    if given > 0 {
      guard mayRepeat else {
        isUnrepeatable = true
        return false
      }
      startOver()
    }
    parser = ReplyHeadParser()
    socket = loop.socket(of: connection)
    mark = socket.flatMap(SocketTable.end)
    headsBefore = hoist_info_long(easy, CURLINFO_REQUEST_SIZE)
    return exchange.content.withLock { content in
      guard !content.isStopped else { return false }
      (content.head, content.reply) = (nil, Data())
      content.progress.hasReplyBegun = false
      content.progress.hasBegun = true
      return true
    }
  }

  /// Fills libcurl's buffer with the next bytes of the body.
  private func give(_ buffer: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
    guard let body = request.body, let buffer else { return 0 }
    if given == 0, request.expectsContinue, !parser.hasContinued { tellExpectIgnored() }
    let wanted = Int(min(Int64(room), length - given))
    guard wanted > 0 else { return 0 }
    guard request.limits.isEmpty || allowance > 0 else {
      hold()
      return Int(CURL_READFUNC_PAUSE)
    }
    let granted = request.limits.isEmpty ? wanted : min(wanted, allowance)
    let reader = reader ?? body.makeReader()
    self.reader = reader
    do {
      let count = try reader.read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: granted))
      // One step: once it is stopped, whoever asks how much was handed over has the last word.
      let total = given + Int64(count)
      let isStopped = exchange.content.withLock { content in
        if !content.isStopped { content.progress.handedOver = total }
        return content.isStopped
      }
      guard !isStopped else { return Int(CURL_READFUNC_ABORT) }
      given = total
      if hasGivenAll { loop.recordBodyHandedOver() }
      if !request.limits.isEmpty { allowance -= count }
      return count
    } catch {
      bodyError = error
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private func hold() {
    heldUntil = 0
    loop.hold(self)
    exchange.content.withLock { $0.progress.isHeldBack = true }
  }

  /// Lets a transfer that is held back go on with as many bytes as its limits have for it now. Returns false
  /// where they have none, and says in `heldUntil` when they may.
  func letGo(at now: Double) -> Bool {
    let wanted = Int(min(length - given, Int64(Self.largeBuffer)))
    let (bytes, delay) = BandwidthLimit.consume(wanted, from: request.limits)
    guard bytes > 0 || wanted == 0 else {
      heldUntil = now + delay
      return false
    }
    (allowance, heldUntil) = (bytes, nil)
    exchange.content.withLock { $0.progress.isHeldBack = false }
    return true
  }

  /// libcurl wants to begin the body again: the connection was a kept one and has ended, or the server
  /// has refused `Expect`.
  private func seek(to offset: curl_off_t) -> Int32 {
    // Where reading failed it asks again on every other kept connection.
    guard offset == 0, bodyError == nil, mayRepeat else { return CURL_SEEKFUNC_FAIL }
    startOver()
    return CURL_SEEKFUNC_OK
  }

  private var mayRepeat: Bool {
    request.mayRepeat || parser.head?.status == 417 || isUnseen
  }

  private var isUnseen: Bool {
    guard let socket, let mark else { return closed.isUnseen }
    return SocketTable.hasEnded(socket, before: mark)
  }

  private func startOver() {
    reader = nil
    given = 0
    acknowledged = 0
    (socket, mark, closed) = (nil, nil, (false, false))
    exchange.content.withLock { content in
      let received = content.progress.received
      content.progress = Exchange.Progress()
      content.progress.received = received
    }
  }

  private func receiveHeaderLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    headBytes += count
    let isOver = parser.consume(UnsafeRawBufferPointer(start: bytes, count: count))
    let hasBegun = parser.hasBegun
    exchange.content.withLock {
      $0.progress.received += count
      $0.progress.hasReplyBegun = hasBegun
    }
    guard headBytes <= Self.mostHead else { return cut() }
    guard isOver, let head = parser.head else { return count }
    // libcurl asks again by itself, without the question.
    if request.expectsContinue, head.status == 417 {
      wasExpectRefused = true
      tellExpectIgnored()
    }
    exchange.content.withLock { $0.head = head }
    if head.status != 417 { loop.recordHead(self) }
    return count
  }

  private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let most = request.mostReply
    let isAll = exchange.content.withLock { content in
      content.progress.received += count
      let room = most - content.reply.count
      content.reply.append(
        Data(bytes: UnsafeRawPointer(bytes.unsafelyUnwrapped), count: min(count, room)))
      content.isReplyCut = count > room
      return count <= room
    }
    return isAll ? count : 0
  }

  /// Ends the transfer, for a reply without an end.
  private func cut() -> Int {
    exchange.content.withLock { $0.isReplyCut = true }
    return 0
  }

  private func tellExpectIgnored() {
    guard !toldExpect else { return }
    toldExpect = true
    link.tellExpectIgnored()
  }

  private func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = loop.openSocket(address)
    socketError = descriptor < 0 ? errno : 0
    return descriptor
  }

  // MARK: What the loop asks

  /// The connection is about to be closed: the last chance to ask the kernel about it.
  func recordClosing(_ descriptor: Int32) {
    guard descriptor == socket, let mark else { return }
    closed = (hoist_look_at(descriptor).acknowledged <= mark, isUnseen)
    (socket, self.mark) = (nil, nil)
  }

  /// Whether a request that ended so is to be begun again, for the server cannot have seen it.
  func repeats(after code: CURLcode) -> Bool {
    guard [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code), bodyError == nil,
      parser.head == nil, headBytes == 0, repetitions < Self.mostRepetitions,
      exchange.progress.hasBegun
    else { return false }
    let isBrokenPipe =
      code == CURLE_SEND_ERROR && hoist_info_long(easy, CURLINFO_OS_ERRNO) == Int(EPIPE)
    guard closed.isUnseen || isBrokenPipe && closed.isUnacknowledged else { return false }
    repetitions += 1
    startOver()
    return true
  }

  /// The body's bytes that the other side has acknowledged by now, where that is news.
  ///
  /// - Parameter shares: how many transfers have the same connection, as with HTTP/2.
  func newlyAcknowledged(shares: Int) -> Int64? {
    guard let socket, given > acknowledged else { return nil }
    let written = min(given, hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T))
    let waiting = SocketTable.unacknowledged(at: socket) ?? 0
    if waiting == 0, written == given { return record(acknowledged: given) }
    guard let mark, !request.offersHTTP2 else {
      return record(acknowledged: max(0, written - waiting / Int64(max(1, shares))))
    }
    // libcurl counts a piece as written once all of its TLS records are: up to a mebibyte too late. The
    // connection's own count is finer. It has the head in it, and what a record is longer than its content.
    let head = Int64(hoist_info_long(easy, CURLINFO_REQUEST_SIZE) - headsBefore)
    let arrived = hoist_look_at(socket).acknowledged - mark - head
    let content = request.url.scheme == "https" ? arrived * 16_384 / 16_406 : arrived
    return record(acknowledged: min(max(0, content), given - 1))
  }

  /// A reply to all of a request proves that it arrived.
  func recordAnswered() -> Int64? {
    guard hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T) >= given else {
      return newlyAcknowledged(shares: 1)
    }
    return record(acknowledged: given)
  }

  private func record(acknowledged now: Int64) -> Int64? {
    guard now > acknowledged else { return nil }
    acknowledged = now
    exchange.content.withLock { $0.progress.acknowledged = now }
    return now
  }

  /// Whether the whole body was handed over.
  var hasGivenAll: Bool { given == length }

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
    guard code != CURLE_OK, !exchange.content.withLock({ $0.isReplyCut }) else { return nil }
    // libcurl does not tell why no socket could be made.
    return TransportError(
      code, of: easy, words: words, socket: code == CURLE_COULDNT_CONNECT ? socketError : 0)
  }
}
