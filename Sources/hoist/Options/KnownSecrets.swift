import Synchronization
import UploadModel

/// The secrets of the targets in use so far. They are taken out of what servers said before anybody is
/// told: no screen, no file and no line of output knows them.
final class KnownSecrets: Sendable {
  private let secrets: Mutex<Secrets>

  /// Those of one target.
  init(of target: Target) { secrets = Mutex(target.secrets) }

  /// Those of a further target.
  func add(_ target: Target) { secrets.withLock { $0.add(target.secrets) } }

  /// Changes without secrets.
  func hidden(in changes: [(ItemID, ItemState)]) -> [(ItemID, ItemState)] {
    let secrets = secrets.withLock { $0 }
    return changes.map { ($0.0, secrets.hidden(in: $0.1)) }
  }
}
