/// The help overlay, made from the table of actions.
enum HelpText {
  static func lines(isASCII: Bool) -> [TextLine] {
    let sections: [(Mode, String)] = [
      (.queue, "The queue"), (.prompt, "The prompt for a path"), (.details, "Details"),
      (.help, "Help"), (.quitting, "Leaving while files are being sent"),
      (.removing, "Removing what is being sent"),
    ]
    var lines: [TextLine] = []
    for (mode, title) in sections {
      // An action that works in several places is explained in the first of them.
      let actions = Action.inMode(mode).filter { $0.modes.first == mode }
      if actions.isEmpty { continue }
      if !lines.isEmpty { lines.append(TextLine()) }
      lines.append(TextLine(title, .heading))
      lines += actions.map { line($0, isASCII: isASCII) }
    }
    return lines
  }

  private static func line(_ action: Action, isASCII: Bool) -> TextLine {
    let keys = action.keys.prefix(4).map { $0.label(ascii: isASCII) }.joined(separator: " ")
    let padding = String(repeating: " ", count: max(1, 14 - keys.count))
    var line = TextLine(keys + padding, .accent, ascii: isASCII)
    line.runs.append((Glyphs.of(action.help, ascii: isASCII)[...], .plain))
    return line
  }
}
