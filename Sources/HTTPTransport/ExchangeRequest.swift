import Foundation

/// A request as the transport needs it: it knows nothing of files, queues and targets.
public struct ExchangeRequest: Sendable {
  /// Where it goes; `http` or `https`.
  public var url: URL
  /// The method, as it is sent.
  public var method: String
  /// The header fields in their order. `Host`, `Content-Length`, `Accept-Encoding` and `Expect` are
  /// written by the transport.
  public var headers: [(name: String, value: String)]
  /// What is sent with it.
  public var body: (any ExchangeBody)?
  /// Whether the server is asked before a body of more than 1 MiB is sent (RFC 9110 §10.1.1). libcurl
  /// waits a second for the answer, and sends the request again without the question after a 417.
  public var expectsContinue = false
  /// Whether the body waits, once an interim reply other than 100 came before it, until `Exchange.goOn` is called:
  /// whoever asked writes down what that reply says before a byte of the body leaves.
  public var waitsAfterInterim = false
  /// Whether the request may safely be sent twice. If not, a body whose first byte was handed to a connection is
  /// repeated only where the server cannot have read any of it.
  public var mayRepeat = false
  /// Whether HTTP/2 is offered; HTTP/1.1 otherwise.
  public var offersHTTP2 = false
  /// Whom to trust.
  public var tls = TLSOptions()
  /// The maximum size of the reply's content, in bytes. A longer reply is cut off there.
  public var mostReply = 1 << 20
  /// What a digest challenge (RFC 7616) is answered with. The body is only sent with the answer.
  public var digest: DigestCredentials?
  /// What bounds the bytes of the body, beside others that share the same limits.
  public var limits: [BandwidthLimit] = []

  /// A request without a body.
  public init(
    url: URL, method: String, headers: [(name: String, value: String)] = [],
    body: (any ExchangeBody)? = nil
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }

  /// Whether its header asks for a connection that is not kept.
  var closesConnection: Bool {
    headers.contains { $0.name.lowercased() == "connection" && $0.value.lowercased() == "close" }
  }
}
