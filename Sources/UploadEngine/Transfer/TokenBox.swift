import Foundation
import Synchronization
import UploadModel

/// A token, once there is one.
final class TokenBox: Sendable {
  private struct Content {
    var token: BearerToken?
    /// The one that the server refused.
    var old: BearerToken?
  }
  private let content: Mutex<Content>

  /// What else is hidden in texts.
  private let secrets: Secrets

  init(_ token: BearerToken?, _ secrets: Secrets) {
    content = Mutex(Content(token: token))
    self.secrets = secrets
  }

  /// Drops the token, so that the command runs again. Returns false if the target has no command, or if it has
  /// already run again.
  func forget(of target: Target) -> Bool {
    content.withLock { content in
      guard target.tokenCommand != nil, content.old == nil, let token = content.token else {
        return false
      }
      content = Content(old: token)
      return true
    }
  }

  func hidden(in failure: Failure) -> Failure {
    let content = content.withLock { $0 }
    return [content.token, content.old].reduce(secrets.hidden(in: failure)) {
      $1?.secrets.hidden(in: $0) ?? $0
    }
  }

  func value(for target: Target) async throws(Failure.Cause) -> BearerToken? {
    if let token = content.withLock({ $0.token }) { return token }
    guard let command = target.tokenCommand else { return nil }
    let result: Result<BearerToken, BearerToken.Missing> = await withCheckedContinuation { reply in
      Thread.detachNewThread {
        reply.resume(
          returning: Result { () throws(BearerToken.Missing) in try BearerToken(command) })
      }
    }
    do throws(BearerToken.Missing) {
      let token = try result.get()
      content.withLock { $0.token = token }
      return token
    } catch {
      throw .denied(error.reason)
    }
  }
}
