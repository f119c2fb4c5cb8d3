import Synchronization
import UploadModel

/// The token that requests to one server carry, once there is one.
final class TokenBox: Sendable {
  private struct Content {
    var token: BearerToken?
    /// The token that the server refused.
    var old: BearerToken?
  }
  private let content: Mutex<Content>

  /// Where tokens come from; nil if only the first one may be used.
  let source: TokenSource?
  /// Other secrets to hide in texts.
  private let secrets: Secrets

  init(_ token: BearerToken?, from source: TokenSource?, _ secrets: Secrets) {
    content = Mutex(Content(token: token))
    self.source = source
    self.secrets = secrets
  }

  /// Whether the client itself repeats a request whose credentials were not accepted. If not, its caller does.
  var isRenewable: Bool { source != nil }

  /// Drops the token so that the next request gets another. Returns false if there is no other token to get, or if this
  /// one is already the second.
  func forget(of target: Target) -> Bool {
    content.withLock { content in
      guard source != nil, target.tokenCommand != nil, content.old == nil, let token = content.token
      else { return false }
      content = Content(old: token)
      return true
    }
  }

  func hidden(in failure: Failure) -> Failure {
    let content = content.withLock { $0 }
    let tokens = [content.token, content.old].compactMap(\.self)
    return tokens.reduce(secrets.hidden(in: failure)) { $1.secrets.hidden(in: $0) }
  }

  func value(for target: Target) async throws(Failure.Cause) -> BearerToken? {
    let (known, old) = content.withLock { ($0.token, $0.old) }
    if let known { return known }
    guard let source, let command = target.tokenCommand else { return nil }
    let token = try await source.token(of: command, insteadOf: old).token
    content.withLock { $0.token = token }
    return token
  }
}
