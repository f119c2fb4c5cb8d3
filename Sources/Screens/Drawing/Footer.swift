import UploadModel

/// The last line: what can be asked for here, as keys with a word or two. In the queue it follows the
/// row under the cursor, and what a failed file needs stands out.
struct Footer {
  /// A key with its words, and the columns that they take.
  struct Hint {
    var action: Action
    var label: String
    var columns: Range<Int>
    var isUrgent: Bool
  }

  private(set) var hints: [Hint] = []

  init(_ state: AppState, width: Int) {
    func columns(_ action: Action, from column: Int) -> Range<Int> {
      let label = state.keymap.label(action, ascii: state.isASCII)
      return column..<column + label.count + 1 + (action.hint ?? "").count
    }
    func hint(_ action: Action, from column: Int, isUrgent: Bool = false) -> Hint {
      Hint(
        action: action, label: state.keymap.label(action, ascii: state.isASCII),
        columns: columns(action, from: column), isUrgent: isUrgent)
    }
    let all = state.offered.filter { offer in
      offer.action.hint != nil && !state.keymap.label(offer.action, ascii: true).isEmpty
    }
    let last = all.map(\.action).filter { $0.name == .help || $0.name == .quit }
    let end = width - 1
    let lastWidth = last.reduce(0) { $0 + columns($1, from: 0).count + 2 }
    var column = 1
    for offer in all where offer.action.name != .help && offer.action.name != .quit {
      let next = hint(offer.action, from: column, isUrgent: offer.isUrgent)
      if next.columns.upperBound + lastWidth > end { break }
      hints.append(next)
      column = next.columns.upperBound + 2
    }
    column = max(column, end - lastWidth + 2)
    for action in last {
      hints.append(hint(action, from: column))
      column = (hints.last?.columns.upperBound ?? column) + 2
    }
  }

  func paint(row: Int, on canvas: inout Canvas) {
    for hint in hints {
      let role: Role = hint.isUrgent ? .warning : .accent
      canvas.put(
        [(hint.label, role), (" \(hint.action.hint ?? "")", hint.isUrgent ? .warning : .dim)],
        row: row, column: hint.columns.lowerBound)
    }
  }
}

extension AppState {
  /// What can be asked for here, the most useful first.
  var offered: [(action: Action, isUrgent: Bool)] {
    if case .question(let question) = dialog { return question.buttons.map { ($0, false) } }
    let actions = Action.inMode(mode)
    guard mode == .queue else { return actions.map { ($0, false) } }
    // Of very many that are marked, the one under the cursor stands for all: frames come often.
    let subjects = marks.count > 50 ? selected.map { [$0] } ?? [] : subjects
    let useful = actions.filter { isOfUse($0.name, on: subjects) }
    let (ranks, last) = (Self.footerRanks, Self.footerRanks.count)
    return useful.enumerated().sorted { one, other in
      (ranks[one.element.name] ?? last, one.offset)
        < (ranks[other.element.name] ?? last, other.offset)
    }
    .map { ($0.element, $0.element.name == .retry) }
  }

  /// How to get files in, then what the row can do, then what the queue can do.
  private static let footerRanks: [Action.Name: Int] = Dictionary(
    uniqueKeysWithValues: ([
      .add, .retry, .details, .copyURL, .pause, .edit, .remove, .browse, .retryAll, .undo, .target,
      .limit, .sort, .clear, .mark,
    ] as [Action.Name]).enumerated().map { ($1, $0) })

  private func isOfUse(_ name: Action.Name, on subjects: [UploadItem]) -> Bool {
    switch name {
    case .details, .remove: !subjects.isEmpty
    case .retry: subjects.contains(where: isRetriable)
    case .retryAll: queue.totals.failed > 0 || !outages.isEmpty || !refusals.isEmpty
    case .pause: subjects.contains { !$0.state.isFinished && !$0.state.isHandedOver }
    case .edit: !subjects.isEmpty && subjects.allSatisfy { !$0.state.isActive && !$0.state.isDone }
    case .copyURL: subjects.contains { $0.url != nil }
    case .limit: queue.totals.busy > 0 || rateLimit != nil
    case .target: options.targets.count > 1
    case .clear: queue.totals.done > 0
    case .mark, .sort: queue.count > 1
    case .undo: edits.canUndo
    default: true
    }
  }

  /// Whether sending it again, or at once, is something that can be asked for.
  func isRetriable(_ item: UploadItem) -> Bool {
    item.state.failure != nil
      || item.state == .waiting && obstacle(for: item)?.isOfTheServer == true
  }
}
