/// What the mouse does: a click selects, another one on the same row opens, the wheel scrolls.
extension AppState {
  mutating func point(_ mouse: Mouse) -> [Effect] {
    (message, summary) = (nil, nil)
    switch mouse.kind {
    case .wheelUp: return scroll(by: -3)
    case .wheelDown: return scroll(by: 3)
    case .click: return click(row: mouse.row, column: mouse.column)
    }
  }

  private mutating func scroll(by step: Int) -> [Effect] {
    switch dialog {
    case .details, .page, .help: scrollDialog(by: step)
    case .browser(var browser) where browser.prompt == nil:
      browser.list.move(
        to: browser.list.cursor + step, of: browser.entries.count,
        height: BrowserBox.lines(in: size))
      dialog = .browser(browser)
    case .none: change(.by(step))
    default: break
    }
    return []
  }

  private mutating func click(row: Int, column: Int) -> [Effect] {
    guard !layout.isTooSmall else { return [] }
    if row == layout.footer, !Mode.typing.contains(mode),
      let hint = Footer(self, width: size.width).hints.first(where: { $0.columns.contains(column) })
    {
      return perform(hint.offer.action.name)
    }
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
        return []
      }
      menu.list.move(
        to: index, of: menu.shown.count, height: MenuBox.lines(menu, in: size))
      return perform(.accept, in: menu)
    case .browser(let browser): return click(in: browser, row: row, column: column)
    default: return []
    }
    if row == 1,
      let tab = Tabs(self, width: layout.box?.columns.count ?? size.width).tabs.first(where: {
        $0.columns.contains(column)
      })
    {
      return show(tab.pane)
    }
    guard layout.list.contains(column) else { return [] }
    if row == layout.headings, pane == .queue { return sort(byColumn: column) }
    guard layout.rows.contains(row) else { return [] }
    return click(line: row - layout.rows.lowerBound)
  }

  /// A click on a column heading sorts by it; another click reverses the order.
  private mutating func sort(byColumn column: Int) -> [Effect] {
    guard queue.count > 1, !isReading else { return [] }
    let columns = Columns(in: layout.list, hasTargets: queue.hasSeveralTargets)
    let heads: [(Range<Int>?, SortOrder)] = [
      (columns.name, .name), (columns.target, .target), (columns.type, .type),
      (columns.size, .largest), (columns.state, .failed),
    ]
    guard let order = heads.first(where: { $0.0?.contains(column) == true })?.1 else { return [] }
    let effects = sort(order)
    return effects.isEmpty ? sort(.reverse) : effects
  }

  /// A click on a line of the pane.
  private mutating func click(line: Int) -> [Effect] {
    let list = shown
    let row = list.scroll + line
    guard row < list.count else { return [] }
    change(.row(row))
    return row == list.cursor ? performInPane(.details) : []
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
