import CCurl
import Foundation

/// Setting up a handle for one request.
extension Transfer {
  /// Configures the handle. Fails if libcurl rejects any option, because security may depend on it.
  func setUp() throws(TransportError) {
    let options = EasyOptions(easy)
    try options.set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
    try options.set(CURLOPT_ERRORBUFFER, pointer: words)
    try options.set(CURLOPT_NOSIGNAL, 1)
    try options.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try options.set(CURLOPT_URL, request.url.absoluteString)
    // A path that a signature covers must arrive unchanged.
    try options.set(CURLOPT_PATH_AS_IS, 1)
    // Replies other than lists are short, so that a content coding saves nothing, and servers that name one wrongly do no
    // harm. libcurl removes a coding that it knows even if it was not asked for; the empty text asks for all of these.
    try options.set(CURLOPT_ACCEPT_ENCODING, request.method == "GET" ? "" : "identity")
    try options.set(CURLOPT_MAXAGE_CONN, loop.maxIdle)
    try options.set(CURLOPT_EXPECT_100_TIMEOUT_MS, Int(loop.expectPatience * 1000))
    // A resolver thread that hangs must not block the loop when the transfer is cancelled.
    options.trySet(CURLOPT_QUICK_EXIT, 1)
    // A proxy's reply to CONNECT is not a reply of the server.
    try options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try options.set(
      CURLOPT_HTTP_VERSION,
      request.offersHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    try options.set(request.tls)
    if request.closesConnection { try options.set(CURLOPT_FORBID_REUSE, 1) }
    let hasCookies = request.headers.contains { $0.name.lowercased() == "cookie" }
    if !hasCookies, let share = request.cookies?.share(for: request.url) {
      try options.set(CURLOPT_SHARE, pointer: share)
      // The name of no file turns libcurl's engine on.
      try options.set(CURLOPT_COOKIEFILE, "")
    }
    try setUpRequest(options)
    try setUpCallbacks(options)
  }

  private func setUpRequest(_ options: EasyOptions) throws(TransportError) {
    if request.body != nil {
      // POST with a read callback is libcurl's way to send a body of known length; the method can still be
      // chosen freely.
      try options.set(CURLOPT_POST, 1)
      try options.set(CURLOPT_POSTFIELDSIZE_LARGE, size: isAsking ? 0 : length)
      if let whole = wholeBody?.baseAddress { try options.set(CURLOPT_POSTFIELDS, pointer: whole) }
      if length > Self.smallBody {
        options.trySet(CURLOPT_UPLOAD_BUFFERSIZE, Int(min(length, Int64(largeBuffer))))
      }
    } else if request.method == "HEAD" {
      // The reply to HEAD states the length of content that does not follow.
      try options.set(CURLOPT_NOBODY, 1)
    } else {
      try options.set(CURLOPT_HTTPGET, 1)
    }
    // With no body to rewind, libcurl repeats a request without asking us, so prevent it from reusing a connection.
    if length == 0, !request.mayRepeat, !["GET", "HEAD"].contains(request.method) {
      try options.set(CURLOPT_FRESH_CONNECT, 1)
    }
    let usual = request.body != nil ? "POST" : request.method == "HEAD" ? "HEAD" : "GET"
    if request.method != usual { try options.set(CURLOPT_CUSTOMREQUEST, request.method) }
    var lines = request.headers.map { name, value in
      // In libcurl, "Name:" omits a field, and "Name;" sends it with an empty value.
      value.isEmpty ? "\(name);" : "\(name): \(value)"
    }
    // If the request expects "100 Continue", libcurl writes `Expect` itself, and omits it when it repeats the request
    // after a 417. In all other cases, this stops libcurl from writing it.
    if request.body != nil, !request.expectsContinue || isAsking { lines.append("Expect:") }
    if case .answer(let value, _)? = challengeStep { lines.append("Authorization: \(value)") }
    // Without this, libcurl would declare the body to be a form.
    let hasType = request.headers.contains { $0.name.lowercased() == "content-type" }
    if request.body != nil, !hasType { lines.append("Content-Type:") }
    // libcurl sends header fields unchanged, so a line break in one would start another.
    guard !lines.contains(where: Self.breaksLine) else {
      throw TransportError(.optionRefused, code: CURLE_BAD_FUNCTION_ARGUMENT)
    }
    curl_slist_free_all(headerLines.take())
    for line in lines {
      guard let longer = line.withCString({ curl_slist_append(headerLines, $0) })
      else { throw TransportError(.optionRefused, code: CURLE_OUT_OF_MEMORY) }
      headerLines = longer
    }
    if let headerLines { try options.set(CURLOPT_HTTPHEADER, list: headerLines) }
  }

  private static func breaksLine(_ text: String) -> Bool {
    text.withCString { strcspn($0, "\r\n") != text.utf8.count }
  }

  /// In bytes. libcurl sends a smaller body together with the head, if it has the body when it sends the head.
  private static let smallBody: Int64 = 64 << 10

  /// Whether the whole body is sent together with the head, in one packet if it fits. That is impossible if the body
  /// must wait for anything once the head is sent.
  static func sendsAtOnce(_ request: ExchangeRequest) -> Bool {
    guard let length = request.body?.length, length > 0, length < smallBody else { return false }
    return request.challenged == nil && !request.expectsContinue && !request.waitsAfterInterim
      && !request.holdsEnd && !request.limits.contains(where: \.isSet)
  }

  private func setUpCallbacks(_ options: EasyOptions) throws(TransportError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let loop = Unmanaged.passUnretained(loop).toOpaque()
    try options.check(hoist_set_give(easy) { Transfer.of($3).give($0, $1 * $2) })
    try options.check(
      hoist_set_seek(easy) { context, offset, _ in Transfer.of(context).seek(to: offset) })
    try options.check(
      hoist_set_take(easy, CURLOPT_WRITEFUNCTION) { Transfer.of($3).receive($0, $1 * $2) })
    try options.check(
      hoist_set_take(easy, CURLOPT_HEADERFUNCTION) {
        Transfer.of($3).receiveHeaderLine($0, $1 * $2)
      })
    // Called only once a reply is in a coding that libcurl does not know.
    try options.check(
      hoist_set_debug(easy) { _, kind, bytes, count, context in
        if kind == CURLINFO_DATA_IN { Transfer.of(context).receiveRaw(bytes, count) }
        return 0
      })
    try options.check(
      hoist_set_prereq(easy) { context, peer, _, peerPort, localPort in
        let connection = SocketTable.Connection(
          localPort: UInt16(truncatingIfNeeded: localPort),
          peerPort: UInt16(truncatingIfNeeded: peerPort),
          peer: peer.map { String(cString: $0) } ?? "")
        return Transfer.of(context).begin(on: connection)
          ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
    try options.check(
      hoist_set_open_socket(easy) { context, _, address in
        address.map { Transfer.of(context).openSocket($0) } ?? -1
      })
    try options.check(hoist_set_close_socket(easy) { TransferLoop.of($0).closeSocket($1) })
    for option in [
      CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_DEBUGDATA,
    ] {
      try options.set(option, pointer: context)
    }
    try options.set(CURLOPT_PREREQDATA, pointer: context)
    try options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
    // A connection outlives its first transfer, so its close callback needs a context that also outlives the transfer.
    try options.set(CURLOPT_CLOSESOCKETDATA, pointer: loop)
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
    // libcurl returns the pointer that it was given. The loop keeps the transfer alive as long as the handle is
    // in use.
    Unmanaged<Transfer>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }
}
