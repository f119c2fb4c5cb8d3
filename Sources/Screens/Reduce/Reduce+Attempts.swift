import Scheduling
import UploadModel

/// The attempts of a file that this window has not seen.
extension AppState {
  /// Requests the attempts at the file whose details are shown beside the list, if there were others than those that
  /// this window has seen.
  mutating func readAttempts() -> [Effect] {
    guard dialog == nil, pane == .queue, layout.side != nil, let item = selected,
      let row = queue.row(item.id),
      row.lacksAttempts || item.id <= known.lastFromBefore && !row.attempts.isEmpty
    else {
      attemptsRead = nil
      return []
    }
    // Once for each attempt.
    guard attemptsRead?.id != item.id || attemptsRead?.state.kind != item.state.kind else {
      return []
    }
    attemptsRead = item
    return [.readAttempts(item.id)]
  }
}
