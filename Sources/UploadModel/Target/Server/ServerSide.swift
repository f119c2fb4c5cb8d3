/// What can be done with the entries on a target's server.
package struct ServerSide: Hashable, Sendable {
  /// Lists the entries.
  package var list: Listing?
  /// Requests one entry, `{id}`.
  package var get: Call?
  /// Deletes one entry, `{id}`.
  package var delete: Call?
  /// Sent to the server after each upload, for example to record it there.
  package var create: Call?
}
