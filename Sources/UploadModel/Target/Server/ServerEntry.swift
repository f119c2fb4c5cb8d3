import JSONText

/// An entry on a target's server. It is untrusted: make it safe before showing it.
package struct ServerEntry: Hashable, Sendable {
  /// What the server calls it.
  package var id: String
  /// What people call it.
  package var name: String
  /// Its size in bytes, if the server says so.
  package var size: Int64?
  /// When it was stored, in the format of its column.
  package var time: String?
  /// Where it can be found, if the server says so.
  package var url: String?
  /// All that the server says about it.
  package var value = JSONValue.null
}
