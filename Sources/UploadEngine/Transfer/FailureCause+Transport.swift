import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

extension Failure.Cause {
  /// What a transport error means to the user. No other code decides that.
  init(_ error: TransportError, host: String, proxy: String? = nil) {
    let words = error.words.isEmpty ? "libcurl error \(error.code)" : error.words
    // A connection that could not be made was one to the proxy, if there is one.
    let atProxy = proxy.map { Failure.Cause.proxyUnreachable("\($0): \(words)") }
    self =
      switch error.kind {
      case .cancelled: .cancelled
      case .body(let error as BodyError): Failure.Cause(error, wasSeen: true)
      case .body(let error): .unsendable("its body could not be read: \(error)")
      case .optionRefused:
        .insecure("libcurl rejects one of the request's settings or TLS rules; nothing was sent")
      case .proxyNotResolved, .proxyRefused: .proxyUnreachable(words)
      case .nameNotResolved: .nameNotResolved(host: host)
      case .unreachable: atProxy ?? .unreachable(words, error.absence)
      case .shortage: .shortage(String(cString: strerror(error.systemError)))
      case .connectionRefused: atProxy ?? .connectionRefused(words)
      case .connectionLost: .connectionLost(words)
      case .insecure: .insecure(words)
      case .notTLS:
        .insecure("\(host) does not speak TLS on this port")
      case .otherKey:
        .insecure(
          "\(host) does not have the pinned key (\(words)). Somebody else may be answering in its place. If "
            + "the key was changed on purpose, pin the new one with hoist trust")
      case .notHTTP: .notHTTP(words)
      case .other: .network(words)
      }
  }
}

extension TransportError {
  /// Whether a network, a route or an answer is missing, according to the system's error code or libcurl's.
  fileprivate var absence: Failure.Absence? {
    switch systemError {
    case EHOSTUNREACH, EHOSTDOWN: .route
    case ENETUNREACH, ENETDOWN: .network
    case ETIMEDOUT: .answer
    default: isTimeout ? .answer : nil
    }
  }
}
