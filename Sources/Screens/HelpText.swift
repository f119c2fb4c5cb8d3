/// The help overlay, made from the table of actions.
enum HelpText {
  static func lines(width: Int, isASCII: Bool) -> [TextLine] {
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
      lines += actions.flatMap { explain($0, width: width, isASCII: isASCII) }
    }
    return lines
  }

  private static let keysWidth = 14

  private static func explain(_ action: Action, width: Int, isASCII: Bool) -> [TextLine] {
    let keys = action.keys.prefix(4).map { $0.label(ascii: isASCII) }.joined(separator: " ")
    let help = Glyphs.of(action.help, ascii: isASCII)
    return Cutting.wrapped(help, to: width - keysWidth).enumerated().map { index, piece in
      let label = index == 0 ? keys : ""
      let padding = String(repeating: " ", count: max(1, keysWidth - label.count))
      var line = TextLine(label + padding, .accent, ascii: isASCII)
      line.runs.append((piece, .plain))
      return line
    }
  }
}
