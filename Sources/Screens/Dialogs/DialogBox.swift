import ScalarText
import UploadModel

/// Dialogs as boxes over the panes.
struct DialogBox {
  let dialog: Dialog
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let key = state.keyLabel(.close, in: dialog.mode)
    let words = Action.inMode(dialog.mode).first { $0.name == .close }?.hint ?? "close"
    canvas.keys = key.isEmpty ? [] : [(key, .accent), (" \(words)", .dim)]
    switch dialog {
    case .command(let prompt): CommandPalette(prompt, in: state)?.paint(on: &canvas)
    case .find: break  // In the last line.
    case .prompt(let prompt): paint(prompt, on: &canvas)
    case .limit(let prompt): paint(prompt, on: &canvas)
    case .form(let form): FormBox(form: form, state: state, size: size).paint(on: &canvas)
    case .details(let details):
      let name = state.queue.row(details.id)?.item.fileName ?? ""
      paintScrolling(title: name, scroll: details.scroll, on: &canvas)
    case .page(let page): paintScrolling(title: page.title, scroll: page.scroll, on: &canvas)
    case .help(let help):
      paintScrolling(title: "Help", scroll: help.scroll, on: &canvas)
      paintFilter(of: help, on: &canvas)
    case .browser(let browser):
      BrowserBox(
        browser: browser, size: size, preview: state.previewed.preview,
        isQueued: { state.queue.copies(of: $0, for: state.target) > 0 }
      ).paint(on: &canvas)
    case .menu(let menu): MenuBox(menu: menu, size: size).paint(on: &canvas)
    case .failures(let failures):
      FailuresBox(failures: failures, state: state, size: size).paint(on: &canvas)
    case .question(let question):
      QuestionBox(question: question, state: state, size: size).paint(on: &canvas)
    }
  }

  /// The number of lines of a scrolling dialog that fit.
  static func scrollingLines(in size: Size) -> Int { max(1, size.height - 4) }

  var lines: [TextLine] {
    switch dialog {
    case .details(let details):
      guard let row = state.queue.row(details.id) else { return [] }
      let item = ItemDetails(row: row, state: state)
      let texts = details.texts.value(
        for: item.textSource(width: paper.width, request: details.request), compute: item.texts)
      return item.everything(width: paper.width, texts: texts)
    case .page(let page): return page.text.value(for: paper, compute: page.layOut)
    case .help(let help):
      return HelpText.lines(help, of: state, width: paper.width)
    default: return []
    }
  }

  private var paper: Page.Paper { Page.Paper(width: width - 4, isASCII: state.isASCII) }

  /// The columns of a dialog that scrolls.
  private var columns: Range<Int> {
    // If there is room, the help is in columns.
    let most = if case .help = dialog { 190 } else { 100 }
    return size.columns(of: most)
  }
  private var width: Int { columns.count }

  private func paintScrolling(title: String, scroll: Int, on canvas: inout Canvas) {
    let lines = lines
    let visible = Self.scrollingLines(in: size)
    let left = columns.lowerBound
    let height = min(visible, max(lines.count, 1)) + 2
    canvas.box(row: 1, columns: columns, height: height, title: title)
    let first = min(scroll, max(0, lines.count - visible))
    for (line, index) in zip(2..<2 + visible, first..<max(first, lines.count)) {
      canvas.put(lines[index], row: line, columns: left + 2..<left + width - 2)
    }
    if lines.count > visible {
      let last = min(first + visible, lines.count)
      let (from, to, all) = (
        HumanReadable.grouped(first + 1), HumanReadable.grouped(last),
        HumanReadable.grouped(lines.count)
      )
      let place = " \(from)-\(to) of \(all) "
      canvas.putRight(place, row: height, columns: left + 2..<left + width - 2, style: Style(.dim))
    }
  }

  /// The help's filter, in the upper edge of its box.
  private func paintFilter(of help: Help, on canvas: inout Canvas) {
    let left = columns.lowerBound
    if let prompt = help.prompt {
      canvas.put(" /", row: 1, column: left + 9, style: Style(.accent))
      canvas.field(prompt, row: 1, columns: left + 11..<left + min(width - 3, 36))
    } else if !help.filter.isEmpty {
      canvas.put(
        " with \"\(help.filter)\" ", row: 1, column: left + 9, width: width - 12,
        style: Style(.accent))
    }
  }

  private func paint(_ prompt: LinePrompt, on canvas: inout Canvas) {
    let box = size.columns(of: 100)
    let room = max(1, min(8, size.height - 8))
    let shown = min(room, prompt.candidates.count)
    let top = max(1, size.height / 4 - 1)
    canvas.box(
      row: top, columns: box, height: 4 + shown, title: "Add files for \(state.target)")
    // A preview of the files that the line names, or the folder that relative paths start from.
    let isNothing = prompt.preview?.files == 0
    let hasFolder = prompt.field.text.isEmpty && !state.options.folder.isEmpty
    let folder = hasFolder ? "in \(state.options.folder)" : ""
    let columns = box.dropFirst(2).dropLast(2)
    let words =
      prompt.hasNoMatch
      ? "nothing starts with this"
      : !prompt.candidates.isEmpty
        ? "\(HumanReadable.count(prompt.candidates.count, "name")) start with this"
        : prompt.preview?.words(fitting: columns.count) ?? folder
    canvas.putMiddle(
      words, row: top + 2 + shown, columns: columns,
      style: Style(prompt.hasNoMatch || isNothing ? .warning : .dim))
    canvas.field(prompt.field, row: top + 1, columns: columns)
    guard shown > 0 else { return }
    let chosen = prompt.chosen ?? 0
    let first = min(max(0, chosen - shown + 1), prompt.candidates.count - shown)
    for index in first..<first + shown {
      canvas.choice(
        Self.lastPart(prompt.candidates[index].removingPrefix(scalars: prompt.before) ?? ""),
        row: top + 2 + index - first, columns: columns, isLit: index == prompt.chosen)
    }
  }

  private func paint(_ prompt: LimitPrompt, on canvas: inout Canvas) {
    let box = size.columns(of: 56)
    let top = max(1, size.height / 4 - 1)
    canvas.box(row: top, columns: box, height: 4, title: "Limit the bandwidth")
    let columns = box.dropFirst(2).dropLast(2)
    canvas.field(prompt.field, row: top + 1, columns: columns)
    canvas.put(
      prompt.isRefused
        ? "not a speed; try 2 MB/s or off" : "such as 2 MB/s; empty for no limit",
      row: top + 2, columns: columns,
      style: Style(prompt.isRefused ? .warning : .dim))
  }

  private static func lastPart(_ path: String) -> String {
    let isFolder = path.hasSuffix(scalars: "/")
    let name = path.split(scalar: "/", omittingEmptySubsequences: true).last ?? path
    return isFolder ? name + "/" : name
  }
}
