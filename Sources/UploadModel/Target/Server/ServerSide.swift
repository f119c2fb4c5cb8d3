/// What can be done with what is on a target's server already.
public struct ServerSide: Hashable, Sendable {
  /// Shows the entries.
  public var list: Listing?
  /// Asks for one, `{id}`.
  public var get: ServerCall?
  /// Deletes one, `{id}`.
  public var delete: ServerCall?
  /// Sent after each upload.
  public var create: ServerCall?

  /// Nothing.
  public init() {}
}
