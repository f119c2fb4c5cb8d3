import ScalarText
import UploadModel

/// A box above the command line with what can be typed next: commands with their keys, or a command's arguments.
struct CommandPalette {
  private let title: String
  private let lines: [ArgumentChoice]
  private let matcher: Matcher
  private let chosen: Int?
  /// How many more lines there are if this many are shown.
  private let others: (Int) -> Int

  /// `nil` if there is nothing in particular to offer.
  init?(_ line: LinePrompt, in state: AppState) {
    let (before, word) = CommandLine.lastWord(of: line.field.text)
    chosen = line.chosen
    // The list stays as it is while the user steps through it.
    let typed = chosen == nil ? word : ""
    matcher = Matcher(PastedPaths.unescaped(typed))
    guard let offered = state.choices(for: typed, after: before) else { return nil }
    lines =
      chosen == nil
      ? offered
      : line.candidates.compactMap { candidate in offered.first { before + $0.word == candidate } }
    let all = lines
    others = { shown in state.others(than: shown, of: all, after: before) }
    let command = CommandLine(before)
    let action = command?.actionOfArgument
    let name = command?.isResume == true ? "resume" : action?.name.word
    title = name.map { "\($0) \(action?.argument ?? "")" } ?? "Commands"
    if lines.isEmpty, action?.name.takesAnything == true { return nil }
  }

  func paint(on canvas: inout Canvas) {
    let (width, bottom) = (canvas.size.width, canvas.size.height - 2)
    let height = max(1, min(lines.count, 16, bottom - 4))
    let top = bottom - height
    let cursor = canvas.frame.cursor
    canvas.box(row: top - 1, columns: 0..<width, height: height + 2, title: title)
    if let cursor { canvas.setCursor(row: cursor.row, column: cursor.column) }
    if lines.count > height {
      canvas.putRight(
        " \(HumanReadable.grouped(others(height))) more: Tab ", row: bottom,
        columns: 12..<width - 2,
        style: Style(.dim))
    }
    guard !lines.isEmpty else {
      let words = title == "Commands" ? "no command matches" : "nothing matches"
      canvas.put(words, row: top, column: 3, style: Style(.warning))
      return
    }
    var list = ListState()
    list.move(to: chosen ?? 0, of: lines.count, height: height)
    let keys = min(24, width / 2)
    let notes = lines.contains { !$0.keys.isEmpty } ? keys + 9 : keys
    for (row, index) in zip(top..<bottom, list.visible(of: lines.count, height: height)) {
      let (line, isLit) = (lines[index], index == chosen)
      func style(_ role: Role) -> Style { Style(isLit ? .button : role) }
      _ = canvas.light(row: row, columns: 1..<width - 1, isLit: isLit)
      canvas.putMiddle(
        line.word, row: row, columns: 3..<keys - 1, style: style(.accent), lighting: matcher)
      let used = 3 + Glyphs.width(Glyphs.of(line.word, ascii: canvas.ascii))
      canvas.put(
        line.argument, row: row, column: used, width: max(0, keys - 1 - used),
        style: style(.accent))
      canvas.put(line.keys, row: row, column: keys, width: 8, style: style(.dim))
      // Matches are highlighted in the note only if the name does not match.
      let isNamed = matcher.rank(line.word, isLoose: true) != nil
      canvas.putEnd(
        line.note, row: row, columns: notes..<width - 1, style: style(.plain),
        lighting: isNamed ? nil : matcher)
    }
  }
}
