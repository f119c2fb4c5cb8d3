/// The rows of a pane beside the queue.
struct PaneRows<Row: PaneRow>: ListRows, Sendable {
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
