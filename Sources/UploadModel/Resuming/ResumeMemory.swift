/// Keeps from run to run what servers have said of themselves. What cannot be kept is asked again.
public protocol ResumeMemory: Sendable {
  /// What the server at an address has said, unless that is too long ago.
  func resumeServer(at address: String) -> ResumeServer?
  /// Keeps that; nil forgets what was kept.
  func remember(_ server: ResumeServer?, at address: String)
}
