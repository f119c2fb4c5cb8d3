/// How items shall be sent, being edited.
struct FormBox {
  let form: EditForm
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let width = min(84, size.width - 2)
    let height = form.rows.count + 3
    let (left, top) = ((size.width - width) / 2, max(1, (size.height - height) / 2 - 1))
    let name =
      form.ids.count == 1
      ? form.ids.first.flatMap { state.queue.row($0)?.item.fileName } ?? ""
      : "\(form.ids.count) files"
    canvas.box(
      row: top, column: left, size: Size(width: width, height: height), title: "Edit \(name)")
    for (index, row) in form.rows.enumerated() {
      let line = top + 1 + index
      let hasFocus = index == form.focus
      canvas.put(
        row.field.label, row: line, column: left + 2,
        style: Style(hasFocus ? .accent : .dim))
      let columns = left + 13..<left + width - 2
      if hasFocus {
        canvas.field(row.text, row: line, columns: columns)
      } else {
        let text = row.isMixed && row.text.text.isEmpty ? "(several)" : row.text.text
        canvas.putMiddle(
          text, row: line, columns: columns,
          style: Style(row.isMixed && row.text.text.isEmpty ? .dim : .plain))
      }
    }
    let field = form.rows[form.focus].field
    let names = field == .target ? ": " + state.options.targets.joined(separator: ", ") : ""
    let words = form.complaint ?? field.explanation + names
    canvas.put(
      words, row: top + 1 + form.rows.count, column: left + 2, width: width - 4,
      style: Style(form.complaint == nil ? .dim : .warning))
  }
}
