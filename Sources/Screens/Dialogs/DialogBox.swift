import ScalarText
import UploadModel

/// Dialogs as boxes over the panes.
struct DialogBox {
  let dialog: Dialog
  let state: AppState
  let size: Size

  init(_ dialog: Dialog, in state: AppState, size: Size) {
    (self.dialog, self.state, self.size) = (dialog, state, size)
  }

  func paint(on canvas: inout Canvas) {
    switch dialog {
    case .command, .find: break  // In the last line.
    case .prompt(let prompt): paint(prompt, on: &canvas)
    case .limit(let prompt): paint(prompt, on: &canvas)
    case .form(let form): FormBox(form: form, state: state, size: size).paint(on: &canvas)
    case .details(let details):
      let name = state.queue.row(details.id)?.item.fileName ?? ""
      paintScrolling(title: name, scroll: details.scroll, on: &canvas)
    case .page(let page): paintScrolling(title: page.title, scroll: page.scroll, on: &canvas)
    case .help(let scroll): paintScrolling(title: "Help", scroll: scroll, on: &canvas)
    case .browser(let browser): BrowserBox(browser: browser, size: size).paint(on: &canvas)
    case .menu(let menu): MenuBox(menu: menu, size: size).paint(on: &canvas)
    case .question(let question):
      QuestionBox(question: question, state: state, size: size).paint(on: &canvas)
    }
  }

  // MARK: Text that scrolls

  /// The number of lines of a scrolling dialog that fit.
  static func scrollingLines(in size: Size) -> Int { max(1, size.height - 4) }

  /// All lines of a dialog that scrolls.
  var lines: [TextLine] {
    switch dialog {
    case .details(let details):
      guard let row = state.queue.row(details.id) else { return [] }
      let item = ItemDetails(row, in: state)
      let texts = details.texts.value(
        for: item.textSource(width: paper.width, request: details.request), compute: item.texts)
      return item.everything(width: paper.width, texts: texts)
    case .page(let page):
      return page.text.value(for: paper, compute: page.layOut)
    case .help:
      return HelpText.lines(width: paper.width, keymap: state.keymap, isASCII: state.isASCII)
    default: return []
    }
  }

  /// The dialog with its texts laid out, so that frames need not do that.
  var laidOut: Dialog {
    switch dialog {
    case .details(var details):
      guard let row = state.queue.row(details.id) else { return dialog }
      let item = ItemDetails(row, in: state)
      details.texts.update(
        for: item.textSource(width: paper.width, request: details.request), compute: item.texts)
      return .details(details)
    case .page(var page):
      page.text.update(for: paper, compute: page.layOut)
      return .page(page)
    default: return dialog
    }
  }

  private var paper: Page.Paper { Page.Paper(width: width - 4, isASCII: state.isASCII) }

  /// The columns of a dialog that scrolls.
  private var width: Int { size.width < 60 ? size.width : min(100, size.width - 4) }

  private func paintScrolling(title: String, scroll: Int, on canvas: inout Canvas) {
    let lines = lines
    let visible = Self.scrollingLines(in: size)
    let left = (size.width - width) / 2
    let height = min(visible, max(lines.count, 1)) + 2
    canvas.box(row: 1, column: left, size: Size(width: width, height: height), title: title)
    let first = min(scroll, max(0, lines.count - visible))
    for (line, index) in zip(2..<2 + visible, first..<max(first, lines.count)) {
      var column = left + 2
      for run in lines[index].runs {
        column += canvas.put(
          run.glyphs, row: line, column: column, width: left + width - 2 - column,
          style: Style(run.role))
      }
    }
    if lines.count > visible {
      let place = " \(first + 1)-\(min(first + visible, lines.count)) of \(lines.count) "
      canvas.putRight(
        place, row: height, end: left + width - 2, width: width - 4, style: Style(.dim))
    }
  }

  // MARK: Prompts

  private func paint(_ prompt: LinePrompt, on canvas: inout Canvas) {
    let width = min(100, size.width - 2)
    let room = max(1, min(8, size.height - 8))
    let shown = min(room, prompt.candidates.count)
    let extra = prompt.candidates.isEmpty ? (prompt.hasNoMatch ? 1 : 0) : shown + 1
    let (left, top) = ((size.width - width) / 2, max(1, size.height / 4 - 1))
    canvas.box(
      row: top, column: left, size: Size(width: width, height: 3 + extra), title: "Add files")
    canvas.field(prompt.field, row: top + 1, columns: left + 2..<left + width - 2)
    if prompt.hasNoMatch {
      canvas.put(
        "nothing begins like this", row: top + 2, column: left + 2, style: Style(.warning))
    }
    guard shown > 0 else { return }
    let chosen = prompt.chosen ?? 0
    let first = min(max(0, chosen - shown + 1), prompt.candidates.count - shown)
    for index in first..<first + shown {
      canvas.choice(
        Glyphs.of(Self.lastPart(prompt.candidates[index]), ascii: canvas.ascii),
        row: top + 2 + index - first, columns: left + 2..<left + width - 2,
        isLit: index == prompt.chosen)
    }
    canvas.put(
      "\(prompt.candidates.count) begin like this", row: top + 2 + shown, column: left + 2,
      style: Style(.dim))
  }

  private func paint(_ prompt: LimitPrompt, on canvas: inout Canvas) {
    let width = min(56, size.width - 2)
    let (left, top) = ((size.width - width) / 2, max(1, size.height / 4 - 1))
    canvas.box(
      row: top, column: left, size: Size(width: width, height: 4), title: "Limit the bandwidth")
    canvas.field(prompt.field, row: top + 1, columns: left + 2..<left + width - 2)
    canvas.put(
      prompt.isRefused
        ? "that is no speed; 2 MB/s, 500k or off is one" : "such as 2 MB/s; empty for no limit",
      row: top + 2, column: left + 2, style: Style(prompt.isRefused ? .warning : .dim))
  }

  private static func lastPart(_ path: String) -> String {
    let isFolder = path.hasSuffix(scalars: "/")
    let name = path.split(scalar: "/", omittingEmptySubsequences: true).last ?? path
    return isFolder ? name + "/" : name
  }
}
