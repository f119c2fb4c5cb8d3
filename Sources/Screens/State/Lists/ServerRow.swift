/// A file on the server.
public struct ServerRow: PaneRow {
  /// What the server calls it, for deleting.
  public var id: String
  /// Its name, for people.
  public var name: String
  /// Its size in bytes, where the server says so.
  public var size: Int64?
  /// When it was stored, as the server says it.
  public var time: String?
  /// Where it can be found, where the server says so.
  public var url: String?

  /// A file on the server.
  public init(id: String, name: String, size: Int64? = nil, time: String? = nil, url: String? = nil)
  {
    self.id = id
    self.name = name
    self.size = size
    self.time = time
    self.url = url
  }
}
