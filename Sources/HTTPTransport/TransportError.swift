import CCurl
import Foundation

/// Why a request ended early.
package struct TransportError: Error, Sendable {
  /// What went wrong, as far as the codes of libcurl and the system tell.
  package enum Kind: Sendable {
    case cancelled
    /// The body could not be read; contains its reader's error.
    case body(any Error)
    /// libcurl rejects an option that the request's safety may depend on. Nothing was sent.
    case optionRefused
    case nameNotResolved
    case proxyNotResolved
    /// The process or the machine lacks resources for another connection.
    case shortage
    case connectionRefused
    /// There is no route to the address, or nothing answers there.
    case unreachable
    /// The proxy refused to open a tunnel, with this status.
    case proxyRefused(status: Int)
    /// The connection ended, before or after the request.
    case connectionLost
    /// No secure connection could be made.
    case insecure
    /// The server does not speak TLS on this port.
    case notTLS
    /// The server's key is not the pinned one.
    case otherKey
    case notHTTP
    case other
  }

  package var kind: Kind
  /// libcurl's error code (libcurl-errors(3)); 0 if libcurl reported no error.
  package var code: Int
  /// The system's error number; 0 if the system reported no error.
  package var systemError: Int32
  /// Whether libcurl reported a time-out.
  package var isTimeout: Bool { code == Int(CURLE_OPERATION_TIMEDOUT.rawValue) }
  /// libcurl's message, without a full stop. It is only for people to read; no decision depends on it.
  package var words: String

  init(_ kind: Kind, code: CURLcode = CURLE_OK, systemError: Int32 = 0, words: String = "") {
    self.kind = kind
    self.code = Int(code.rawValue)
    self.systemError = systemError
    self.words = words
  }

  /// The error for a libcurl code. `tunnelStatus` is the status of a proxy's reply to CONNECT; 0 if no proxy was asked.
  /// If the TLS layer failed, OpenSSL's own code is found only in libcurl's words.
  package init(code: Int, systemError: Int32 = 0, tunnelStatus: Int = 0, words: String = "") {
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
      case CURLE_SSL_CONNECT_ERROR where Self.opensslCode(in: words) == Self.noRecord: .notTLS
      // If there is no OpenSSL code, the connection ended during the handshake.
      case CURLE_SSL_CONNECT_ERROR where Self.opensslCode(in: words) == nil: .connectionLost
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .otherKey
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
        CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_CLIENTCERT:
        .insecure
      // Only http and https are allowed, so what is unsupported is the version in the reply.
      case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .notHTTP
      default: .other
      }
    self.init(
      kind, code: curl, systemError: systemError,
      words: kind.isLoss
        ? Self.words(ofLoss: curl, systemError, words) : Self.words(ofOther: words))
  }

  /// What went wrong, in plain words: libcurl takes whatever does not begin like HTTP for version 0.9, whose replies had
  /// no beginning.
  private static func words(ofOther words: String) -> String {
    words.utf8.starts(with: "Received HTTP/0.9".utf8)
      ? "the server answered something that is not HTTP" : words
  }

  /// How a connection ended, in plain words: libcurl's own name a function, or are about the callback that kept it from
  /// repeating the request.
  private static func words(
    ofLoss code: CURLcode, _ systemError: Int32, _ words: String
  ) -> String {
    let reset = /Connection reset/.matchingSemantics(.unicodeScalar)
    // libcurl may have cleared the error's number, and kept its words.
    let isReset = systemError == ECONNRESET || words.firstMatch(of: reset) != nil
    let end = isReset ? "connection reset" : "connection lost"
    return switch code {
    case CURLE_GOT_NOTHING: "the server closed the connection without a reply"
    case CURLE_SEND_FAIL_REWIND: "the server closed the connection"
    case CURLE_PARTIAL_FILE: "the reply broke off"
    case CURLE_SSL_CONNECT_ERROR: "\(end) in the TLS handshake"
    default: end
    }
  }
}

extension TransportError.Kind {
  fileprivate var isLoss: Bool { if case .connectionLost = self { true } else { false } }
}

extension TransportError {
  /// OpenSSL's code for data that is not a TLS record: ERR_LIB_SSL, SSL_R_WRONG_VERSION_NUMBER.
  private static let noRecord: UInt32 = 20 << 23 | 267

  /// OpenSSL's code in a libcurl message (ERR_error_string(3)).
  private static func opensslCode(in words: String) -> UInt32? {
    let form = /error:([0-9A-Fa-f]{8}):/.matchingSemantics(.unicodeScalar)
    return words.firstMatch(of: form).flatMap { UInt32($0.1, radix: 16) }
  }
}
