import Foundation

/// A request in the format that the transport needs, without files, queues or targets.
package struct ExchangeRequest: Sendable {
  /// The URL, either `http` or `https`.
  package var url: URL
  /// The method, sent exactly as given.
  package var method: String
  /// The header fields in order. The transport itself adds `Host`, `Content-Length`, `Accept-Encoding` and `Expect`.
  package var headers: [(name: String, value: String)]
  /// The content; nil for a request without one.
  package var body: (any ExchangeBody)?
  /// Whether to ask the server before sending a body of more than 1 MiB (RFC 9110 §10.1.1). libcurl waits one second
  /// for the answer; after a 417, it sends the request again without `Expect`.
  package var expectsContinue = false
  /// Whether an interim reply puts the body on hold until `UploadTask.releaseBody` is called, so that the caller can
  /// record the reply before any byte of the body is sent. A 100 reply is then reported as well.
  package var waitsAfterInterim = false
  /// Whether the last bytes of the body are held until `UploadTask.releaseBody` is called, so that the caller can
  /// record that the server may have the whole request from then on.
  package var holdsEnd = false
  /// Whether the request may safely be sent twice. If false, and a part of the body was handed to a connection, the
  /// request is repeated only if the server cannot have read any of it.
  package var mayRepeat = false
  /// Whether to offer HTTP/2; otherwise the request uses HTTP/1.1.
  package var offersHTTP2 = false
  /// Which servers to trust, and the client's own certificate.
  package var tls = TLSOptions()
  /// The most bytes of the reply's content that are kept. A longer reply is cut off there.
  package var mostReply = 1 << 20
  /// The credentials for answering the server's challenge. The body is sent only together with the answer.
  package var challenged: (any ChallengeCredentials)?
  /// The cookies that the request carries, and where those of its reply go; nil for none. A header field `Cookie` of the
  /// request takes their place.
  package var cookies: CookieJar?
  /// The bandwidth limits on the body, which other tasks may share.
  package var limits: [BandwidthLimit] = []

  package init(
    url: URL, method: String, headers: [(name: String, value: String)] = [],
    body: (any ExchangeBody)? = nil
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }

  /// The request's target as it is sent (RFC 9112 §3.2.1).
  var uri: String {
    let rest = url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }
    let authority = rest.dropFirst((url.scheme?.utf8.count ?? 0) + 3)
    let path = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let text = String(Substring(path))
    return path.first == UInt8(ascii: "/") ? text : "/\(text)"
  }

  /// Whether the header fields ask for the connection to be closed.
  var closesConnection: Bool {
    headers.contains { $0.name.lowercased() == "connection" && $0.value.lowercased() == "close" }
  }
}
