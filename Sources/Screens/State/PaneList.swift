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

/// A row of a pane beside the queue.
protocol PaneRow: Sendable, Hashable {
  var id: String { get }
  var name: String { get }
}

/// The rows of a pane beside the queue.
struct PaneRows<Row: PaneRow>: Listed, Sendable {
  let all: [Row]
  let version: Int
  private let positions: [String: Int]

  init(_ all: [Row] = [], version: Int = 0) {
    (self.all, self.version) = (all, version)
    positions = Dictionary(
      zip(all.map(\.id), all.indices), uniquingKeysWith: { first, _ in first })
  }

  var count: Int { all.count }
  func id(at position: Int) -> String { all[position].id }
  func name(at position: Int) -> String { all[position].name }
  func position(of id: String) -> Int? { positions[id] }
}

/// What a pane beside the queue lists, the cursor on it, and marks.
struct PaneList<Row: PaneRow>: Sendable {
  private(set) var listing = Listing<Row>.unknown
  private(set) var rows = PaneRows<Row>()
  var list = MarkedList<String>()

  /// A row as it is seen.
  func row(_ index: Int) -> Row? { list.position(of: index, in: rows).map { rows.all[$0] } }

  var selected: Row? { row(list.cursor) }

  /// What an action applies to: the marked rows, else the one under the cursor.
  var subjects: [Row] { list.subjects(in: rows).map { rows.all[$0] } }

  /// Says that the answer is awaited, unless there is one that can be shown meanwhile.
  mutating func ask() {
    if rows.count == 0 { listing = .asked }
  }

  /// Takes the answer. Cursor and marks stay with their rows.
  mutating func take(_ listing: Listing<Row>, height: Int) {
    let next = PaneRows(listing.rows, version: rows.version + 1)
    let place = list.place(in: rows) { next.position(of: $0) == nil }
    (self.listing, rows) = (listing, next)
    list.forgetAllBut(rows)
    list.settle(on: place, in: rows, height: height)
  }
}

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

/// A file that was sent, or was not, in this session or one before.
public struct HistoryRow: PaneRow {
  /// What tells it from all other rows.
  public var id: String
  /// The name that the server was told.
  public var name: String
  /// The name of the target.
  public var target: String
  /// The file's size in bytes.
  public var size: Int64
  /// When it came to its end: "2026-11-20 22:15".
  public var time: String
  /// How an attempt came to its end.
  public enum End: Hashable, Sendable {
    /// The server has taken the file.
    case sent
    /// It failed.
    case failed
    /// It did neither: it is under way, or was stopped and begins anew.
    case open
  }

  /// How it ended.
  public var end: End
  /// How it ended, in a few words: "201 Created", "file is missing".
  public var outcome: String
  /// Why it failed, in a sentence or two; empty where nothing is to be said.
  public var message: String
  /// Where it can be found, if the server said so.
  public var url: String?
  /// The file's path.
  public var path: String
  /// What the server answered.
  public var reply: Reply

  /// A file that came to its end.
  public init(
    id: String, name: String, target: String, size: Int64, time: String, end: End,
    outcome: String, message: String = "", url: String? = nil, path: String, reply: Reply = Reply()
  ) {
    self.id = id
    self.name = name
    self.target = target
    self.size = size
    self.time = time
    self.end = end
    self.outcome = outcome
    self.message = message
    self.url = url
    self.path = path
    self.reply = reply
  }
}

extension HistoryRow.End {
  /// How it looks.
  var role: Role {
    switch self {
    case .sent: .good
    case .failed: .bad
    case .open: .dim
    }
  }
}
