import UploadModel

/// The last line: the available actions, as keys with a word or two. In the queue, the actions depend on the row
/// under the cursor, and the action that a failed file needs stands out.
struct Footer {
  /// An available action: its key, a word or two, and the columns that they take.
  struct Hint {
    let action: Action
    let key: String
    var words: String
    var isUrgent = false
    var start = 0

    var columns: Range<Int> { start..<start + key.count + 1 + words.count }
  }

  private(set) var hints: [Hint] = []

  init(_ state: AppState, width: Int) {
    let all = state.offered.filter { !$0.key.isEmpty }
    let isLast: (Hint) -> Bool = { [.help, .quit].contains($0.action.name) }
    let last = all.filter(isLast)
    let lastStart = width + 1 - last.reduce(0) { $0 + $1.columns.count + 2 }
    // The way out of a dialog is left out last.
    var wayOut = all.first { $0.action.name == .close }
    for var hint in all where !isLast(hint) {
      if hint.action.name == .close { wayOut = nil }
      hint.start = next
      let reserved = wayOut.map { $0.columns.count + 2 } ?? 0
      if hint.columns.upperBound + 2 + reserved > lastStart { break }
      hints.append(hint)
    }
    if var wayOut {
      wayOut.start = next
      hints.append(wayOut)
    }
    for var hint in last {
      hint.start = max(next, lastStart)
      hints.append(hint)
    }
  }

  /// Where the next hint can begin.
  private var next: Int { hints.last.map { $0.columns.upperBound + 2 } ?? 1 }

  func paint(row: Int, on canvas: inout Canvas) {
    for hint in hints {
      let (key, words): (Role, Role) = hint.isUrgent ? (.warning, .warning) : (.accent, .dim)
      let spans = [(hint.key, key), (" \(hint.words)", words)]
      canvas.put(spans, row: row, column: hint.columns.lowerBound)
    }
  }
}

extension AppState {
  /// The actions available here, the most useful first.
  var offered: [Footer.Hint] {
    if case .question(let question) = dialog { return question.buttons.map { hint($0) } }
    var actions = Action.inMode(mode).filter {
      $0.hint != nil || $0.name == .filter && mode == .history
    }
    // The history is long: to look through all of it matters more than to mark.
    if mode == .history, let mark = actions.firstIndex(where: { $0.name == .mark }) {
      actions.append(actions.remove(at: mark))
    }
    if isSetup, dialog == nil {
      return actions.filter { [.target, .help, .quit].contains($0.name) }.map { hint($0) }
    }
    guard mode == .queue else { return actions.filter { isOfUseHere($0.name) }.map { hint($0) } }
    // If very many items are marked, only the one under the cursor is examined, since frames are drawn often.
    let subjects = marks.count > 50 ? selected.map { [$0] } ?? [] : subjects
    let useful = actions.filter { isOfUse($0.name, on: subjects) }
    func rank(_ action: Action) -> Int {
      // Stopping is one action among many; resuming is what a stopped queue waits for.
      action.name == .startStop && settings.isStarted ? .max : action.footer
    }
    return useful.sorted { rank($0) < rank($1) }.map { hint($0, on: subjects) }
  }

  /// An action, worded for what it would do to these items.
  private func hint(_ action: Action, on subjects: [UploadItem] = []) -> Footer.Hint {
    var hint = Footer.Hint(
      action: action, key: keymap.label(action, ascii: isASCII),
      words: action.hint ?? action.name.word)
    let isPaused = !subjects.isEmpty && subjects.allSatisfy { $0.state == .paused }
    switch (action.name, dialog) {
    case (.retry, _) where mode == .queue: hint.isUrgent = true
    case (.failWhen, _): hint.isUrgent = true
    case (.startStop, _) where !settings.isStarted: (hint.isUrgent, hint.words) = (true, "go on")
    case (.pause, _) where isPaused: hint.words = "resume"
    // The buttons say more.
    case (.stopAndQuit, _): hint.words = queue.totals.active > 0 ? "stop and quit" : "quit"
    case (.goOnInBackground, _): hint.words = "in the background"
    // On a folder, one key opens it, and another one adds.
    case (.open, .browser(let browser)?) where browser.selected?.isFolder != true:
      hint.words = browser.marks.isEmpty ? "add" : "add what is marked"
    case (.add, .browser(let browser)?)
    where browser.selected?.isFolder == true && !browser.marks.isEmpty:
      hint.words = "add what is marked"
    default: break
    }
    return hint
  }

