extension AppState {
  /// Which file to preview: the one under the cursor in the list of files, or else the one that the pane beside the
  /// queue describes; nil if there is no room for a preview.
  var previewRequest: FilePreview.Request? {
    guard !layout.isTooSmall else { return nil }
    let (path, box): ([UInt8]?, Layout.Box?) =
      if case .browser(let browser) = dialogs.first {
        (browser.selected.flatMap { $0.isSendable ? $0.path : nil }, BrowserBox.preview(in: size))
      } else {
        (pane == .queue ? selected?.location.bytes : nil, layout.side)
      }
    guard let path, let box else { return nil }
    let room = Size(width: box.innerColumns.count - 2, height: box.innerRows.count - 2)
    return FilePreview.Request(path: path, room: room)
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
  /// Paints as much of a file's preview as fits. The role of its description is a heading if there is text above it,
  /// dim if it stands alone.
  mutating func put(
    _ preview: FilePreview, as role: Role = .dim, rows: Range<Int>, columns: Range<Int>
  ) {
    guard !rows.isEmpty, !columns.isEmpty else { return }
    put(preview.words, row: rows.lowerBound, columns: columns, style: Style(role))
    var rest = rows.dropFirst(2)
    for line in preview.lines {
      guard let row = rest.popFirst() else { return }
      let text = rest.isEmpty && preview.isCut ? "…" : line
      put(text, row: row, columns: columns, style: Style(.plain))
    }
    if preview.isCut, let row = rest.popFirst() {
      put("…", row: row, column: columns.lowerBound, style: Style(.dim))
    }
  }
}
