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
    case .connectionLost where wasTurnedAway: return .overloaded
    default: return nil
    }
  }

  /// Whether the lost connection was one too many: nothing of the body arrived, or at most what the other side's kernel
  /// takes for a new connection before the server accepts it, if a busy one ever does.
  private var wasTurnedAway: Bool {
    bytes == 0 || isFirstOnConnection && bytes <= Self.firstWindow
  }

  /// The most bytes that Linux takes for a connection at first (net.ipv4.tcp_rmem).
  private static let firstWindow: Int64 = 64 << 10

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
