import UploadModel

/// The rows of a pane other than the queue.
struct PaneRows<Row: PaneRow>: ListRows, Sendable {
  let all: [Row]
  let version: Int
  private let positions: [String: Int]

  init(_ all: [Row] = [], version: Int = 0) {
    (self.all, self.version) = (all, version)
    positions = Dictionary(zip(all.lazy.map(\.id), all.indices)) { first, _ in first }
  }

  var count: Int { all.count }
  func id(at position: Int) -> String { all[position].id }
  func name(at position: Int) -> String { all[position].name }
  func target(at position: Int) -> String { all[position].target }
  func position(of id: String) -> Int? { positions[id] }
  func `is`(_ kind: RowKind, at position: Int) -> Bool { all[position].is(kind) }
}

/// The rows of a list: each has an identity, and a name to search for.
protocol ListRows<ID> {
  associatedtype ID: Hashable & Sendable

  var count: Int { get }
  /// Changes whenever rows are added, removed, replaced or moved.
  var version: Int { get }
  func id(at position: Int) -> ID
  func name(at position: Int) -> String
  /// Where a file goes, if a filter is to look at that, too; else empty.
  func target(at position: Int) -> String
  func position(of id: ID) -> Int?
  /// Changes whenever the kind of a row changes.
  var kindsVersion: Int { get }
  func `is`(_ kind: RowKind, at position: Int) -> Bool
}

extension ListRows {
  var kindsVersion: Int { version }
}

/// A row of a pane other than the queue.
protocol PaneRow: Sendable, Hashable {
  var id: String { get }
  var name: String { get }
  /// Where a file went; empty for other rows.
  var target: String { get }
  func `is`(_ kind: RowKind) -> Bool
}

extension PaneRow {
  var target: String { "" }
  func `is`(_ kind: RowKind) -> Bool { false }
}

extension ServerEntry: PaneRow {}
