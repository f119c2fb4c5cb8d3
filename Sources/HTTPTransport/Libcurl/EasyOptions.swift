import CCurl

/// Sets options on an easy handle. Fails closed: if libcurl rejects an option, the task ends.
struct EasyOptions {
  private let easy: UnsafeMutableRawPointer

  init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

  func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(hoist_set_long(easy, option, value))
  }

  func set(_ option: CURLoption, size: Int64) throws(TransportError) {
    try check(hoist_set_size(easy, option, size))
  }

  /// Rejects text that contains a NUL. libcurl would use only what precedes the NUL, and that could mean something
  /// else.
  func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
    guard value?.utf8.contains(0) != true else {
      throw TransportError(.optionRefused, code: CURLE_BAD_FUNCTION_ARGUMENT)
    }
    guard let value else { return try check(hoist_set_text(easy, option, nil)) }
    // As an argument, the text would first be copied to an array.
    try check(value.withCString { hoist_set_text(easy, option, $0) })
  }

  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer) throws(TransportError) {
    try check(hoist_set_pointer(easy, option, pointer))
  }

  func set(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>) throws(TransportError) {
    try check(hoist_set_list(easy, option, list))
  }

  /// Sets an option that only improves speed, so a rejection is ignored.
  func trySet(_ option: CURLoption, _ value: Int) { _ = hoist_set_long(easy, option, value) }

  func set(_ tls: TLSOptions) throws(TransportError) {
    if let file = tls.caFile {
      try set(CURLOPT_CAINFO, file)
      try set(CURLOPT_CAPATH, nil)
    }
    if let key = tls.pinnedKey {
      try set(CURLOPT_PINNEDPUBLICKEY, key)
      // Turn the usual checks off only once the pin is in place, and only if no authorities are required as well.
      if tls.caFile == nil {
        try set(CURLOPT_SSL_VERIFYPEER, 0)
        try set(CURLOPT_SSL_VERIFYHOST, 0)
      }
    }
    if let certificate = tls.clientCertificate {
      try set(CURLOPT_SSLCERT, certificate)
      // Without a pass phrase, OpenSSL would prompt for one on the terminal.
      try set(CURLOPT_KEYPASSWD, "")
    }
    if let key = tls.clientKey { try set(CURLOPT_SSLKEY, key) }
  }

  /// Throws if libcurl has rejected an option.
  func check(_ code: CURLcode) throws(TransportError) {
    guard code == CURLE_OK else { throw TransportError(.optionRefused, code: code) }
  }
}
