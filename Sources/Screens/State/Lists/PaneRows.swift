/// The rows of a pane beside the queue.
struct PaneRows<Row: PaneRow>: ListRows, Sendable {
  let all: [Row]
  let version: Int
  private let positions: [String: Int]

  init(_ all: [Row] = [], version: Int = 0) {
    (self.all, self.version) = (all, version)
    // Reserve room for all of them, since a list can be long.
    var positions: [String: Int] = Dictionary(minimumCapacity: all.count)
    for (index, row) in all.enumerated() where positions[row.id] == nil {
      positions[row.id] = index
    }
    self.positions = positions
  }

  var count: Int { all.count }
  func id(at position: Int) -> String { all[position].id }
  func name(at position: Int) -> String { all[position].name }
  func position(of id: String) -> Int? { positions[id] }
}
