import Scheduling
import UploadModel

/// The outcome of the queue when nothing was left to send, or nothing that could be sent, shown until the next key.
struct EndSummary: Sendable {
  let counts: Totals
  /// Why the targets of the files that are left refuse the credentials, by the targets' names.
  var troubles: [String: CredentialTrouble] = [:]
  /// How many of the sent files have an address.
  let addresses: Int
  /// What went wrong and why, a line for each reason, or for the only file that failed.
  var lines: [String] = []

  var problems: Int { counts.failed + counts.unknown + counts.doubtful }
}

extension AppState {
  /// Sums up the queue at its end, unless it has only one file, whose row says everything.
  mutating func sumUp() {
    let totals = queue.sessionTotals
    guard finishing == nil, totals.over > 1 || totals.busy > 0 else { return }
    // The box lies over the lower rows, so the first problem goes above it.
    if following.isOn {
      let problem = (0..<rowCount).first { row($0)?.item.isProblem == true } ?? 0
      list.show(
        from: max(0, problem - 1), cursor: problem, in: queue, height: layout.rows.count)
    }
    summary = EndSummary(
      counts: totals, troubles: refusals.filter { $0.value.holdsAll && isBusy($0.key) },
      addresses: queue.rows.count { $0.item.url != nil },
      lines: queue.sessionProblemGroups.map(line(for:)))
  }

  /// Why files failed, and how many; of a single one, its name.
  private func line(for group: FailureGroup<ItemID>) -> String {
    let isAlone = queue.totals.failed + queue.totals.unknown == 1 && group.reason.fate != .doubtful
    guard isAlone, let name = group.members.first.flatMap(item)?.fileName else { return group.line }
    return "\(SafeText.line(name)): \(SafeText.beginning(of: group.reason.words))"
  }

  /// Performs an action that has another meaning while the summary is shown; returns nil for all other actions.
  mutating func performInSummary(_ name: Action.Name) -> [Effect]? {
    guard let summary, isSummaryShown else { return nil }
    self.summary = nil
    switch name {
    case .details where summary.problems > 0:
      // If the cursor is already on the only problem, the key acts as usual.
      let id = selected?.id
      change(.next(RowKind.problems))
      return selected?.id == id ? nil : []
    case .copyURL where summary.addresses > 0:
      return copy(queue.rows.compactMap { row in row.item.url.map { .some($0) } })
    default: return nil
    }
  }

  /// Whether nothing more is sent until a person acts: nothing is left, or all of it waits for credentials.
  var isOver: Bool {
    isAtTheEnd
      || settings.isStarted && !isReading && queue.totals.paused == 0
        && known.isHeldBackByCredentials(target)
  }

  /// Whether the summary is visible: it lies over the queue, and under every dialog.
  var isSummaryShown: Bool { summary != nil && pane == .queue && dialog == nil && isOver }

  /// Whether files for a target are still to be sent, and not paused.
  private func isBusy(_ name: String) -> Bool {
    queue.isBusy(name) || name == target && queue.isBusy("")
  }
}
