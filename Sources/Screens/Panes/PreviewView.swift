/// What a glance into a file shows, under a list or beside it.
struct PreviewView {
  let preview: FilePreview
  /// How what it is is shown: as a heading under other text, quietly alone.
  var role = Role.dim

  /// Paints as much as there is room for.
  func paint(rows: Range<Int>, columns: Range<Int>, on canvas: inout Canvas) {
    guard !rows.isEmpty, !columns.isEmpty else { return }
    canvas.put(
      preview.words, row: rows.lowerBound, column: columns.lowerBound, width: columns.count,
      style: Style(role))
    var rest = rows.dropFirst(2)
    if let picture = preview.picture {
      canvas.put(picture, rows: rest, columns: columns)
      return
    }
    for line in preview.lines {
      guard let row = rest.popFirst() else { return }
      canvas.put(
        rest.isEmpty && preview.isCut ? "…" : line, row: row, column: columns.lowerBound,
        width: columns.count, style: Style(.plain))
    }
    if preview.isCut, let row = rest.popFirst() {
      canvas.put("…", row: row, column: columns.lowerBound, style: Style(.dim))
    }
  }
}

extension AppState {
  /// What there is to look at: what the cursor is on in the list of files, or else what the pane beside the queue is
  /// about; nil if there is no room to show it.
  var previewRequest: FilePreview.Request? {
    guard !layout.isTooSmall else { return nil }
    let shown: (path: [UInt8], box: Layout.Box)?
    if case .browser(let browser) = dialogs.first {
      let entry = browser.selected.flatMap { $0.isSendable ? $0.path : nil }
      shown = entry.flatMap { path in BrowserBox.preview(in: size).map { (path, $0) } }
    } else {
      let path = pane == .queue ? selected?.location.bytes : nil
      shown = path.flatMap { path in layout.side.map { (path, $0) } }
    }
    guard let shown else { return nil }
    let room = Size(
      width: shown.box.innerColumns.count - 2, height: shown.box.innerRows.count - 2)
    return FilePreview.Request(
      path: shown.path, room: room, showsPictures: options.showsPictures && !isASCII)
  }

  /// Asks for a look at what the cursor is on now, if it was not asked for before.
  mutating func look() -> [Effect] {
    let request = previewRequest
    guard request != previewed.request else { return [] }
    previewed = (request, nil)
    return [.look(request)]
  }
}

extension Canvas {
  /// Paints a picture as half blocks, of which each shows two of its points.
  mutating func put(_ picture: FilePreview.Picture, rows: Range<Int>, columns: Range<Int>) {
    for (line, row) in rows.prefix((picture.height + 1) / 2).enumerated() {
      for (x, column) in columns.prefix(picture.width).enumerated() {
        guard let upper = picture.color(x, 2 * line) else { continue }
        put(
          Frame.Pixels(upper: upper, lower: picture.color(x, 2 * line + 1)), row: row,
          column: column)
      }
    }
  }
}
