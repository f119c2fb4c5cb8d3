/// Remembers from run to run what is known of servers. If it cannot, the servers are asked again.
package protocol ResumeMemory: Sendable {
  /// What is known of the server at an address, unless it is too old.
  func resumeServer(at address: String) -> ResumeServer?
  /// Remembers that; nil forgets what was known.
  func remember(_ server: ResumeServer?, at address: String)
}
