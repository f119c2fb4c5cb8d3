/// What can be done with the entries on a target's server.
package struct ServerSide: Hashable, Sendable {
  /// Lists the entries.
  package var list: Listing?
  /// Requests one entry, `{id}`.
  package var get: ServerCall?
  /// Deletes one entry, `{id}`.
  package var delete: ServerCall?
  /// Sent after each upload.
  package var create: ServerCall?

  /// A server with which nothing can be done.
  package init() {}
}
