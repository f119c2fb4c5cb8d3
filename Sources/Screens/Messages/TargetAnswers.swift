/// The user's answers about a new target.
public struct TargetAnswers: Hashable, Sendable {
  /// Where files go.
  public var url: String
  /// What the target is called; empty for a name made of the host's.
  public var name: String
  /// The form field that carries the file; empty for the usual one.
  public var field = ""
  /// The environment variable with a bearer token; empty if none is needed.
  public var variable = ""
}
