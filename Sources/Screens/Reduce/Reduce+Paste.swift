extension AppState {
  /// Handles text that was pasted, or dragged into the terminal: paths to add, unless a dialog asks for other text.
  mutating func paste(_ text: String) -> [Effect] {
    message = nil
    let line = text.filter { !$0.isNewline }
    switch dialog {
    case .browser(let browser) where browser.prompt != nil: return type(line)
    case .none where isSetup: return performInSetup(.add)
    case .none, .browser:
      if let paths = PastedPaths.parse(text) { return [.add(paths)] }
      // Not every line is plainly a path, so let the user see and correct the first that is not.
      let (paths, odd) = PastedPaths.parts(of: text)
      if let first = odd.first { open(.prompt(LinePrompt(first))) }
      if odd.count > 1 { message = "\(odd.count) lines are not paths; the prompt shows the first" }
      return paths.isEmpty ? [] : [.add(paths)]
    case .prompt(let prompt):
      guard prompt.field.text.isEmpty, let paths = PastedPaths.parse(text) else {
        return type(line)
      }
      // A single path is shown, so that it can be corrected.
      if paths.count == 1, case .exact(let path) = paths[0] { return type(path) }
      if paths.count == 1, case .typed = paths[0] { return type(line) }
      // Several paths, or one that cannot be typed, are added without being shown.
      dialog = nil
      return [.add(paths)]
    case .limit, .command, .find, .form, .menu: return type(line)
    case .details, .page, .help, .failures, .question: return []
    }
  }
}
