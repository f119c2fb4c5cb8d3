/// The list of a pane other than the queue, with its cursor and marks.
struct PaneList<Row: PaneRow>: Sendable {
  private(set) var listing = Listing<Row>.asked
  private(set) var rows = PaneRows<Row>()
  var list = MarkedList<String>()
  /// The answer as it arrived, if the rows shown are derived from it.
  var all = Listing<Row>.asked

  /// The visible row with this number.
  func row(_ index: Int) -> Row? { list.position(of: index, in: rows).map { rows.all[$0] } }

  var selected: Row? { row(list.cursor) }

  /// The rows that an action applies to: the marked ones, or else the one under the cursor.
  var subjects: [Row] { list.subjects(in: rows).map { rows.all[$0] } }

  /// Notes that the list has been requested, unless an old one can be shown meanwhile.
  mutating func ask() { if rows.count == 0 { listing = .asked } }

  /// Shows the answer. Cursor and marks stay with their rows.
  mutating func update(with listing: Listing<Row>, height: Int) {
    let next = PaneRows(listing.rows, version: rows.version + 1)
    let place = list.place(in: rows) { next.position(of: $0) == nil }
    (self.listing, rows) = (listing, next)
    list.unmark(list.marks.filter { next.position(of: $0) == nil })
    list.settle(on: place, in: rows, height: height)
  }
}
