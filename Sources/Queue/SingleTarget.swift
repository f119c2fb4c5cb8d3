import UploadModel

/// A book with one target, to which all files go.
package struct SingleTarget: TargetBook {
  private let plan: SendPlan
  private let address: String

  /// - Parameter address: where the target's files go, for display.
  package init(_ plan: SendPlan, at address: String) { (self.plan, self.address) = (plan, address) }

  package var secrets: Secrets { plan.secrets }
  package func target(of item: UploadItem) -> Result<SendPlan, Failure.Cause> { .success(plan) }
  package func known(_ name: String) -> Result<SendPlan, Failure.Cause> { .success(plan) }
  package func address(of plan: SendPlan) -> String { address }
  package func lookUp(for items: [UploadItem]) {}
  package func forgetFailures(andRefused targets: Set<String>) {}
  package func isRepeatable(_ name: String) -> Bool { plan.target.isIdempotent }
}
