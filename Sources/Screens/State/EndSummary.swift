import Scheduling
import UploadModel

/// The outcome of the queue when nothing was left to send, or nothing that could be sent, shown until the next key.
struct EndSummary: Sendable {
  let counts: Totals
  /// Why the targets of the files that are left refuse the credentials, by the targets' names.
  var troubles: [String: CredentialTrouble] = [:]
  /// How many of the sent files have an address.
  let addresses: Int
  /// Why files are doubtful; the most frequent reason first.
  var doubts: [FailureGroup<ItemID>] = []
  /// Why files failed, if more than one did; the most frequent reason first.
  var reasons: [FailureGroup<ItemID>] = []
  /// The only file that failed, and why.
  var failure: String?

  /// What went wrong and why, a line for each reason, or for the only file that failed. What may be on the server comes
  /// first, since somebody has to look there.
  var lines: [String] {
    let unclear = reasons.filter(\.reason.isUnclear) + reasons.filter { !$0.reason.isUnclear }
    return doubts.map { group in
      let count = HumanReadable.grouped(group.members.count)
      return "\(count) × doubtful: \(SafeText.beginning(of: group.reason.words))"
    } + (failure.map { [$0] } ?? unclear.map(\.line))
  }

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
      doubts: totals.doubtful > 0 ? doubtGroups : [],
      reasons: totals.failed + totals.unknown > 1 ? queue.failureGroups : [],
      failure: totals.failed + totals.unknown == 1 ? onlyFailure : nil)
  }

  /// The doubtful files by what their replies say.
  private var doubtGroups: [FailureGroup<ItemID>] {
    FailureGroup.gathered(
      queue.rows.lazy.compactMap { row in
        guard let receipt = row.item.state.receipt, let doubt = receipt.doubt,
          !queue.isFromBefore(row.item)
        else { return nil }
        let isBreak = Receipt.isBreak(doubt)
        let reason = FailureReason(
          isBreak ? "\(receipt.status), reply broke off" : "\(receipt.status)",
          status: receipt.status, said: isBreak ? nil : doubt, of: row.item.fileName)
        return (reason, row.item.id)
      })
  }

  /// The name of the file that failed, and why.
  private var onlyFailure: String? {
    guard let group = queue.failureGroups.first,
      let name = group.members.first.flatMap(item)?.fileName
    else { return nil }
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
