/// Remembers from run to run what is known about servers. Servers that it does not remember are asked again.
package protocol ResumeMemory: Sendable {
  /// What is known about the server at an address, unless it is out of date.
  func resumeServer(at address: String) -> ResumeServer?
  /// Remembers what is known about a server; nil forgets it.
  func remember(_ server: ResumeServer?, at address: String)
}
