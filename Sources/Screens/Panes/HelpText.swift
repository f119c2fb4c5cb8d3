/// The help overlay, made from the table of actions.
enum HelpText {
  private static let sections: [(Mode, String)] = [
    (.queue, "The queue"), (.server, "On the server"), (.history, "History"), (.targets, "Targets"),
    (.browser, "The list of files"), (.failures, "Failures by reason"),
    (.menu, "Choosing"), (.pick, "Choosing a target"),
    (.prompt, "Typing"), (.limit, "The bandwidth"), (.command, "The command line"),
    (.find, "Looking for a name"), (.form, "Editing"), (.setup, "Setting up a target"),
    (.details, "Details"), (.page, "Reading"), (.help, "Help"), (.pausing, "Pausing everything"),
    (.breakingOff, "Pausing files that are being sent"),
    (.quitting, "Leaving while files are being sent"),
    (.removing, "Removing files that are being sent"),
    (.deleting, "Deleting on the server"), (.deletingTarget, "Deleting a target"),
    (.keepingTarget, "Saving a target that does not respond"),
    (.addingAgain, "Adding files already queued or sent"),
    (.sendingAgain, "Sending files that may have arrived"),
    (.savingRule, "Making a rule from a reply"),
  ]

  /// The help in lines of `width` columns, set in two or three columns if they fit.
  static func lines(_ help: Help, of state: AppState, width: Int) -> [TextLine] {
    if !help.isWhole, help.filter.isEmpty, help.prompt == nil {
      return firstPage(help, of: state, width: width)
    }
    let keymap = state.keymap
    let columns = max(1, min(3, width / columnWidth))
    let one = (width - (columns - 1) * gap) / columns
    let matcher = Matcher(help.filter)
    let sections: [[TextLine]] = all(first: help.mode).compactMap { title, actions in
      let found = actions.filter { action in
        help.filter.isEmpty || matcher.matches(action.help) || matcher.matches(action.name.word)
          || keymap.keys(for: action).contains { matcher.matches($0.label(ascii: state.isASCII)) }
      }
      guard !found.isEmpty else { return nil }
      return [TextLine(title, .heading)]
        + found.flatMap { explain($0, of: state, width: one) }.map { $0.lighting(matcher) }
        + [TextLine()]
    }
    guard !sections.isEmpty else {
      return [TextLine("Nothing in the help contains that text.", .dim)]
    }
    return sideBySide(sections, in: columns, width: one)
  }

  private static let mostOnFirstPage = 10

  /// The most useful keys of the mode, and how to see the others.
  private static func firstPage(_ help: Help, of state: AppState, width: Int) -> [TextLine] {
    let actions = Action.inMode(help.mode)
      .filter { $0.hint != nil && ![.help, .quit, .close].contains($0.name) }
      .filter { $0.name != .failWhen || state.isOfUse(.failWhen, on: state.subjects) }
      .filter { state.queue.count > 0 || help.mode != .queue || state.isOfUse($0.name, on: []) }
      .enumerated().sorted { ($0.element.footer, $0.offset) < ($1.element.footer, $1.offset) }
      .prefix(mostOnFirstPage).map(\.element)
    let ways = Action.inMode(.help).filter { [.details, .find, .close].contains($0.name) }
    let title = sections.first { $0.0 == help.mode }?.1 ?? "Keys"
    return [TextLine(title, .heading)]
      + actions.flatMap { explain($0, of: state, width: width) }
      + [TextLine()] + ways.flatMap { explain($0, of: state, width: width) }
  }

  private static let columnWidth = 56
  private static let gap = 3

  /// The sections in columns, to be read down the first column, then down the next. A heading is not apart from what it
  /// is about.
  private static func sideBySide(
    _ sections: [[TextLine]], in columns: Int, width: Int
  ) -> [TextLine] {
    let lines = Array(sections.flatMap(\.self).dropLast())
    let headings = Set(sections.indices.map { sections[..<$0].reduce(0) { $0 + $1.count } })
    /// Where each column begins if none is longer than `height`; nil if there is no such way.
    func starts(_ height: Int) -> [Int]? {
      var starts: [Int] = []
      var next = 0
      while next < lines.count {
        starts.append(next)
        let end = min(next + height, lines.count)
        let isTorn = headings.contains(end - 1)
        if starts.count > columns || isTorn && end - 1 == next { return nil }
        next = isTorn ? end - 1 : end
      }
      return starts
    }
    let least = (lines.count + columns - 1) / columns
    guard columns > 1, let starts = (least...lines.count).lazy.compactMap(starts).first else {
      return lines
    }
    let parts = zip(starts, starts.dropFirst() + [lines.count]).map { lines[$0..<$1] }
    return (0..<(parts.map(\.count).max() ?? 0)).map { row in
      var whole = TextLine()
      for (column, part) in parts.enumerated() where row < part.count {
        let used = whole.spans.reduce(0) { $0 + Glyphs.width($1.glyphs) }
        let padding = column * (width + gap) - used
        whole.spans.append((Array(repeating: .space, count: max(0, padding))[...], .plain))
        whole.spans += part[part.startIndex + row].spans
      }
      return whole
    }
  }

  /// The actions under headings. An action that works in several modes is listed under the first.
  static func all(first: Mode) -> [(title: String, actions: [Action])] {
    let sections = sections.filter { $0.0 == first } + sections.filter { $0.0 != first }
    return sections.compactMap { mode, title in
      let actions = Action.inMode(mode).filter { action in
        sections.first { action.modes.contains($0.0) }?.0 == mode
      }
      return actions.isEmpty ? nil : (title, actions)
    }
  }

  private static func explain(_ action: Action, of state: AppState, width: Int) -> [TextLine] {
    let labels = state.keymap.keys(for: action).prefix(4).map { $0.label(ascii: state.isASCII) }
    let keys = labels.isEmpty ? ":\(action.name.word)" : labels.joined(separator: " ")
    return TextLine.labelled(
      (keys, .accent), labels: 14, action.help, .plain, to: width, ascii: state.isASCII)
  }
}
