/// Paints the preview of a file, under a list or beside it.
struct PreviewView {
  let preview: FilePreview
  /// The role of the description: a heading if there is text above it, dim if it stands alone.
  var role = Role.dim

  /// Paints as much as fits.
  func paint(rows: Range<Int>, columns: Range<Int>, on canvas: inout Canvas) {
    guard !rows.isEmpty, !columns.isEmpty else { return }
    canvas.put(preview.words, row: rows.lowerBound, columns: columns, style: Style(role))
    var rest = rows.dropFirst(2)
    if let picture = preview.picture {
      return canvas.put(picture, rows: rest, columns: columns)
    }
    for line in preview.lines {
      guard let row = rest.popFirst() else { return }
      let text = rest.isEmpty && preview.isCut ? "…" : line
      canvas.put(text, row: row, columns: columns, style: Style(.plain))
    }
    if preview.isCut, let row = rest.popFirst() {
      canvas.put("…", row: row, column: columns.lowerBound, style: Style(.dim))
    }
  }
}

extension AppState {
  /// Which file to preview: the one under the cursor in the list of files, or else the one that the pane beside the
  /// queue describes; nil if there is no room for a preview.
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
    let room = Size(width: shown.box.innerColumns.count - 2, height: shown.box.innerRows.count - 2)
    return FilePreview.Request(
      path: shown.path, room: room, showsPictures: options.showsPictures && !isASCII)
  }

  /// Requests a preview of the file under the cursor, unless that has been done.
  mutating func previewFile() -> [Effect] {
    let request = previewRequest
    guard request != previewed.request else { return [] }
    previewed = (request, nil)
    return [.previewFile(request)]
  }
}

extension Canvas {
  /// Paints a picture as half blocks, each of which shows two of its pixels.
  mutating func put(_ picture: FilePreview.Picture, rows: Range<Int>, columns: Range<Int>) {
    for (line, row) in rows.prefix((picture.height + 1) / 2).enumerated() {
      for (x, column) in columns.prefix(picture.width).enumerated() {
        guard let upper = picture.color(x, 2 * line) else { continue }
        let pixels = Frame.Pixels(upper: upper, lower: picture.color(x, 2 * line + 1))
        put(pixels, row: row, column: column)
      }
    }
  }
}
