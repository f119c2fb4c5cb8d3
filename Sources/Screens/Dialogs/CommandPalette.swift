import ScalarText

/// The commands that match a word on the command line, with their keys, above the last lines.
struct CommandPalette {
  private let actions: [Action]
  private let chosen: Int?

  /// `nil` once the line has a complete command.
  init?(_ line: LinePrompt) {
    guard !line.field.text.contains(scalars: " ") else { return nil }
    chosen = line.chosen
    // The list stays while the user goes through it.
    actions =
      line.chosen == nil
      ? CommandLine.matching(line.field.text)
      : line.candidates.compactMap { CommandLine($0)?.action }
  }

  func paint(keymap: Keymap, on canvas: inout Canvas) {
    let (width, bottom) = (canvas.size.width, canvas.size.height - 2)
    let height = max(1, min(actions.count, 16, bottom - 4))
    let top = bottom - height
    let cursor = canvas.frame.cursor
    canvas.box(
      row: top - 1, column: 0, size: Size(width: width, height: height + 2), title: "Commands")
    if let cursor { canvas.setCursor(row: cursor.row, column: cursor.column) }
    if actions.count > height {
      canvas.putRight(
        " \(actions.count - height) more: Tab ", row: bottom, end: width - 2, width: width - 14,
        style: Style(.dim))
    }
    guard !actions.isEmpty else {
      canvas.put("no command matches", row: top, column: 3, style: Style(.warning))
      return
    }
    let first = ListState.firstRow(
      scroll: 0, cursor: chosen ?? 0, count: actions.count, height: height)
    let keys = min(24, width / 2)
    for (row, index) in zip(top..<bottom, first..<actions.count) {
      let (action, isLit) = (actions[index], index == chosen)
      func style(_ role: Role) -> Style { Style(isLit ? .button : role) }
      _ = canvas.light(row: row, columns: 1..<width - 1, isLit: isLit)
      let words = [action.name.word, action.argument ?? ""].filter { !$0.isEmpty }
      canvas.put(
        words.joined(separator: " "), row: row, column: 3, width: keys - 4, style: style(.accent))
      let labels = keymap.keys(for: action).map { $0.label(ascii: canvas.ascii) }
      canvas.put(
        labels.joined(separator: " "), row: row, column: keys, width: 8, style: style(.dim))
      canvas.put(
        action.help, row: row, column: keys + 9, width: width - keys - 10, style: style(.plain))
    }
  }
}
