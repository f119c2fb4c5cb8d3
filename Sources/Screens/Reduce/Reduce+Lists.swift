import Scheduling
import UploadModel

/// Actions that all panes with a list share: moving the cursor, marking, finding names.
extension AppState {
  /// Performs an operation on the list of the visible pane; returns whether it was possible.
  @discardableResult
  mutating func change(_ step: ListOperation) -> Bool {
    let height = layout.rows.count
    switch pane {
    case .queue:
      if step.moves { stopFollowing() }
      return list.perform(step, in: queue, height: height)
    case .server: return server.list.perform(step, in: server.rows, height: height)
    case .history: return history.list.perform(step, in: history.rows, height: height)
    case .log: return log.perform(step, height: height)
    case .targets: return targets.list.perform(step, in: targets.rows, height: height)
    }
  }

  var shown: ListSummary {
    switch pane {
    case .queue: list.glance(in: queue)
    case .server: server.list.glance(in: server.rows)
    case .history: history.list.glance(in: history.rows)
    case .log: log.glance
    case .targets: targets.list.glance(in: targets.rows)
    }
  }

  /// Finds the parts of the names to highlight: by the text of the search being typed, or else by that of the filter.
  var litMatcher: Matcher {
    if case .find(let prompt) = dialog, !prompt.isFilter { return Matcher(prompt.field.text) }
    return shown.matcher
  }

  /// Performs an action that is the same in every list; returns `nil` for all other actions.
  mutating func performInList(_ name: Action.Name) -> [Effect]? {
    switch name {
    case .down, .up, .pageDown, .pageUp, .top, .bottom, .mark, .markRange, .markAll, .invertMarks,
      .clearMarks:
      return change(.key(name)) ? [] : [.bell]
    case .find, .filter:
      let list = shown
      dialog = .find(
        FindPrompt(
          field: TextField(name == .filter ? list.filter : ""), isFilter: name == .filter,
          cursor: list.cursor, filter: list.filter))
      return []
    case .findNext: return findNext(step: 1)
    case .findPrevious: return findNext(step: -1)
    case .nextFailed: return seek(RowKind.problems, orSay: "nothing here has failed")
    case .nextActive:
      let effects = seek([.sending], orSay: "nothing is being sent")
      if selected?.state.isActive == true { startFollowing() }
      return effects
    default: return nil
    }
  }

  /// Moves the cursor to the next row of one of these kinds.
  private mutating func seek(_ kinds: [RowKind], orSay none: String) -> [Effect] {
    let row = shown.cursor
    guard change(.next(kinds)) else { return refuse(none) }
    return shown.cursor == row ? refuse("there is no other") : []
  }

  mutating func findNext(step: Int) -> [Effect] {
    guard !sought.isEmpty else { return refuse("no search yet: press / to start one") }
    return change(.find(sought, from: shown.cursor + step, step: step))
      ? [] : refuse(noNameContainsIt)
  }

  /// The search looks through the rows that are listed, the filter through all.
  private var noNameContainsIt: String {
    let isCut = pane == .history && historyExtent.isCut
    let key = keyLabel(.filter, in: .history)
    return isCut
      ? "none of the latest \(HumanReadable.grouped(shown.count)) names contains that text; \(key) looks through all"
      : "no \(pane == .log ? "line" : "name") contains that text"
  }

  mutating func perform(_ name: Action.Name, in prompt: FindPrompt) -> [Effect] {
    switch name {
    case .close:
      dialog = nil
      if prompt.isFilter { change(.filter(prompt.filter)) }
      // Without a filter, the cursor is where it was before, once its row is there again.
      if !prompt.isFilter || !prompt.filter.isEmpty { change(.row(prompt.cursor)) }
    case .accept:
      dialog = nil
      guard !prompt.isFilter else { return [] }
      sought = Matcher(prompt.field.text)
      let isThere = sought.isEmpty || shown.name.map(sought.matches) == true
      return isThere ? [] : refuse(noNameContainsIt)
    default: edit(name)
    }
    return []
  }

  /// Shows the matches while the text is being typed.
  mutating func look(for prompt: FindPrompt) {
    if prompt.isFilter {
      change(.filter(prompt.field.text))
    } else if !change(.find(Matcher(prompt.field.text), from: prompt.cursor, step: 1)) {
      change(.row(prompt.cursor))
    }
  }

  /// Copies the URLs of these files on the server.
  mutating func copyURLs(of items: [UploadItem]) -> [Effect] {
    let isToCome = !items.isEmpty && items.allSatisfy { !$0.state.isFinished }
    return isToCome
      ? refuse("there is no URL yet: the server gives one once it has the file")
      : copy(items.map(\.url), of: items.map(\.reply))
  }

