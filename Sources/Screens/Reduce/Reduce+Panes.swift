import ScalarText
import UploadModel

/// The actions while a pane has the keyboard focus, and switching between panes.
extension AppState {
  mutating func performInPane(_ name: Action.Name) -> [Effect] {
    if let pane = Pane.allCases.first(where: { $0.action == name }) { return show(pane) }
    switch name {
    case .nextPane: return changePane(by: 1)
    case .previousPane: return changePane(by: -1)
    case .command: dialog = .command(CommandPrompt(theme: chosenTheme))
    case .quit: return askToQuit()
    default: break
    }
    if let effects = performInList(name) { return effects }
    switch pane {
    case .queue: return performInQueue(name)
    case .server: return performInServer(name)
    case .history: return performInHistory(name)
    case .log: return performInLog(name)
    case .targets: return performInTargets(name)
    }
  }

  private mutating func changePane(by step: Int) -> [Effect] {
    let count = Pane.allCases.count
    return show(Pane.allCases[(pane.rawValue + step + count) % count])
  }

  /// Shows a pane. Its list is requested anew each time, since it can also change without this session.
  @discardableResult
  mutating func show(_ next: Pane) -> [Effect] {
    pane = next
    fitLists()
    switch next {
    case .server where options.listsServer:
      server.ask()
      return [.listServer]
    case .history:
      history.ask()
      return [.listHistory(historyRequest)]
    case .targets where options.configuration != nil:
      targets.ask()
      return [.readTargets]
    case .queue, .server, .log, .targets: return []
    }
  }

  private mutating func performInLog(_ name: Action.Name) -> [Effect] {
    guard name == .details else { return [] }
    guard let line = log.row(log.list.cursor) else { return [.bell] }
    dialog = .page(Page(title: clock(line.at), lines: [(line.text, line.role)]))
    return []
  }

  private mutating func performInServer(_ name: Action.Name) -> [Effect] {
    switch name {
    case .refresh: return options.listsServer ? [.listServer] : [.bell]
    case .copyURL: return copy(server.subjects.map(\.url))
    case .openURL: return openURL(server.subjects.map(\.url))
    case .target: return openTargets()
    case .delete:
      let rows = server.subjects
      return rows.isEmpty ? [.bell] : ask(.deleting(rows))
    default: return []
    }
  }

  private mutating func performInHistory(_ name: Action.Name) -> [Effect] {
    if let effects = perform(name, on: history.subjects) { return effects }
    switch name {
    case .refresh: return [.listHistory(historyRequest)]
    case .sort:
      let all = HistoryRow.Order.allCases
      historyOrder = all[((all.firstIndex(of: historyOrder) ?? 0) + 1) % all.count]
      message = "history sorted: \(historyOrder.words)"
      showHistory(history.all)
    case .target: return openTargets()
    case .details:
      guard let row = history.selected else { return [.bell] }
      dialog = .page(row.page(at: now))
    default: break
    }
    return []
  }

  /// Performs an action on rows of the history, in the list or in the details of one row; returns nil if the action
  /// does not apply to rows.
  private mutating func perform(_ name: Action.Name, on rows: [HistoryRow]) -> [Effect]? {
    switch name {
    case .retry: return askToSendAgain(rows)
    case .openURL: return openURL(rows.map(\.url), of: rows.map(\.reply))
    case .copyURL: return copy(rows.map(\.url), of: rows.map(\.reply))
    case .deleteUploaded: return askToDelete(rows.map(\.uploaded))
    case .copyAsCurl:
      let key = keyLabel(.retry, in: .history)
      return refuse("curl commands are only made for files in the queue: \(key) queues it")
    default: return nil
    }
  }

  mutating func perform(_ name: Action.Name, in page: Page) -> [Effect] {
    perform(name, on: page.row.map { [$0] } ?? []) ?? scrollDialog(name)
  }

  /// Shows the history, a row for each file, in the order that the user wants.
  mutating func showHistory(_ listing: Listing<HistoryRow>) {
    var shown = listing
    if case .rows(let rows) = listing {
      shown = .rows(historyOrder.sorted(HistoryRow.grouped(rows)))
    }
    history.all = listing
    history.update(with: shown, height: layout.rows.count)
  }

  /// Asks for the history anew if it is on the screen and attempts have ended. Otherwise `r` would send again what has
  /// arrived in the meantime.
  func history(after changes: [(ItemID, ItemState)]) -> [Effect] {
    pane == .history && changes.contains { $0.1.isFinished || $0.1.isRetrying }
      ? [.listHistory(historyRequest)] : []
  }

  /// Asks for other files of the history if the filter has changed, and for more of them if the end of those that are
  /// listed comes in sight.
  mutating func readFurther() -> [Effect] {
    guard pane == .history else { return [] }
    let list = shown
    var request = historyRequest
    if request.filter != list.filter {
      request = HistoryRequest(filter: list.filter)
    } else if historyExtent.isCut, list.cursor + 2 * layout.rows.count >= list.count {
      // Once for each answer.
      historyExtent.isCut = false
      request.limit *= 2
    }
    request.countsKinds = showsFilterWords && (request.countsKinds || isHistoryPartlyListed)
    // Without the counts, what is listed stays as it is.
    if !request.countsKinds { historyRequest.countsKinds = false }
    guard request != historyRequest else { return [] }
    historyRequest = request
    return [.listHistory(request)]
  }

  /// Whether the prompt of the filter shows what its words find.
  private var showsFilterWords: Bool {
    if case .find(let prompt) = dialog {
      prompt.isFilter && prompt.field.text.isEmpty
    } else {
      false
    }
  }

