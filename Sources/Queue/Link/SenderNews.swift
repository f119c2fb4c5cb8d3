import Scheduling
import UploadModel

/// News from the process that sends a queue to other processes, which read the queue's own content from its file.
package enum SenderNews: Hashable, Sendable, Codable {
  case item(id: ItemID, state: ItemState)
  /// An attempt begins at this byte of an item, since the server has those before it.
  case resumed(id: ItemID, at: Int64)
  /// Whether a server can be reached.
  case server(address: String, news: Reachability)
  /// Why the files of a target wait for credentials; nil if they do no longer.
  case refusal(target: String, CredentialTrouble?)
  /// When the next file of a target can begin, if its server takes no more requests before; nil if it can begin now.
  case pace(target: String, until: Instant?)
  case settings(SenderSettings)
  /// How many requests a target now gets at once, if hoist finds that number.
  case lanes(Int, target: String, fall: LaneFall? = nil)
  /// What has been sent so far, and how long that took.
  case figures(SendingFigures)
  /// How fast everything is being sent, as measured so far. Sent only to a listener that has just connected.
  case speeds(Speeds)
  /// There is news of a target's run.
  case run(target: String, RunNews)
  /// No run is about to end. Sent only to the listener that has asked.
  case runsHaveEnded
  /// Everything that had happened before the listener connected has now been sent.
  case complete
}
