/// The help overlay, made from the table of actions.
enum HelpText {
  private static let sections: [(Mode, String)] = [
    (.queue, "The queue"), (.server, "Panes"), (.history, "History"),
    (.browser, "The list of files"),
    (.menu, "Choosing"), (.prompt, "Typing"), (.limit, "The bandwidth"),
    (.command, "The command line"), (.find, "Looking for a name"), (.form, "Editing"),
    (.details, "Details"), (.page, "Reading"), (.help, "Help"),
    (.pausing, "Pausing everything"), (.quitting, "Leaving while files are being sent"),
    (.removing, "Removing what is being sent"),
    (.deleting, "Deleting on the server"),
  ]

  static func lines(width: Int, keymap: Keymap, isASCII: Bool) -> [TextLine] {
    var lines: [TextLine] = []
    for (title, actions) in all {
      if !lines.isEmpty { lines.append(TextLine()) }
      lines.append(TextLine(title, .heading))
      lines += actions.flatMap { explain($0, keymap, width: width, isASCII: isASCII) }
    }
    return lines
  }

  /// The actions under headings; one that works in several places stands under the first.
  static let all: [(title: String, actions: [Action])] = sections.compactMap { mode, title in
    let actions = Action.inMode(mode).filter { action in
      sections.first { action.modes.contains($0.0) }?.0 == mode
    }
    return actions.isEmpty ? nil : (title, actions)
  }

  private static let keysWidth = 14

  private static func explain(
    _ action: Action, _ keymap: Keymap, width: Int, isASCII: Bool
  ) -> [TextLine] {
    var keys = keymap.keys(for: action).prefix(4).map { $0.label(ascii: isASCII) }
      .joined(separator: " ")
    if keys.isEmpty { keys = ":\(action.name.word)" }
    let help = Glyphs.of(action.help, ascii: isASCII)
    return TextFitting.wrapped(help, to: width - keysWidth).enumerated().map { index, piece in
      let label = index == 0 ? keys : ""
      let padding = String(repeating: " ", count: max(1, keysWidth - label.count))
      var line = TextLine(label + padding, .accent, ascii: isASCII)
      line.runs.append((piece, .plain))
      return line
    }
  }
}
