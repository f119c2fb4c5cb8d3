/// Why the screen cannot be opened. Uploads are possible without it.
package nonisolated struct TerminalError: Error, CustomStringConvertible {
  /// What failed and what can be done.
  package let description: String

  init(_ why: String) { description = "cannot open the screen: \(why)" }
}
