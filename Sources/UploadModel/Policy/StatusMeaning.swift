/// What a status that refuses a request says about the file, and about another attempt. This is the only table of such
/// statuses.
package enum StatusMeaning: Hashable, Sendable {
  /// The server did not take the file, and may take it later.
  case busy
  /// The server failed, and may have stored a file of which it had everything.
  case serverFault
  /// A gateway lost the server behind it, which may have stored a file that was passed on to it.
  case serverLost
  /// A gateway could not pass the request on to the server behind it.
  case serverNotReached
  /// Another attempt fares no better unless something changes.
  case refusal

  package init(_ status: Int) {
    self =
      switch status {
      // Time-out, locked, too early, too many requests, unavailable (RFC 9110 §15, RFC 4918, RFC 8470, RFC 6585).
      case 408, 423, 425, 429, 503: .busy
      // Bad gateway and gateway time-out (RFC 9110 §15.6.3, §15.6.5); Cloudflare's "unknown error" and "a timeout
      // occurred"; a proxy's time-out while it waits for the reply.
      case 502, 504, 520, 524, 598: .serverLost
      // Cloudflare: no connection to the server, no TLS, no address.
      case 521...523, 525...527, 530: .serverNotReached
      // The other statuses that are registered.
      case 501, 505...508, 510, 511: .refusal
      // A status that is not known means the same as 500 (RFC 9110 §15).
      case 500...599: .serverFault
      default: .refusal
      }
  }

  /// Whether a later attempt may succeed by itself.
  var mayPass: Bool { self != .refusal }

  /// Whether a server that had everything may have stored it.
  package var leavesDoubt: Bool { self == .serverFault || self == .serverLost }
}
