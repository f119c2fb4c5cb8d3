import Synchronization
import UploadModel

/// The tokens that commands have printed. All requests of a session share one source, so that a command runs again only
/// after its last token was refused.
package final class TokenSource: Sendable {
  private final class Last: Sendable {
    /// Locked while the command runs.
    let token = Mutex<BearerToken?>(nil)
  }

  private let known = Mutex<[TokenCommand: Last]>([:])

  package init() {}

  /// The last token that a command printed. If it has printed no token yet, or that token is `refused`, the command
  /// runs and prints a new one. Blocks while the command runs.
  func token(
    of command: TokenCommand, insteadOf refused: BearerToken?
  ) throws(Failure.Cause) -> (token: BearerToken, isNew: Bool) {
    let last = known.withLock { known in
      let last = known[command] ?? Last()
      known[command] = last
      return last
    }
    return try last.token.withLock { last throws(Failure.Cause) -> (BearerToken, Bool) in
      if let last, last.text != refused?.text { return (last, false) }
      last = nil
      let token = try BearerToken(command)
      last = token
      return (token, true)
    }
  }
}
