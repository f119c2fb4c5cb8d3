import ScalarText
import UploadModel

extension TransferEnd {
  /// What the end says about the number of requests; nil if nothing, since it was not the server's doing.
  package var load: ConcurrencyTuner.Outcome? {
    if let status {
      switch status {
      case 429: return .rateLimited
      case 503, 504: return .overloaded
      case 500: return .broken
      case 400...: return saysTooMany ? .overloaded : .fine
      default: return .fine
      }
    }
    switch trouble {
    case .stalled, .connectionRefused, .unreachable: return .overloaded
    // A connection that was closed before anything of the body arrived was one too many.
    case .connectionLost where bytes == 0: return .overloaded
    default: return nil
    }
  }

  private var saysTooMany: Bool {
    let text = reply.text.lowercased()
    return ["too many connections", "too many requests", "too many concurrent"].contains {
      text.contains(scalars: $0)
    }
  }
}

extension Failure {
  /// What the failure of a request around a file says about the number of requests.
  package var load: ConcurrencyTuner.Outcome? {
    switch (status, cause) {
    case (429, _): .rateLimited
    case (503, _), (504, _): .overloaded
    case (500, _): .broken
    case (nil, .stalled), (nil, .connectionRefused), (nil, .unreachable): .overloaded
    default: nil
    }
  }
}
