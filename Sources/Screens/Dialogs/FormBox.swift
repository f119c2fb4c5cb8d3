/// Text fields to fill in, under a few words about what they are for.
struct FormBox {
  let form: Form
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let width = min(form.mode == .form ? 84 : 76, size.width - 2)
    let lines = TextFitting.wrapped(Glyphs.of(introduction, ascii: canvas.ascii), to: width - 4)
    let gap = introduction.isEmpty ? 0 : lines.count + 1
    // On a small screen, the fields matter more than the preview of the new names.
    let names = min(form.newNames.count, max(0, size.height - gap - form.rows.count - 6))
    let height = gap + form.rows.count + (names > 0 ? names + 1 : 0) + 3
    let (left, top) = ((size.width - width) / 2, max(1, (size.height - height) / 2 - 1))
    canvas.box(row: top, column: left, size: Size(width: width, height: height), title: title)
    for (index, line) in lines.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.dim))
    }
    for (index, row) in form.rows.enumerated() {
      let line = top + 1 + gap + index
      let hasFocus = index == form.focus
      canvas.put(
        row.field.words.label, row: line, column: left + 2, style: Style(hasFocus ? .accent : .dim))
      let columns = left + 13..<left + width - 2
      if hasFocus {
        canvas.field(row.text, row: line, columns: columns)
      } else if row.isMixed, row.text.text.isEmpty {
        canvas.putMiddle("(several)", row: line, columns: columns, style: Style(.dim))
      } else if form.mode == .form {
        canvas.putMiddle(row.text.text, row: line, columns: columns, style: Style(.plain))
      } else {
        // The host of a URL matters more than its end.
        canvas.put(row.text.text, row: line, columns: columns, style: Style(.plain))
      }
    }
    for (index, name) in form.newNames.prefix(names).enumerated() {
      let line = top + 2 + gap + form.rows.count + index
      paint(name, row: line, columns: left + 2..<left + width - 2, on: &canvas)
    }
    let complaint = form.isTrying ? nil : form.complaint
    canvas.put(
      complaint ?? advice, row: top + height - 2, column: left + 2, width: width - 4,
      style: Style(complaint == nil ? .dim : .warning))
  }

  /// Paints the current name of a file and its new one.
  private func paint(_ name: Form.NewName, row: Int, columns: Range<Int>, on canvas: inout Canvas) {
    let half = (columns.count - 3) / 2
    let role: Role = name.isTwice ? .warning : name.new == name.old ? .dim : .plain
    let arrow = columns.lowerBound + half
    canvas.putMiddle(name.old, row: row, columns: columns.lowerBound..<arrow, style: Style(.dim))
    canvas.put("→", row: row, column: arrow + 1, width: 1, style: Style(.rule))
    canvas.putMiddle(
      name.new.isEmpty ? "(no name)" : name.new, row: row, columns: arrow + 3..<columns.upperBound,
      style: Style(name.new.isEmpty ? .warning : role))
  }

  private var title: String {
    switch form.subject {
    case .target: "Where should files go?"
    case .edited(let row): "Edit the target \(row.name)"
    case .items(let ids) where ids.count > 1: "Edit \(ids.count) files"
    case .items(let ids): "Edit \(ids.first.flatMap(state.item)?.fileName ?? "")"
    }
  }

  private var introduction: String {
    guard case .target(let isFirst) = form.subject, size.height >= 20 else { return "" }
    let demo = isFirst ? " If you do not have one, run hoist demo to see everything at work." : ""
    return "A target is a URL that takes files as a web form does. "
      + "Enter one, and hoist tests it and saves it.\(demo)"
  }

  private var advice: String {
    if form.isTrying { return "testing the target…" }
    let field = form.rows[form.focus].field
    let names = state.options.targets.map(\.name).joined(separator: ", ")
    return field.words.explanation + (field == .target ? ": \(names)" : "")
  }
}
