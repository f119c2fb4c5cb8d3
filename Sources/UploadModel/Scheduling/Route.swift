/// Where an upload goes and with which credentials. These belong to a target and are only for its own origin.
package struct Route: Hashable, Sendable {
  /// The target's name.
  let target: String
  /// The target's origin.
  package let origin: Origin?

  /// The route of the uploads to `target`.
  package init(to target: Target) {
    self.target = target.name
    origin = target.origin
  }
}
