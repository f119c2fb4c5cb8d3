import Foundation

/// A request as the transport needs it, without files, queues and targets.
package struct ExchangeRequest: Sendable {
  /// Where it goes; `http` or `https`.
  package var url: URL
  /// The method, as it is sent.
  package var method: String
  /// The header fields in their order. The transport itself writes `Host`, `Content-Length`,
  /// `Accept-Encoding` and `Expect`.
  package var headers: [(name: String, value: String)]
  /// The content; nil for a request without one.
  package var body: (any ExchangeBody)?
  /// Whether the server is asked before a body of more than 1 MiB is sent (RFC 9110 §10.1.1). libcurl
  /// waits a second for the answer, and sends the request again without the question after a 417.
  package var expectsContinue = false
  /// Whether an interim reply other than 100 makes the body wait until `UploadTask.releaseBody` is called, so that the
  /// caller can record what the reply says before a byte of the body leaves.
  package var waitsAfterInterim = false
  /// Whether the request may safely be sent twice. If not, a body whose first byte was handed to a connection is
  /// repeated only if the server cannot have read any of it.
  package var mayRepeat = false
  /// Whether HTTP/2 is offered; HTTP/1.1 otherwise.
  package var offersHTTP2 = false
  /// Which servers to trust, and the client's own certificate.
  package var tls = TLSOptions()
  /// The maximum size of the reply's content, in bytes. A longer reply is cut off there.
  package var mostReply = 1 << 20
  /// The credentials to answer a digest challenge with (RFC 7616). The body is sent only with the answer.
  package var digest: DigestCredentials?
  /// After how many seconds without a byte in either direction it fails; nil if the caller watches that.
  package var idleTimeout: Double?
  /// After how many seconds it fails, whatever moves; nil for never.
  package var timeout: Double?
  /// The limits on the bytes of the body, which other tasks may share.
  package var limits: [BandwidthLimit] = []

  /// A request without a body.
  package init(
    url: URL, method: String, headers: [(name: String, value: String)] = [],
    body: (any ExchangeBody)? = nil
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }

  /// Whether its header fields ask for the connection to be closed.
  var closesConnection: Bool {
    headers.contains { $0.name.lowercased() == "connection" && $0.value.lowercased() == "close" }
  }
}

/// A user name and a password to answer a server's challenge with. The password itself is never sent (RFC 7616).
package struct DigestCredentials: Hashable, Sendable {
  /// The user name.
  package var user: String
  /// The password.
  package var password: String

  /// Credentials of this user.
  package init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
