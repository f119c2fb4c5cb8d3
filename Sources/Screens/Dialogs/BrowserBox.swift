import UploadModel

/// The list to add files from.
struct BrowserBox {
  let browser: Browser
  let size: Size

  /// How many entries are visible at once.
  static func lines(in size: Size) -> Int { max(1, size.height - 5) }

  /// The line of the first entry, and the columns of the box.
  static func place(in size: Size) -> (top: Int, columns: Range<Int>) {
    let width = size.width < 60 ? size.width : min(100, size.width - 4)
    let left = (size.width - width) / 2
    return (2, left..<left + width)
  }

  func paint(on canvas: inout Canvas) {
    let (top, columns) = Self.place(in: size)
    let visible = Self.lines(in: size)
    canvas.box(
      row: top - 1, column: columns.lowerBound,
      size: Size(width: columns.count, height: visible + 2), title: title(columns.count - 6))
    if let words {
      canvas.put(
        words, row: top, column: columns.lowerBound + 4, width: columns.count - 6,
        style: Style(browser.folder?.failure == nil ? .dim : .warning))
    }
    let entries = browser.entries
    let first = ListState.firstRow(
      scroll: browser.list.scroll, cursor: browser.list.cursor, count: entries.count,
      height: visible)
    for (row, index) in zip(top..<top + visible, first..<max(first, entries.count)) {
      paint(entries[index], isLit: index == browser.list.cursor, row: row, columns, on: &canvas)
    }
    paintLastLine(row: top + visible, columns, on: &canvas)
  }

  private func title(_ width: Int) -> String {
    guard let folder = browser.folder else { return "Add files" }
    return TextFitting.middle(folder.name, to: max(5, width), ascii: false)
  }

  private var words: String? {
    guard let folder = browser.folder else { return "reading…" }
    if let failure = folder.failure { return failure }
    guard browser.entries.isEmpty else { return nil }
    return folder.entries.isEmpty ? "nothing is in here" : "nothing else is to be seen"
  }

  private func paint(
    _ entry: Folder.Entry, isLit: Bool, row: Int, _ columns: Range<Int>, on canvas: inout Canvas
  ) {
    let inner = columns.lowerBound + 1..<columns.upperBound - 1
    let style = canvas.light(
      row: row, columns: inner, isLit: isLit, role: entry.isFolder ? .accent : .plain)
    if browser.marks[entry.path] != nil {
      canvas.put("*", row: row, column: inner.lowerBound + 1, style: style)
    }
    var end = inner.upperBound - 1
    if inner.count >= 70 {
      canvas.putRight(entry.time, row: row, end: end, width: 16, style: style)
      end -= 18
    }
    let words = entry.isFolder || !entry.isSendable ? "" : HumanReadable.bytes(entry.size)
    canvas.putRight(words, row: row, end: end, width: 8, style: style)
    end -= 9
    if !entry.kind.isEmpty {
      canvas.putRight(entry.kind, row: row, end: end, width: 8, style: style)
      end -= 9
    }
    canvas.putMiddle(
      entry.isFolder ? entry.name + "/" : entry.name, row: row,
      columns: inner.lowerBound + 3..<max(inner.lowerBound + 3, end), style: style)
  }

  private func paintLastLine(row: Int, _ columns: Range<Int>, on canvas: inout Canvas) {
    let inner = columns.lowerBound + 2..<columns.upperBound - 2
    if let prompt = browser.prompt {
      canvas.put("/", row: row, column: inner.lowerBound, style: Style(.accent))
      canvas.field(
        prompt, row: row,
        columns: inner.lowerBound + 1..<min(inner.upperBound, inner.lowerBound + 31))
      return
    }
    var facts: [String] = []
    if !browser.marks.isEmpty {
      let unseen = browser.unseenMarks
      let words = unseen > 0 ? ", \(unseen) out of sight" : ""
      facts.append(
        "\(browser.marks.count) marked, \(HumanReadable.bytes(browser.markedBytes))\(words)")
    }
    if !browser.filter.isEmpty { facts.append("with \"\(browser.filter)\"") }
    if browser.order != .name { facts.append(browser.order.words) }
    if browser.showsHidden { facts.append("hidden shown") }
    if browser.entries.count > Self.lines(in: size) {
      facts.append("\(browser.list.cursor + 1) of \(browser.entries.count)")
    }
    guard !facts.isEmpty else { return }
    canvas.putRight(
      " \(facts.joined(separator: " · ")) ", row: row, end: inner.upperBound, width: inner.count,
      style: Style(.dim))
  }
}
