/// The prompt in the last line: for a command, or for a text to search for.
struct FooterPrompt {
  let state: AppState
  let row: Int

  /// Paints the prompt, if there is one; returns whether there is one.
  func paint(on canvas: inout Canvas) -> Bool {
    switch state.dialog {
    case .command(let prompt):
      paint(":", prompt.line.field, on: &canvas)
      if CommandPalette(prompt.line, in: state) == nil {
        paintCandidates(of: prompt.line, on: &canvas)
      }
    case .find(let prompt): paint(prompt.isFilter ? "filter " : "/", prompt.field, on: &canvas)
    default: return false
    }
    return true
  }

  private func paint(_ label: String, _ field: TextField, on canvas: inout Canvas) {
    let width = canvas.size.width
    canvas.fill(row: row, columns: 0..<width, style: Style(.plain))
    canvas.put(label, row: row, column: 1, style: Style(.accent))
    canvas.field(field, row: row, columns: 1 + label.count..<width - 1, role: .plain)
  }

  /// Paints the candidates for the last word of the command line in the line above it.
  private func paintCandidates(of line: LinePrompt, on canvas: inout Canvas) {
    let above = row - 1
    guard !line.candidates.isEmpty || line.hasNoMatch else { return }
    canvas.fill(row: above, columns: 0..<canvas.size.width, style: Style(.plain))
    guard !line.hasNoMatch else {
      canvas.put("nothing starts with this", row: above, column: 1, style: Style(.warning))
      return
    }
    // As many candidates as fit, from the chosen one on. Cycling comes back to the earlier ones.
    var column = 1
    for index in (line.chosen ?? 0)..<line.candidates.count where column < canvas.size.width - 1 {
      let word = PastedPaths.unescaped(CommandLine.lastWord(of: line.candidates[index]).word)
      let role: Role = index == line.chosen ? .button : .dim
      let used = canvas.put(
        word, row: above, column: column, width: canvas.size.width - column - 1, style: Style(role))
      column += used + 2
    }
  }
}
