import ScalarText
import UploadModel

/// A box above the command line with what can be typed next: commands with their keys, or a command's arguments.
struct CommandPalette {
  private let title: String
  private let lines: [ArgumentChoice]
  private let matcher: Matcher
  private let chosen: Int?
  /// How many there are; the first of many are lines.
  private let count: Int
  /// The key that goes into the list; empty if it goes to another line.
  private let key: String
  /// Whether what is behind the box keeps its colours, since they are what is chosen.
  private let showsColors: Bool

  /// `nil` if there is nothing in particular to offer.
  init?(_ prompt: CommandPrompt, in state: AppState) {
    let line = prompt.line
    // The list stays as it is while the user steps through it.
    let text = line.chosen == nil ? line.field.head : line.typed
    let (before, word) = CommandLine.lastWord(of: text)
    matcher = Matcher(PastedPaths.unescaped(word))
    guard let offered = state.choices(for: word, after: before) else { return nil }
    (lines, count) = offered
    // What is chosen may have gone from the list, or moved in it, when the queue changed.
    let candidate = line.chosen.map { line.candidates[$0] }
    let words = offered.first.map { before + $0.word }
    chosen = candidate.flatMap { candidate in
      line.chosen.flatMap { words.indices.contains($0) && words[$0] == candidate ? $0 : nil }
        ?? words.firstIndex(of: candidate)
    }
    key = prompt.earlier == nil ? state.keyLabel(.later, in: .command) : ""
    let command = CommandLine(before)
    let action = command?.actionOfArgument
    showsColors = action?.name == .theme
    let name = command?.isResume == true ? "resume" : action?.name.word
    title = name.map { "\($0) \(action?.argument ?? "")" } ?? "Commands"
    if lines.isEmpty, action?.name.takesAnything == true { return nil }
  }

  func paint(on canvas: inout Canvas) {
    let (width, bottom) = (canvas.size.width, canvas.size.height - 2)
    let height = max(1, min(lines.count, 16, bottom - 4))
    let top = bottom - height
    let cursor = canvas.frame.cursor
    canvas.box(
      row: top - 1, columns: 0..<width, height: height + 2, title: title, isDimming: !showsColors)
    if let cursor { canvas.setCursor(row: cursor.row, column: cursor.column) }
    let more = count > height ? "\(HumanReadable.grouped(count - height)) more" : ""
    let hint = key.isEmpty || chosen != nil || lines.isEmpty ? "" : "\(key) chooses"
    let foot = [more, hint].filter { !$0.isEmpty }.joined(separator: " · ")
    if !foot.isEmpty {
      canvas.putRight(" \(foot) ", row: bottom, columns: 12..<width - 2, style: Style(.dim))
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
