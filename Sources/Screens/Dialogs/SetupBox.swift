/// The questions for a new target.
struct SetupBox {
  let form: SetupForm
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let width = min(76, size.width - 2)
    let introduction =
      size.height < 20
      ? []
      : TextFitting.wrapped(
        Glyphs.of(
          "A target is a URL that takes files as a web form does. Name one, and hoist tries it and "
            + "writes it down."
            + (form.isFirst ? " Without one at hand, hoist demo shows everything at work." : ""),
          ascii: canvas.ascii), to: width - 4)
    let gap = introduction.isEmpty ? 0 : introduction.count + 1
    let height = gap + SetupForm.Field.allCases.count + 3
    let (left, top) = ((size.width - width) / 2, max(1, (size.height - height) / 2 - 1))
    canvas.box(
      row: top, column: left, size: Size(width: width, height: height),
      title: "Where shall files go?")
    for (index, line) in introduction.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.dim))
    }
    for field in SetupForm.Field.allCases where field != form.focus {
      paint(field, row: top + 1 + gap + field.rawValue, left: left, width: width, on: &canvas)
    }
    paint(
      form.focus, row: top + 1 + gap + form.focus.rawValue, left: left, width: width, on: &canvas)
    let words =
      form.isTrying ? "trying it…" : form.complaint ?? form.focus.explanation
    canvas.put(
      words, row: top + height - 2, column: left + 2, width: width - 4,
      style: Style(form.complaint == nil || form.isTrying ? .dim : .warning))
  }

  private func paint(
    _ field: SetupForm.Field, row: Int, left: Int, width: Int, on canvas: inout Canvas
  ) {
    let hasFocus = field == form.focus
    canvas.put(
      field.label, row: row, column: left + 2, style: Style(hasFocus ? .accent : .dim))
    let columns = left + 13..<left + width - 2
    if hasFocus {
      canvas.field(form[field], row: row, columns: columns)
    } else {
      canvas.put(
        form[field].text, row: row, column: columns.lowerBound, width: columns.count,
        style: Style(.plain))
    }
  }
}
