import CCurl
import Foundation

/// Why a request ended before its time.
public struct TransportError: Error, Sendable {
  /// What went wrong, as far as libcurl's code and the system's tell it.
  public enum Kind: Sendable {
    /// It was cancelled.
    case cancelled
    /// The body could not be read; the error is its reader's.
    case body(any Error)
    /// libcurl does not take an option that the request's safety rests on. Nothing was sent.
    case optionRefused
    /// The host's name has no address.
    case nameNotResolved
    /// The proxy's name has no address.
    case proxyNotResolved
    /// The process or the machine has no room for another connection.
    case shortage
    /// Somebody at the address turns connections away.
    case connectionRefused
    /// There is no way to the address, or nobody answers there.
    case unreachable
    /// The proxy did not make a tunnel; with its status.
    case proxyRefused(status: Int)
    /// The connection ended, before or after the request.
    case connectionLost
    /// No secure connection came about.
    case insecure
    /// The server speaks no TLS at this port.
    case notTLS
    /// The server has another key than the pinned one.
    case otherKey
    /// What answered does not speak HTTP.
    case notHTTP
    /// Anything else.
    case other
  }

  /// What went wrong.
  public var kind: Kind
  /// libcurl's code (libcurl-errors(3)); 0 where it has none.
  public var code: Int
  /// The system's error number; 0 where there is none.
  public var systemError: Int32
  /// libcurl's sentence, without a full stop. For people: nothing is decided by it.
  public var words: String

  init(_ kind: Kind, code: CURLcode = CURLE_OK, systemError: Int32 = 0, words: String = "") {
    self.kind = kind
    self.code = Int(code.rawValue)
    self.systemError = systemError
    self.words = words
  }

  /// The error that a code of libcurl's stands for.
  ///
  /// - Parameters:
  ///   - tunnelStatus: what a proxy answered to CONNECT; 0 where none was asked.
  ///   - words: libcurl's sentence. It names OpenSSL's own code where the TLS layer failed, which says
  ///     more than libcurl's code does.
  public init(code: Int, systemError: Int32 = 0, tunnelStatus: Int = 0, words: String = "") {
    let curl = CURLcode(UInt32(truncatingIfNeeded: code))
    let kind: Kind =
      switch curl {
      case CURLE_COULDNT_RESOLVE_HOST: .nameNotResolved
      case CURLE_COULDNT_RESOLVE_PROXY: .proxyNotResolved
      case CURLE_COULDNT_CONNECT:
        switch systemError {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .shortage
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT, EADDRNOTAVAIL: .unreachable
        default: .connectionRefused
        }
      case CURLE_OPERATION_TIMEDOUT, CURLE_INTERFACE_FAILED: .unreachable
      case CURLE_PROXY: .proxyRefused(status: tunnelStatus)
      case CURLE_RECV_ERROR where tunnelStatus != 0 && !(200..<300).contains(tunnelStatus):
        .proxyRefused(status: tunnelStatus)
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
        CURLE_SEND_FAIL_REWIND:
        .connectionLost
      // OpenSSL's code for a record that is none: "wrong version number".
      case CURLE_SSL_CONNECT_ERROR where words.utf8.contains("0A00010B".utf8): .notTLS
      // Without a code of OpenSSL's, it was the connection that ended.
      case CURLE_SSL_CONNECT_ERROR where !words.utf8.contains("error:".utf8): .connectionLost
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .otherKey
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
        CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_CLIENTCERT:
        .insecure
      // Only http and https are allowed, so it is the version of the reply that is unsupported.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .notHTTP
      default: .other
      }
    // libcurl would have repeated the request. It speaks of the callback that kept it from that.
    let isRepetition = curl == CURLE_SEND_FAIL_REWIND
    self.init(
      kind, code: curl, systemError: systemError,
      words: isRepetition ? "the server closed the connection" : words)
  }
}

extension Collection where Element: Equatable {
  /// Whether the elements of another collection stand somewhere in this one, side by side.
  fileprivate func contains(_ other: some Collection<Element>) -> Bool {
    indices.contains { self[$0...].starts(with: other) }
  }
}
