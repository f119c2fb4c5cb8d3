import CCurl
import Foundation

/// libcurl's callbacks while a request is in progress.
extension Transfer {
  /// Called when a request is about to be sent on a connection. Returns whether it may be sent.
  func begin(on connection: SocketTable.Connection) -> Bool {
    // libcurl does not know that the request was answered.
    if hasLastReply { return false }
    // libcurl itself repeats a request if a reused connection turns out to be closed, or if `Expect` was rejected. It
    // does not always rewind the body first. For example, it does not if TLS has sent part of a piece that libcurl
    // still counts as unwritten.
    if given > 0 {
      guard mayRepeat else {
        isUnrepeatable = true
        return false
      }
      startOver()
    }
    parser = ReplyHeadParser()
    (hasReportedEnd, wasRepliedEarly) = (false, false)
    socket = loop.socket(of: connection)
    mark = nil
    var roundTrip = 0.0
    if let socket {
      let found = hoist_look_at(socket)
      roundTrip = found.round_trip
      mark = SocketTable.end(of: socket, found)
      // Do not even start if the server has closed its direction of the connection, since it may still read the
      // request.
      if mayBeginAgain, SocketTable.hasEnd(found) {
        isTooLate = true
        return false
      }
    }
    headsBefore = hoist_info_long(easy, CURLINFO_REQUEST_SIZE)
    if request.expectsContinue, !isAsking {
      continueBy = Clock.now + loop.expectPatience + Self.clockMargin
    }
    let mayBegin = task.content.withLock { content in
      guard !content.isStopped else { return false }
      content.end = ExchangeEnd()
      content.progress.hasReplyBegun = false
      content.isWaiting = false
      content.progress.hasBegun = true
      // A connection is not looked at while a small body is being sent, so this may be all that is known of its
      // round-trip time.
      if roundTrip > 0 { content.progress.roundTrip = roundTrip }
      return true
    }
    guard mayBegin else { return false }
    begun = Clock.now
    // If the process is killed, what the next one sends again must not arrive by itself.
    if mayStay, !isAsking, let socket { SocketTable.setDiscardsUnsent(true, at: socket) }
    return wholeBody.map(readAll) ?? true
  }

  /// libcurl may go on waiting for "100 Continue" until this many seconds after the deadline on our clock.
  private static let clockMargin = 0.05

