/// The protocol of an upload in several requests. Each has a machine of its own (`ResumeMachine`), and only that can
/// continue an upload that it began.
package enum ResumeProtocol: Hashable, Sendable {
  /// tus 1.0.0.
  case tus
  /// Resumable Uploads for HTTP.
  case http
  /// The requests that the target describes.
  indirect case pieces(PieceRules)

  /// Whether an upload that was recorded can continue with this protocol.
  func continues(_ point: ResumePoint) -> Bool {
    switch self {
    case .tus: point.pieces == nil && point.mode != .http
    case .http: point.pieces == nil && point.mode == .http
    case .pieces: point.pieces != nil
    }
  }
}

extension ResumeRules {
  /// The protocol of an attempt: that of the upload which it continues, or the one that the server is known to speak.
  package func speaks(continuing point: ResumePoint?, at server: ResumeServer?) -> ResumeProtocol {
    if let pieces { return .pieces(pieces) }
    switch mode {
    case .tus: return .tus
    case .http, .off: return .http
    case .auto:
      if let point { return point.mode == .http ? .http : .tus }
      return if case .tus? = server { .tus } else { .http }
    }
  }
}
