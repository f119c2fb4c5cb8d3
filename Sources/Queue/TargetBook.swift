import UploadModel

/// The targets that the items of a queue name. Looking one up can take time, since commands may supply its secrets.
package protocol TargetBook: Sendable {
  /// The secrets of every target that has been looked up.
  var secrets: Secrets { get }
  /// How an item is sent, or why it cannot be.
  func target(of item: UploadItem) -> Result<SendPlan, Failure.Cause>
  /// The target of this name, or why it cannot be used.
  func known(_ name: String) -> Result<SendPlan, Failure.Cause>
  /// Where a plan's files go, for display, without secrets.
  func address(of plan: SendPlan) -> String
  /// Looks up the targets of these items in advance.
  func lookUp(for items: [UploadItem])
  /// Forgets failed look-ups, and those of these targets, whose credentials were refused: the cause may be gone, perhaps
  /// because another process has changed the configuration.
  func forgetFailures(andRefused targets: Set<String>)
  /// Whether the target of this name takes a second copy without harm.
  func isRepeatable(_ name: String) -> Bool
}
