import MultipartForm
import Scheduling
import UploadModel

/// What an engine asks and tells its owner. Everything but `mediaType` is called on the engine's queue.
package struct EngineHooks: Sendable {
  /// Writes what a turn has brought, and then calls back, from anywhere, with the claimed uploads that may start; they
  /// do not start before. The others are forgotten. Turns are written in the order of the calls. If it calls back with
  /// nil, nothing more starts until `setStarted(true)`. If there is such a hook, it also tells the changes once they are
  /// written; without it, they are reported at once, and all uploads may start.
  package var admission:
    (
      @Sendable (
        _ turn: QueueTurn, _ then: @escaping @Sendable (_ admitted: Set<ItemID>?) -> Void
      ) -> Void
    )?
  /// How many requests may be claimed ahead of each lane if one takes this long, in seconds.
  package var claimsAhead: @Sendable (_ seconds: Double) -> Int = { _ in 1 }
  /// Guesses the type of a file that a target's command has made; nil keeps the original's.
  package var mediaType: @Sendable (FileLocation) -> String? = { _ in nil }
  /// Called when a server becomes unreachable, and when it can be reached again.
  package var outage: @Sendable (_ server: Origin, _ news: Reachability) -> Void = { _, _ in }
  /// Called when a target's uploads have to wait for credentials, with the reason, and with nil when the credentials
  /// are tried again.
  package var refusal: @Sendable (_ target: String, _ trouble: CredentialTrouble?) -> Void = {
    _, _ in
  }
  /// Called when a target's uploads have to wait for some time because its server takes no more requests, with the
  /// moment of the next one, and with nil when they need not wait any longer.
  package var pace: @Sendable (_ target: String, _ until: Instant?) -> Void = { _, _ in }
  /// Called with the point where an upload can resume, or with nil if it must start over. No more of the upload is sent
  /// before `admission` has written the next turn.
  package var keeping: @Sendable (_ item: ItemID, _ point: ResumePoint?) -> Void = { _, _ in }
  /// Called with the state of a target's run before the next request is sent, or with nil if the run is over. Returns
  /// whether the state was saved.
  package var keepingRun: @Sendable (_ target: String, _ point: RunPoint?) -> Bool = {
    _, _ in true
  }
  /// Called with an address that a file is about to be sent to and that no other file may have from now on.
  package var keepingAddress: @Sendable (SentAddresses.Entry) -> Void = { _ in }
  /// Called with news of a target's run.
  package var runReport: @Sendable (_ target: String, _ news: RunNews) -> Void = { _, _ in }
  /// Called when sending has ended or stands still, before the last change is reported.
  package var figures: @Sendable (SendingFigures) -> Void = { _ in }
  /// Called when another number of lanes has been found for a target, with the reason if there are fewer because of what
  /// its server answered.
  package var lanes: @Sendable (_ target: String, _ lanes: Int, _ fall: LaneFall?) -> Void = {
    _, _, _ in
  }
  /// Called when a file has grown while it was sent, so that it is sent again from its beginning.
  package var grew: @Sendable (UploadItem) -> Void = { _ in }
  /// Called with files that were paused, but whose requests are left to end since the server may have all of them.
  package var spared: @Sendable ([UploadItem]) -> Void = { _ in }
  /// Whether a file for a target has failed before it reached the engine.
  package var hasUnsent: @Sendable (_ target: String) -> Bool = { _ in false }

  /// Hooks that admit every upload and do nothing else.
  package init() {}
}
