extension AppState {
  /// Handles text that was pasted, or dragged into the terminal: paths, unless a dialog asks for something else.
  mutating func paste(_ text: String) -> [Effect] {
    message = nil
    let line = text.filter { !$0.isNewline }
    switch dialog {
    case .browser(let browser) where browser.prompt != nil: return type(line)
    case .none, .browser:
      if let paths = PastedPaths.parse(text) { return [.add(paths)] }
      // These are not plainly paths, so let the user see and correct them.
      let (paths, odd) = PastedPaths.parts(of: text)
      if let first = odd.first { open(.prompt(LinePrompt(first))) }
      if odd.count > 1 {
        message = "\(odd.count) lines are not paths; this is the first of them"
      }
      return paths.isEmpty ? [] : [.add(paths)]
    case .prompt(let prompt):
      let paths = PastedPaths.parse(text) ?? []
      if prompt.field.text.isEmpty, let first = paths.first {
        switch first {
        // A single path is shown, so that it can be corrected.
        case .exact(let path) where paths.count == 1: return type(path)
        case .typed where paths.count == 1: break
        // Several paths, or one that cannot be typed, are added without a look.
        case .exact, .typed, .bytes:
          dialog = nil
          return [.add(paths)]
        }
      }
      return type(line)
    case .limit, .command, .find, .form: return type(line)
    case .menu(let menu) where menu.isFiltered: return type(line)
    case .details, .page, .help, .menu, .question: return []
    }
  }
}
