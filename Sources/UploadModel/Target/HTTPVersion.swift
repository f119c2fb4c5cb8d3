/// The version of HTTP that is spoken with a target (RFC 9112, RFC 9113).
public enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  /// What is faster for uploads: HTTP/1.1, which over TLS took 1.5 s for a gibibyte where HTTP/2 took
  /// 2.6 s.
  case auto
  /// HTTP/1.1.
  case http1 = "1.1"
  /// HTTP/2 where the server speaks it, HTTP/1.1 where it does not; `https` only.
  case http2 = "2"
}
