/// The user's answers about a new target.
package struct TargetAnswers: Hashable, Sendable {
  /// Where files go.
  package var url: String
  /// The name of the target; empty to derive it from the name of the host.
  package var name: String
  /// The form field that carries the file; empty for the usual one.
  package var field = ""
  /// The bearer token as in `SecretAnswer`; empty if none is needed.
  package var token = ""
  /// The service; empty for any server.
  package var service = ""
  /// The answers to the service's questions, in their order.
  package var replies: [String] = []

  /// An answer that can be wrong.
  package enum Part: Hashable, Sendable { case url, name, token, answer(Int) }
}
