import UploadModel

/// A list that others are asked for: what is on the server, what was sent before.
public enum Listing<Row: Sendable & Hashable>: Sendable, Hashable {
  /// Nobody has asked.
  case unknown
  /// The answer is awaited.
  case asked
  /// The answer, in the order in which it is shown.
  case rows([Row])
  /// Why there is none, in words for a person.
  case failed(String)

  /// The rows, if they are known.
  public var rows: [Row] {
    if case .rows(let rows) = self { rows } else { [] }
  }
}

/// The list of a pane and the cursor on it.
struct PaneList<Row: Sendable & Hashable>: Sendable {
  var listing = Listing<Row>.unknown
  var list = ListState()

  var rows: [Row] { listing.rows }
  var selected: Row? { rows.indices.contains(list.cursor) ? rows[list.cursor] : nil }

  mutating func take(_ listing: Listing<Row>, height: Int) {
    self.listing = listing
    list.move(to: list.cursor, of: rows.count, height: height)
  }
}

/// A file on the server.
public struct ServerRow: Sendable, Hashable {
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

/// A file that was sent, or was not, in this session or one before.
public struct HistoryRow: Sendable, Hashable {
  /// The name that the server was told.
  public var name: String
  /// The name of the target.
  public var target: String
  /// The file's size in bytes.
  public var size: Int64
  /// When it came to its end: "2026-11-20 22:15".
  public var time: String
  /// Whether the server has taken it.
  public var isSent: Bool
  /// How it ended, in a few words: "201 Created", "file is missing".
  public var outcome: String
  /// Where it can be found, if the server said so.
  public var url: String?
  /// The file's path.
  public var path: String
  /// What the server answered.
  public var reply: Reply

  /// A file that came to its end.
  public init(
    name: String, target: String, size: Int64, time: String, isSent: Bool, outcome: String,
    url: String? = nil, path: String, reply: Reply = Reply()
  ) {
    self.name = name
    self.target = target
    self.size = size
    self.time = time
    self.isSent = isSent
    self.outcome = outcome
    self.url = url
    self.path = path
    self.reply = reply
  }
}
