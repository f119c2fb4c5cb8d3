import CCurl

/// The result of a TLS handshake with a server.
package struct CertificateProbe: Sendable {
  /// Why the handshake failed; nil if it succeeded.
  package let trouble: TransportError?
  /// The server's own certificate in PEM format, if it sent one.
  package let certificate: String?

  /// Connects to the server of an `https` URL, performs the handshake and disconnects without sending a
  /// request. Verifies the certificate by the system's rules, or accepts any. Uses the proxies from the environment.
  /// Blocks for up to 30 s.
  package init(url: String, verifying: Bool) {
    // Allocated first and so freed last: the handle may write to this buffer until it is cleaned up.
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    defer { words.deallocate() }
    guard let easy = curl_easy_init() else {
      (trouble, certificate) = (TransferLoop.outOfMemory, nil)
      return
    }
    defer { curl_easy_cleanup(easy) }
    do throws(TransportError) {
      let options = EasyOptions(easy)
      try options.set(CURLOPT_URL, url)
      try options.set(CURLOPT_PROTOCOLS_STR, "https")
      try options.set(CURLOPT_CERTINFO, 1)
      try options.set(CURLOPT_CONNECT_ONLY, 1)
      try options.set(CURLOPT_NOSIGNAL, 1)
      try options.set(CURLOPT_TIMEOUT, 30)
      if !verifying {
        try options.set(CURLOPT_SSL_VERIFYPEER, 0)
        try options.set(CURLOPT_SSL_VERIFYHOST, 0)
      }
    } catch {
      (trouble, certificate) = (error, nil)
      return
    }
    _ = hoist_set_pointer(easy, CURLOPT_ERRORBUFFER, words)
    let code = curl_easy_perform(easy)
    trouble = code == CURLE_OK ? nil : TransportError(code, of: easy, words: words)
    certificate = code == CURLE_OK ? Self.certificate(of: easy) : nil
  }

  /// The server's own certificate. It is the first of the chain; each certificate is a list of "name:value" lines.
  private static func certificate(of easy: UnsafeMutableRawPointer) -> String? {
    guard let chain = hoist_info_certificates(easy), chain.pointee.num_of_certs > 0
    else { return nil }
    var line = chain.pointee.certinfo[0]
    while let current = line {
      let text = String(cString: current.pointee.data)
      if text.utf8.starts(with: "Cert:".utf8) { return String(text.utf8.dropFirst(5)) }
      line = current.pointee.next
    }
    return nil
  }
}

extension TransportError {
  /// The error that a handle's transfer ended with. `socket` is the `errno` of a failure to create the socket, which
  /// libcurl does not report; 0 if there was no such failure.
  init(
    _ code: CURLcode, of easy: UnsafeMutableRawPointer, words: UnsafePointer<CChar>,
    socket: Int32 = 0
  ) {
    var sentence = String(cString: words)
    if sentence.isEmpty { sentence = String(cString: curl_easy_strerror(code)) }
    while sentence.utf8.last == UInt8(ascii: ".") { sentence.unicodeScalars.removeLast() }
    self.init(
      code: Int(code.rawValue),
      systemError: socket != 0
        ? socket : Int32(truncatingIfNeeded: hoist_info_long(easy, CURLINFO_OS_ERRNO)),
      tunnelStatus: hoist_info_long(easy, CURLINFO_HTTP_CONNECTCODE), words: sentence)
  }
}
