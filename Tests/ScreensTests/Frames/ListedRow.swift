@testable import Scheduling
@testable import Screens
@testable import UploadModel

/// A visible row of a list: its line, its columns, and the whole texts that they are for.
struct ListedRow {
  var line: Int
  /// Its number in the list.
  var index: Int
  /// The columns of the screen that its texts may take, from the left.
  var places: [Range<Int>]
  var texts: [(place: Range<Int>, whole: String)] = []
  /// The row of the queue, and the place of the words for its state.
  var queued: (row: ItemList.Row, words: Range<Int>)?

  /// The visible rows of the pane, and the columns of its headings.
  static func all(_ state: AppState, _ layout: Layout) -> (rows: [ListedRow], heads: [Range<Int>]) {
    let width = layout.list.count
    return switch state.pane {
    case .queue: queue(state, layout)
    case .server: rows(ListPane(server: state, layout: layout, width: width))
    case .history: rows(ListPane(history: state, layout: layout, width: width))
    case .targets: rows(ListPane(targets: state, layout: layout, width: width))
    case .log: rows(ListPane(log: state, layout: layout, width: width))
    }
  }

  private static func rows<Row>(_ pane: ListPane<Row>) -> (rows: [ListedRow], heads: [Range<Int>]) {
    let start = pane.layout.list.lowerBound
    func onScreen(_ place: Range<Int>) -> Range<Int> {
      start + place.lowerBound..<start + place.upperBound
    }
    let heads = pane.columns.map { onScreen($0.place) }.filter { !$0.isEmpty }
      .sorted { $0.lowerBound < $1.lowerBound }
    guard pane.message == nil else { return ([], heads) }
    let rows = visible(pane.list, in: pane.layout).compactMap { line, index -> ListedRow? in
      guard let row = pane.row(index) else { return nil }
      let texts = pane.columns.filter { !$0.place.isEmpty }.map {
        (place: onScreen($0.place), whole: $0.text(row))
      }
      return ListedRow(line: line, index: index, places: heads, texts: texts)
    }
    return (rows, heads)
  }

  private static func queue(_ state: AppState, _ layout: Layout) -> (
    rows: [ListedRow], heads: [Range<Int>]
  ) {
    let columns = state.columns(in: layout)
    let sign = layout.list.lowerBound + Columns.sign
    let first = [sign..<sign + 1, columns.name, columns.target, columns.type, columns.size]
      .filter { !$0.isEmpty }
    let lines = state.queueLines(layout)
    let rows = zip(layout.rows, lines.indices).compactMap { line, place -> ListedRow? in
      let index = lines[place]
      // The second line of a reason has no other texts.
      if place > 0, lines[place - 1] == index { return nil }
      guard let row = state.row(index) else { return nil }
      let item = row.item
      // A row without progress has words in its place.
      let hasProgress =
        item.state.isMoving || item.state.isHandedOver || item.state == .paused && item.canGoOn
      let words = columns.words
      let rest =
        hasProgress
        ? [columns.bar, columns.percent, columns.state].filter { !$0.isEmpty } : [words]
      let places = first + rest
      var listed = ListedRow(line: line, index: index, places: places)
      listed.texts = [(columns.name, item.fileName)]
      if state.queue.hasSeveralTargets, !columns.target.isEmpty {
        listed.texts.append((columns.target, item.target))
      }
      // A reason in two lines is not cut.
      let hasSecond = lines.indices.contains(place + 1) && lines[place + 1] == index
      if !hasSecond { listed.queued = (row, hasProgress ? columns.state : words) }
      return listed
    }
    let heads = [columns.bar.isEmpty ? columns.percent : columns.bar, columns.state]
    return (rows, first + heads)
  }

  private static func visible(_ list: ListSummary, in layout: Layout) -> [(line: Int, index: Int)] {
    zip(layout.rows, list.window.visible(of: list.count, height: layout.rows.count))
      .map { (line: $0, index: $1) }
  }
}