  /// Queues files of the history again. Asks first if some may already be on the server, where they would then be
  /// stored twice.
  private mutating func askToSendAgain(_ rows: [HistoryRow]) -> [Effect] {
    let known = rows.filter { $0.record != nil }
    guard !known.isEmpty else { return refuseWithoutFiles() }
    return known.contains { $0.mayBeThere || $0.end == .sent }
      ? ask(.queueingAgain(known)) : sendAgainNow(known)
  }

  /// Queues files of the history once more, as they were sent before.
  mutating func sendAgainNow(_ known: [HistoryRow]) -> [Effect] {
    message = "\(HumanReadable.count(known.count, "file")) queued once more"
    return [.sendAgain(known.compactMap(\.record))]
  }

  /// Keeps every list's cursor on the screen when the screen changes.
  mutating func fitLists() {
    let height = layout.rows.count
    list.move(to: list.cursor, in: queue, height: height)
    server.list.move(to: server.list.cursor, in: server.rows, height: height)
    history.list.move(to: history.list.cursor, in: history.rows, height: height)
    targets.list.move(to: targets.list.cursor, in: targets.rows, height: height)
    log.fit(to: height)
    changeBrowser { browser, height in
      browser.list.move(to: browser.list.cursor, of: browser.entries.count, height: height)
    }
  }

  mutating func openTargets() -> [Effect] {
    guard options.hasTargets else {
      return refuse("there is no configuration to choose a target from")
    }
    var menu = Menu(targets: options.targets, makesNew: options.configuration != nil)
    let row = options.targets.firstIndex { $0.name == target } ?? 0
    menu.list.move(to: row, of: menu.choices.count, height: MenuBox.lines(menu, in: size))
    dialog = .menu(menu)
    return [.readTargets]
  }

  mutating func switchTarget(_ name: String) -> [Effect] {
    if name == target { return [] }
    guard name.contains(scalars: "://"), options.configuration != nil else {
      // The configuration may have changed, so only reading it again shows whether there is a target of that name.
      return [.switchTarget(name)]
    }
    return openTargetForm(name)
  }

  mutating func perform(_ name: Action.Name, in menu: Menu) -> [Effect] {
    var menu = menu
    if menu.list.move(name, of: menu.shown.count, height: MenuBox.lines(menu, in: size)) {
      dialog = .menu(menu)
      if case .theme = menu.purpose, let theme = theme(under: menu) { chosenTheme = theme }
      return []
    }
    switch name {
    case .close:
      dialog = nil
      if case .theme(let before) = menu.purpose { chosenTheme = before }
    case .accept:
      guard let chosen = menu.chosen else { return [.bell] }
      dialog = nil
      switch menu.purpose {
      case .target where menu.extra(chosen) == .new, .form where menu.extra(chosen) == .new:
        // What was typed may be a name or an address, or have led to this choice.
        let typed = menu.filter.text
        return openTargetForm(Matcher(typed).matches(menu.choices[chosen]) ? "" : typed)
      case .form:
        guard case .form(var form) = dialog else { break }
        if menu.extra(chosen) == .address, let address = menu.address {
          form.send(to: address)
          dialog = .form(form)
          break
        }
        form.choose(chosen, from: options.targets.map(\.name), options.services)
        dialog = .form(form)
      case .target: return switchTarget(menu.choices[chosen])
      case .sort: return sort(SortOrder.allCases[chosen])
      case .theme: if let theme = theme(under: menu) { choose(theme) }
      case .actions(let names): return perform(names[chosen])
      }
    default: if menu.isFiltered { edit(name) }
    }
    return []
  }

  private func theme(under menu: Menu) -> Theme? {
    menu.chosen.flatMap { options.theme.changed(to: menu.choices[$0]) }
  }

  /// Shows the screen in a theme until hoist ends, and says what keeps the theme.
  mutating func choose(_ theme: Theme) {
    chosenTheme = theme
    guard theme.name != options.theme.name else { return }
    let place = options.configuration ?? "the configuration"
    message =
      "\(theme.name) until you quit; base = \"\(theme.name)\" under [theme] in \(place) keeps it"
  }
}

extension HistoryRow {
  /// The file with the address that deletes it on the server, if the server named one.
  fileprivate var uploaded: UploadedFile? {
    deletionURL.map { UploadedFile(name: name, target: target, deletionURL: $0) }
  }

  /// A page with all details of the row.
  fileprivate func page(at now: Instant) -> Page {
    let ago = instant.map { ", \(HumanReadable.ago(now - $0))" } ?? ""
    let date = time.hasPrefix(scalars: day) ? time : "\(day), \(time)"
    var lines: [(text: String, role: Role)] = [("\(date)\(ago)  \(outcome)", look.role)]
    if !message.isEmpty { lines.append((message, .plain)) }
    lines += [(path, .plain), ("\(HumanReadable.bytes(size)) to \(target)", .plain)]
    if let pieces { lines.append((pieces.words, .plain)) }
    if let url { lines.append((url, .accent)) }
    if let deletionURL { lines.append(("address for deleting it: \(deletionURL)", .plain)) }
    if !earlier.isEmpty {
      lines += [("", .plain), ("Earlier attempts:", .heading)] + earlier.map { ($0, .plain) }
    }
    let text = reply.text
    if !text.isEmpty {
      lines += [("", .plain), ("The server said:", .heading)]
      lines += SafeText.lines(JSONText.pretty(text) ?? text).map { ($0, .plain) }
    }
    return Page(row: self, title: name, lines: lines)
  }
}
