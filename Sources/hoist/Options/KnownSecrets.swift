import Synchronization
import UploadModel

/// The secrets of the targets used so far. They are removed from server replies before anything else sees the replies:
/// no screen, file or line of output ever contains them.
final class KnownSecrets: Sendable {
  private let secrets: Mutex<Secrets>

  /// Starts with the secrets of one target.
  init(of target: Target) { secrets = Mutex(target.secrets) }

  /// Adds the secrets of another target.
  func add(_ target: Target) { secrets.withLock { $0.add(target.secrets) } }

  /// Whether a text contains none of the secrets.
  func isFree(_ text: String) -> Bool {
    secrets.withLock { $0 }.hidden(in: text) == text
  }

  func hidden(in changes: [(ItemID, ItemState)]) -> [(ItemID, ItemState)] {
    let secrets = secrets.withLock { $0 }
    return changes.map { ($0.0, secrets.hidden(in: $0.1)) }
  }

  /// The news of a run with the secrets hidden.
  func hidden(in news: RunNews) -> RunNews { secrets.withLock { $0 }.hidden(in: news) }
}
