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
  /// Whether the request may safely be sent twice. If not, a body whose first byte was handed to a connection is
  /// repeated only where the server cannot have read any of it.
  public var mayRepeat = false
  /// Whether HTTP/2 is offered; HTTP/1.1 otherwise.
  public var offersHTTP2 = false
  /// Whom to trust.
  public var tls = TLSOptions()
  /// The maximum size of the reply's content, in bytes. A longer reply is cut off there.
  public var mostReply = 1 << 20
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
}

/// The content of a request: so many bytes, given as often as they are asked for.
public protocol ExchangeBody: Sendable {
  /// How many bytes there are, exactly.
  var length: Int64 { get }
  /// Something that gives them from the first byte on.
  func makeReader() -> any ExchangeBodyReader
}

/// Gives a body's bytes, on one thread.
public protocol ExchangeBodyReader: AnyObject {
  /// Fills the buffer; with less only at the end of the body. An error ends the exchange and is in its
  /// end, as `TransportError.Kind.body`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Bytes in memory as a body.
public struct MemoryBody: ExchangeBody {
  private let bytes: Data

  /// A body of these bytes.
  public init(_ bytes: Data) { self.bytes = bytes }

  /// How many bytes there are.
  public var length: Int64 { Int64(bytes.count) }

  /// Gives them from the first on.
  public func makeReader() -> any ExchangeBodyReader { Reader(bytes) }

  private final class Reader: ExchangeBodyReader {
    private var left: Data
    init(_ bytes: Data) { left = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = left.prefix(buffer.count).copyBytes(to: buffer)
      left = left.dropFirst(count)
      return count
    }
  }
}

/// What makes a connection secure, beyond the system's own rules. Nothing here turns verification off
/// without something else in its place.
public struct TLSOptions: Hashable, Sendable {
  /// The path of a PEM file with the authorities that are trusted instead of the system's.
  public var caFile: String?
  /// The server's public key as libcurl takes it: `sha256//` and base64. Without `caFile` it stands for
  /// the chain and the name.
  public var pinnedKey: String?
  /// The path of a PEM file with the client's certificate.
  public var clientCertificate: String?
  /// The path of a PEM file with the key to it, without a pass phrase.
  public var clientKey: String?

  /// The system's own rules, unless said otherwise.
  public init(
    caFile: String? = nil, pinnedKey: String? = nil, clientCertificate: String? = nil,
    clientKey: String? = nil
  ) {
    self.caFile = caFile
    self.pinnedKey = pinnedKey
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }
}