  /// Reads the whole body. Returns whether that succeeded.
  private func readAll(into room: UnsafeMutableRawBufferPointer) -> Bool {
    while given < length {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[Int(given)...])
      guard let count = handOver(into: rest), count > 0 else { return false }
    }
    return true
  }

  /// Fills libcurl's buffer with the next bytes of the body.
  func give(_ buffer: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
    guard let buffer, !isAsking else { return 0 }
    continueBy = nil
    if given == 0, request.expectsContinue, !parser.hasContinued { reportExpectIgnored() }
    var wanted = Int(min(Int64(room), length - given))
    guard wanted > 0 else { return 0 }
    if request.holdsEnd, !hasReportedEnd {
      wanted = min(wanted, Int(max(0, length - Self.heldEnd - given)))
      if wanted == 0 {
        hasReportedEnd = true
        task.content.withLock { $0.isWaiting = true }
        task.reportEndHeld()
      }
    }
    // Even if the delegate has released the end at once, libcurl must be paused now, and only a transfer that is held
    // continues later.
    if wanted == 0 || task.content.withLock({ $0.isWaiting }) {
      hold()
      return Int(CURL_READFUNC_PAUSE)
    }
    if repliesFirst {
      hold()
      return Int(CURL_READFUNC_PAUSE)
    }
    let granted = granted(upTo: wanted)
    guard granted > 0 else { return Int(CURL_READFUNC_PAUSE) }
    return handOver(into: UnsafeMutableRawBufferPointer(start: buffer, count: granted))
      ?? Int(CURL_READFUNC_ABORT)
  }

  /// Whether something has arrived that libcurl should read before it sends more. After a reset, it could no longer. Over
  /// plain HTTP, that is read in any case (`LastReply`).
  private var repliesFirst: Bool {
    guard given > 0, request.url.scheme == "https", !request.offersHTTP2, let socket else {
      return false
    }
    return hoist_unread(socket) > 0
  }

  /// Called when libcurl wants to send the body again, because a reused connection was closed or the server rejected
  /// `Expect`.
  func seek(to offset: curl_off_t) -> Int32 {
    // After a failed read, libcurl would retry on every other idle connection.
    guard offset == 0, bodyError == nil, !hasLastReply, mayRepeat else { return CURL_SEEKFUNC_FAIL }
    startOver()
    return CURL_SEEKFUNC_OK
  }

  func receiveHeaderLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    headBytes += count
    let hadContinued = parser.hasContinued
    let isOver = parser.consume(UnsafeRawBufferPointer(start: bytes, count: count))
    if isOver || parser.hasContinued { continueBy = nil }
    let hasBegun = parser.hasBegun
    task.content.withLock {
      $0.progress.received += count
      $0.progress.hasReplyBegun = hasBegun
    }
    guard headBytes <= Self.mostHead else {
      task.content.withLock { $0.end.isReplyCut = true }
      return 0
    }
    if let interim = parser.interim { report(interim) }
    if request.waitsAfterInterim, parser.hasContinued, !hadContinued {
      report(ReplyHead(status: 100))
    }
    guard isOver, let head = parser.head else { return count }
    // libcurl itself repeats the request without `Expect`.
    if request.expectsContinue, head.status == 417 {
      wasExpectRefused = true
      mayAskPlainly = !parser.hasContinued && !hasGivenAll
      if mayAskPlainly { reportExpectIgnored() }
    }
    task.content.withLock { $0.end.head = head }
    // A reset could keep the server from reading what it has, and a success may come before all of the body has arrived.
    if let socket { loop.keepUnsent(at: socket, after: self) }
    // libcurl would end a reply in a coding that it does not know with an error.
    let decodes = Self.knowsCodings(head.headers["content-encoding"])
    EasyOptions(easy).trySet(CURLOPT_HTTP_CONTENT_DECODING, decodes ? 1 : 0)
    // Newer versions have decided by then (seen with 8.14), but with CURLOPT_VERBOSE, libcurl shows what it reads.
    rawReply = decodes ? nil : []
    if !decodes { EasyOptions(easy).trySet(CURLOPT_VERBOSE, 1) }
    // If the reply is a challenge, only that to the request with an answer counts.
    if isAsking { return count }
    recordChallenge(head)
    if let socket {
      recordArrival(at: socket)
      recordEarlyReply(at: socket)
    }
    if head.status != 417 { loop.recordHead(self) }
    return count
  }

  /// Records whether only the challenge that the request answered had expired, according to the reply.
  func recordChallenge(_ head: ReplyHead) {
    guard case .answer(_, let record)? = challengeStep else { return }
    let hasExpired = record(head)
    task.content.withLock { $0.end.hasChallengeExpired = hasExpired }
  }

  /// Whether libcurl can remove all of these content codings (RFC 9110 §8.4).
  private static func knowsCodings(_ codings: String?) -> Bool {
    guard let codings else { return true }
    let known = ["", "identity", "none", "gzip", "x-gzip", "deflate", "br", "zstd"]
    return codings.utf8.split(separator: UInt8(ascii: ",")).allSatisfy { coding in
      let name = coding.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
      return known.contains(String(decoding: name, as: UTF8.self).lowercased())
    }
  }

  func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    let most = request.mostReply
    let isAll = task.content.withLock { content in
      content.progress.received += count
      let room = most - content.end.reply.count
      content.end.reply.append(
        Data(bytes: UnsafeRawPointer(bytes.unsafelyUnwrapped), count: min(count, room)))
      content.end.isReplyCut = count > room
      return count <= room
    }
    return isAll ? count : 0
  }

  /// Keeps content that libcurl will not decode.
  func receiveRaw(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) {
    guard let kept = rawReply?.count, kept <= LastReply.mostBytes(for: request.mostReply) else {
      return
    }
    rawReply?.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Whether the reply was read although libcurl ended with an error, because it did not know the coding of the
  /// content. A success counts only if the whole body was written: after its error, libcurl stops sending.
  func takeRawReply(after code: CURLcode) -> Bool {
    guard code == CURLE_BAD_CONTENT_ENCODING, let head = parser.head, let raw = rawReply.take(),
      hasGivenAll && !isUnwritten || !head.saysArrived
    else { return false }
    let (content, isWhole) = LastReply.content(raw[...], of: head)
    let most = request.mostReply
    task.content.withLock {
      $0.end.reply = Data(content.prefix(most))
      $0.end.isReplyCut = !isWhole || content.count > most
      $0.progress.received += raw.count
    }
    return true
  }

  private func report(_ interim: ReplyHead) {
    if request.waitsAfterInterim, given == 0 { task.content.withLock { $0.isWaiting = true } }
    task.report(interim: interim)
  }

  private func reportExpectIgnored() {
    guard !hasReportedExpect else { return }
    hasReportedExpect = true
    task.reportExpectIgnored()
  }

  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = loop.openSocket(address)
    socketError = descriptor < 0 ? errno : 0
    return descriptor
  }
}
