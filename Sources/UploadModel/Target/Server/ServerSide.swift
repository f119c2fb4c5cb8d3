/// What can be done with what is already on a target's server.
public struct ServerSide: Hashable, Sendable {
  /// Lists the entries.
  public var list: Listing?
  /// Requests one entry, `{id}`.
  public var get: ServerCall?
  /// Deletes one entry, `{id}`.
  public var delete: ServerCall?
  /// Sent after each upload.
  public var create: ServerCall?

  /// A server with which nothing can be done.
  public init() {}
}
