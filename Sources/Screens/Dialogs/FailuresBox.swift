import UploadModel

/// The failures by reason: a line for each reason, with the number of its files.
struct FailuresBox {
  let failures: FailureList
  let state: AppState
  let size: Size

  /// How many reasons are visible at once.
  static func lines(_ count: Int, in size: Size) -> Int { max(1, min(count, size.height - 6)) }

  func paint(on canvas: inout Canvas) {
    let groups = failures.groups(of: state.queue)
    let files = groups.reduce(0) { $0 + $1.members.count }
    let visible = Self.lines(groups.count, in: size)
    let digits = HumanReadable.grouped(groups.map(\.members.count).max() ?? 0).count
    let texts = groups.map { group in
      let count = HumanReadable.grouped(group.members.count)
      return String(repeating: " ", count: digits - count.count) + "\(count)  \(group.reason.words)"
    }
    let widest = texts.reduce(0) { max($0, Glyphs.width(Glyphs.of($1, ascii: canvas.ascii))) }
    let columns = size.columns(of: max(60, widest + 6))
    let top = max(1, (size.height - visible - 2) / 2)
    canvas.box(
      row: top, columns: columns, height: visible + 2,
      title: "\(HumanReadable.count(files, "problem")), "
        + HumanReadable.count(groups.count, "reason"))
    let inner = columns.dropFirst(2).dropLast(2)
    let rows = failures.list.visible(of: groups.count, height: visible)
    for (row, index) in zip(top + 1..<top + 1 + visible, rows) {
      let isLit = index == failures.list.cursor
      let style = canvas.light(row: row, columns: inner, isLit: isLit)
      canvas.putEnd(
        texts[index], row: row, columns: inner.dropFirst(2), style: style, lighting: nil)
    }
  }
}