  /// Whether an action of a dialog, the history or the server's list has something to act on.
  private func isOfUseHere(_ name: Action.Name) -> Bool {
    switch (name, dialog) {
    case (.open, .browser(let browser)?), (.add, .browser(let browser)?):
      browser.selected != nil || !browser.marks.isEmpty
    case (.retry, .details(let details)?):
      queue.row(details.id).map { isRetriable($0.item) } ?? false
    case (.failWhen, .details(let details)?):
      options.configuration != nil && queue.row(details.id)?.item.isDoubtful == true
    case (.copyURL, .details(let details)?): queue.row(details.id)?.item.url != nil
    case (.copyURL, .page(let page)?): page.row?.url != nil
    case (.retry, .page(let page)?): page.row != nil
    case (.copyURL, nil), (.openURL, nil):
      (pane == .server ? server.selected?.url : history.selected?.url) != nil
    case (.deleteUploaded, nil): history.selected?.deletionURL != nil
    case (.copyAsCurl, nil): false
    case (.retry, nil): history.selected != nil
    case (.details, .help(let help)?): !help.isWhole
    case (.mark, nil), (.filter, nil): shown.count > 0 || !shown.filter.isEmpty
    case (_, nil) where pane == .targets && Self.aboutTarget.contains(name): targets.selected != nil
    case (.delete, nil): server.selected != nil
    case (.target, nil): options.hasTargets
    default: true
    }
  }

  /// The actions on the target under the cursor in the pane of targets.
  private static let aboutTarget: [Action.Name] = [
    .tryTarget, .makeDefault, .edit, .details, .delete, .target,
  ]

  /// The actions on the marked rows, or on the row under the cursor if no rows are marked.
  var rowActions: [Action] {
    let names: Set<Action.Name> = [
      .details, .retry, .arrived, .failWhen, .pause, .edit, .remove, .moveToTop, .copyURL, .openURL,
      .copyAsCurl, .deleteUploaded, .delete, .mark,
    ]
    let subjects = subjects
    return Action.inMode(pane.mode).filter { action in
      names.contains(action.name)
        && (pane == .queue ? isOfUse(action.name, on: subjects) : isOfUseHere(action.name))
    }
  }

  /// Whether an action of the queue has something to act on.
  func isOfUse(_ name: Action.Name, on subjects: [UploadItem]) -> Bool {
    switch name {
    case .copyURL, .openURL: subjects.contains { $0.url != nil }
    case .deleteUploaded: subjects.contains { $0.uploaded != nil }
    case .details, .remove: !subjects.isEmpty
    case .failWhen: options.configuration != nil && subjects.contains(where: \.isDoubtful)
    case .retry: subjects.contains(where: isRetriable)
    case .arrived: subjects.contains(where: \.mayHaveArrived)
    case .retryAll: queue.totals.failed > 0 || isHeldUp
    case .failures:
      queue.totals.failed + queue.totals.unknown > 1 && subjects.contains(where: \.state.isFailed)
    case .pause: subjects.contains { !$0.state.isFinished && !$0.state.isHandedOver }
    case .edit: subjects.contains(where: \.canBeEdited)
    case .startStop: !settings.isStarted || queue.totals.busy > 0
    case .limit: queue.totals.busy > 0 || settings.limit != nil
    case .target: options.hasTargets
    case .clear: queue.totals.done > queue.totals.doubtful
    case .moveToTop: subjects.contains { !$0.state.isDone }
    case .mark, .sort: queue.count > 1
    case .undo: edits.canUndo
    default: true
    }
  }

  /// Whether the item can be sent again, or tried at once.
  func isRetriable(_ item: UploadItem) -> Bool {
    item.state.failure != nil || item.isInDoubt
      || item.state == .waiting && obstacle(for: item)?.isOfTheServer == true
  }
}
