/// The user's answers about a new target.
package struct TargetAnswers: Hashable, Sendable {
  /// Where files go.
  package var url: String
  /// What the target is called; empty for a name made of the host's.
  package var name: String
  /// The form field that carries the file; empty for the usual one.
  package var field = ""
  /// The environment variable with a bearer token; empty if none is needed.
  package var variable = ""
}
