import JSONText

/// An entry on a target's server. It is untrusted: make it safe before showing it.
public struct ServerEntry: Hashable, Sendable {
  /// What the server calls it.
  public var id: String
  /// What people call it.
  public var name: String
  /// Its size in bytes, if the server says so.
  public var size: Int64?
  /// When it was stored, in the server's words.
  public var time: String?
  /// Where it can be found, if the server says so.
  public var url: String?
  /// All that the server says about it.
  public var value = JSONValue.null
}
