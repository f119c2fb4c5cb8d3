/// The version of HTTP for a target (RFC 9112, RFC 9113).
package enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  /// The version that is faster for uploads: HTTP/1.1, which over TLS takes 1.5 s for a gibibyte where HTTP/2
  /// takes 2.6 s.
  case auto
  /// HTTP/1.1.
  case http1 = "1.1"
  /// HTTP/2 if the server speaks it, otherwise HTTP/1.1; `https` only.
  case http2 = "2"
}