  /// Opens the first known one of these URLs in the user's browser. URLs come from the server, so only web addresses
  /// are opened: other URLs can start programs.
  mutating func openURL(_ urls: [String?], of replies: [Reply] = []) -> [Effect] {
    if urls.isEmpty { return refuseWithoutFiles() }
    guard let url = urls.lazy.compactMap(\.self).first else { return refuseWithoutURL(replies) }
    guard Self.isPlainWebAddress(url) else {
      return refuse(
        "that URL is not opened, because it is not a plain web address: \(SafeText.line(url))")
    }
    message = "opening \(url)"
    return [.openURL(url)]
  }

  /// Asks whether to delete these files on the server. The addresses that delete them come from the server, so only
  /// web addresses are accepted.
  mutating func askToDelete(_ files: [UploadedFile?]) -> [Effect] {
    if files.isEmpty { return refuseWithoutFiles() }
    let known = files.compactMap(\.self)
    guard !known.isEmpty else { return refuse("the server gave no address for deleting the file") }
    for file in known where !Self.isPlainWebAddress(file.deletionURL) {
      return refuse(
        "\(file.name) is not deleted, because its address is not a plain web address: "
          + SafeText.line(file.deletionURL))
    }
    return ask(.deletingUploaded(known))
  }

  private static func isPlainWebAddress(_ url: String) -> Bool {
    WebAddress.isOne(url) && SafeText.line(url) == url
  }

  /// Copies those of these URLs that are known, one on each line. They come from the server, so they are copied as
  /// shown, without hidden characters, which could act in a shell or end the paste.
  mutating func copy(_ urls: [String?], of replies: [Reply] = []) -> [Effect] {
    if urls.isEmpty { return refuseWithoutFiles() }
    let named = urls.compactMap { $0.map { SafeText.line($0) } }
    guard let first = named.first else { return refuseWithoutURL(replies) }
    let missing = urls.count - named.count
    message =
      (named.count == 1 ? "copied: \(first)" : "copied: \(HumanReadable.grouped(named.count)) URLs")
      + (missing > 0 ? "; \(HumanReadable.count(missing, "file")) without a URL" : "")
    return [.copy(named.joined(separator: "\n"))]
  }
}

extension AppState {
  /// Says why there is no URL in replies to uploads.
  private mutating func refuseWithoutURL(_ replies: [Reply]) -> [Effect] {
    guard replies.contains(where: \.mayNameAddress) else {
      return refuse("there is no URL: the server gave none")
    }
    let details =
      dialog == nil
      ? "\(keyLabel(.details, in: pane == .history ? .history : .queue)) shows it, and " : ""
    return refuse(
      "no address was recognized in the reply; \(details)response.url in the target's table says where replies have it"
    )
  }
}

/// The visible queue.
extension AppState {
  /// How many rows pass the filter.
  var rowCount: Int { list.count(in: queue) }

  func row(_ index: Int) -> ItemList.Row? {
    list.position(of: index, in: queue).map { queue.rows[$0] }
  }

  func index(of id: ItemID) -> Int? { list.row(of: id, in: queue) }

  /// The items that an action applies to: the marked ones in their order, or else the one under the cursor.
  var subjects: [UploadItem] { list.subjects(in: queue).map { queue.rows[$0].item } }

  var marks: Set<ItemID> { list.marks }

  mutating func moveCursor(to row: Int) { list.move(to: row, in: queue, height: layout.rows.count) }

  /// Keeps the cursor on its item while `change` adds, removes or moves rows. If that item is in `gone`, the cursor
  /// moves to the next one that stays.
  mutating func keepingCursor(leaving gone: Set<ItemID> = [], _ change: (inout AppState) -> Void) {
    let place = list.place(in: queue) { gone.contains($0) }
    change(&self)
    list.settle(on: place, in: queue, height: layout.rows.count)
  }
}

extension ItemList: ListRows {
  func id(at position: Int) -> ItemID { rows[position].item.id }
  func name(at position: Int) -> String { rows[position].item.fileName }
  /// If all files have the same, nobody looks for it.
  func target(at position: Int) -> String {
    hasSeveralTargets ? rows[position].item.target : ""
  }
  func `is`(_ kind: RowKind, at position: Int) -> Bool { rows[position].item.state.is(kind) }
}

extension ItemState {
  /// Whether a filter for this kind finds items in this state.
  func `is`(_ kind: RowKind) -> Bool {
    receipt?.isDoubtful == true ? kind == .doubtful : RowKind(self.kind) == kind
  }
}
