import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

extension Failure.Cause {
  /// What a transport's error means for the person: the one table for it.
  ///
  /// - Parameters:
  ///   - host: whom the request went to, as its URL names it.
  ///   - proxy: who stands in between, if anybody does.
  init(_ error: TransportError, host: String, proxy: String? = nil) {
    let words = error.words.isEmpty ? "libcurl's error \(error.code)" : error.words
    if let proxy, error.isOfTheFirstHop {
      self = .proxyUnreachable("\(proxy): \(words)")
      return
    }
    self =
      switch error.kind {
      case .cancelled: .cancelled
      case .body(let error as BodyError): Failure.Cause(error, wasSeen: true)
      case .body(let error): .unsendable("its body could not be read: \(error)")
      case .optionRefused:
        .insecure(
          "libcurl rejects one of the request's settings or TLS rules; nothing was sent")
      case .proxyNotResolved, .proxyRefused: .proxyUnreachable(words)
      case .nameNotResolved: .nameNotResolved(host: host)
      case .unreachable: .unreachable(words, error.absence)
      case .shortage: .shortage(String(cString: strerror(error.systemError)))
      case .connectionRefused: .connectionRefused(words)
      case .connectionLost: .connectionLost(words)
      case .insecure: .insecure(words)
      case .notTLS:
        .insecure("\(host) does not speak TLS on this port; should the URL begin with http://?")
      case .otherKey:
        .insecure(
          "\(host) has another key than the pinned one (\(words)). Somebody else may be answering in its place. If "
            + "the key was changed on purpose, pin the new one with hoist trust")
      case .notHTTP:
        .notHTTP(words)
      case .other: .network(words)
      }
  }
}

extension TransportError {
  /// What is missing, by the system's code or libcurl's.
  fileprivate var absence: Failure.Absence? {
    switch systemError {
    case EHOSTUNREACH, EHOSTDOWN: .route
    case ENETUNREACH, ENETDOWN: .network
    case ETIMEDOUT: .answer
    default: isTimeout ? .answer : nil
    }
  }

  /// Whether no connection came about to whoever is spoken to directly.
  fileprivate var isOfTheFirstHop: Bool {
    switch kind {
    case .connectionRefused, .unreachable: true
    default: false
    }
  }
}
