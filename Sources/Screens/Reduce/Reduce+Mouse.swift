/// The mouse: a click selects a row, a second click opens it, dragging marks rows, the right button opens a menu, the
/// wheel scrolls.
extension AppState {
  mutating func point(_ mouse: Mouse) -> [Effect] {
    (message, summary) = (nil, nil)
    switch mouse.kind {
    case .wheelUp: scroll(by: -3)
    case .wheelDown: scroll(by: 3)
    case .click: return click(row: mouse.row, column: mouse.column)
    case .grab: grab(row: mouse.row, column: mouse.column)
    // If the line is beyond an edge of the list, the list scrolls.
    case .drag where isDragging && dialog == nil:
      change(.row(max(0, shown.scroll + mouse.row - layout.rows.lowerBound)))
    case .drag: break
    case .drop:
      if isDragging { change(.endRange) }
      isDragging = false
    case .menu: openMenu(row: mouse.row, column: mouse.column)
    }
    return []
  }

  /// The index of the list's row at a place on the screen; nil if no row is there.
  private func rowIndex(atRow row: Int, column: Int) -> Int? {
    guard dialog == nil, !layout.isTooSmall, layout.list.contains(column), layout.rows.contains(row)
    else { return nil }
    let line = row - layout.rows.lowerBound
    if pane == .queue {
      let lines = queueLines(layout)
      return lines.indices.contains(line) ? lines[line] : nil
    }
    let (list, index) = (shown, shown.scroll + line)
    return index < list.count ? index : nil
  }

  /// Starts marking rows.
  private mutating func grab(row: Int, column: Int) {
    guard let index = rowIndex(atRow: row, column: column) else { return }
    change(.endRange)
    change(.row(index))
    isDragging = change(.key(.markRange))
  }

  /// Opens a menu of the actions on the row at a place. If this row is marked, they apply to all marked rows. If not,
  /// the marks are cleared, since the menu is about this row.
  private mutating func openMenu(row: Int, column: Int) {
    guard let index = rowIndex(atRow: row, column: column) else { return }
    change(.row(index))
    change(.forgetOtherMarks)
    let actions = rowActions
    guard !actions.isEmpty else { return }
    let menu = Menu(
      purpose: .actions(actions.map(\.name)), choices: actions.map { $0.hint ?? $0.help },
      notes: actions.map { keymap.label($0, ascii: isASCII) }, place: (row, column))
    open(.menu(menu))
  }

  private mutating func scroll(by step: Int) {
    switch dialog {
    case .details, .page, .help: scrollDialog(by: step)
    case .browser(var browser) where browser.prompt == nil:
      browser.list.move(
        to: browser.list.cursor + step, of: browser.entries.count,
        height: BrowserBox.lines(in: size))
      dialog = .browser(browser)
    case .none: change(.row(shown.cursor + step))
    default: break
    }
  }

  /// The action that the last line offers at a place.
  func hint(row: Int, column: Int) -> Action.Name? {
    guard !layout.isTooSmall, row == layout.footer, !Mode.typing.contains(mode) else { return nil }
    return Footer(self, width: size.width).hints.first { $0.columns.contains(column) }?.action.name
  }

  private mutating func click(row: Int, column: Int) -> [Effect] {
    guard !layout.isTooSmall else { return [] }
    if let hint = hint(row: row, column: column) { return perform(hint) }
    switch dialog {
    case .none: break
    case .question(var question):
      let box = QuestionBox(question: question, state: self, size: size)
      guard let button = box.button(row: row, column: column) else { return [] }
      question.lit = button
      return perform(question.answer, in: question)
    case .menu(var menu):
      let (top, columns) = MenuBox(menu: menu, size: size).place
      let index = menu.list.scroll + row - top
      guard columns.contains(column), row >= top, menu.shown.indices.contains(index) else {
        // A click outside a menu that the mouse has opened closes it.
        if menu.place != nil { dialog = nil }
        return []
      }
      menu.list.move(to: index, of: menu.shown.count, height: MenuBox.lines(menu, in: size))
      return perform(.accept, in: menu)
    case .browser(let browser): return click(in: browser, row: row, column: column)
    default: return []
    }
    if row == 1 {
      let tabs = Tabs(self, width: layout.box?.columns.count ?? size.width).tabs
      if let tab = tabs.first(where: { $0.columns.contains(column) }) { return show(tab.pane) }
    }
    guard layout.list.contains(column) else { return [] }
    if row == layout.headings, pane == .queue { return sort(byColumn: column) }
    if row == layout.headings, pane == .history { return performInPane(.sort) }
    guard let index = rowIndex(atRow: row, column: column) else { return [] }
    let again = index == shown.cursor
    change(.row(index))
    return again ? performInPane(.details) : []
  }

  /// Sorts by the column whose heading was clicked; another click reverses the order.
  private mutating func sort(byColumn column: Int) -> [Effect] {
    guard queue.count > 1, !isReading else { return [] }
    let columns = columns(in: layout)
    let heads: [(Range<Int>, SortOrder)] = [
      (columns.name, .name), (columns.target, .target), (columns.type, .type),
      (columns.size, .largest), (columns.state, .failed),
    ]
    guard let order = heads.first(where: { $0.0.contains(column) })?.1 else { return [] }
    let effects = sort(order)
    return effects.isEmpty ? sort(.reverse) : effects
  }

  private mutating func click(in browser: Browser, row: Int, column: Int) -> [Effect] {
    var browser = browser
    let (top, columns) = BrowserBox.place(in: size)
    let height = BrowserBox.lines(in: size)
    let index = browser.list.scroll + row - top
    guard (top..<top + height).contains(row), columns.contains(column),
      browser.entries.indices.contains(index)
    else { return [] }
    let again = browser.list.cursor == index
    browser.list.move(to: index, of: browser.entries.count, height: height)
    dialog = .browser(browser)
    return again ? perform(.open, in: browser) : []
  }
}
