import Foundation
import UploadModel

/// What is printed on standard error after the screen has gone.
extension ScreenSession {
  /// Prints the results and returns the exit status.
  ///
  /// - Parameters:
  ///   - unwritten: what could not be written to the queue.
  ///   - successor: the process that continues with the queue, if any.
  func report(
    without unwritten: QueueRecorder.UnsavedResults?, successor: pid_t? = nil
  ) -> ExitStatus {
    let all = state.items.sorted { $0.id < $1.id }
    // If nothing is left, this process has seen what became of each file.
    if state.isAside, !state.isAtRest {
      context.output.error("another hoist goes on with the queue")
      return .success
    }
    if state.isReading {
      context.output.error("… and what else is in the queue, which was still being read")
    }
    let removed = state.removed
    guard !all.isEmpty || removed != (0, 0) else {
      return state.isReading || isUnusable ? .someFailed : .success
    }
    let shown = all.count(where: \.state.isDone)
    let folder = FileManager.default.currentDirectoryPath
    var lines: [String] = []
    for item in all {
      let name = SafeText.line(item.location.relative(to: folder).description)
      if case .failed(let failure) = item.state {
        lines.append("\(failure.sign) \(name): \(failure.headline)")
      } else if item.state.isHandedOver {
        lines.append("? \(name): outcome unknown; check on the server before you send it again")
      } else if !item.state.isFinished, successor == nil {
        lines.append("· \(name): not sent")
      }
    }
    if let unwritten { lines += losses(unwritten, in: folder) }
    for line in lines.prefix(Self.mostLines) { context.output.error(line) }
    if lines.count > Self.mostLines {
      context.output.error("… and \(lines.count - Self.mostLines) more")
    }
    // Removed files are not failures, and cleared files count as sent.
    let (sent, total) = (shown + removed.sent, all.count + removed.sent)
    let taken = removed.unsent > 0 ? "; \(removed.unsent) removed" : ""
    let left = all.count - shown
    let kept =
      left > 0 && successor == nil
      ? "; \(HumanReadable.count(left, "file")) left in the queue for the next hoist" : ""
    context.output.error("\(sent) of \(HumanReadable.count(total, "file")) sent\(taken)\(kept)")
    if isStopped, left > 0 {
      context.output.error(
        "the queue is stopped: hoist queue start goes on with it, and so does s on the screen")
    }
    if let successor {
      context.output.error(
        "the rest goes on in the background (process \(successor)); hoist shows it")
      return all.contains { $0.state.failure != nil && $0.state.isFinished }
        ? .someFailed : .success
    }
    let isWhole = !state.isReading && !isUnusable && unwritten == nil
    return sent == total && isWhole ? .success : .someFailed
  }

  /// Lines about results that are not in the queue.
  private func losses(_ unwritten: QueueRecorder.UnsavedResults, in folder: String) -> [String] {
    let names = unwritten.items.sorted().map { id in
      state.item(id).map { SafeText.line($0.location.relative(to: folder).description) } ?? "\(id)"
    }
    let count = HumanReadable.count(names.count, "file")
    let fate =
      if let place = unwritten.place {
        "it is in \(SafeText.line(place)), which the next hoist reads"
      } else {
        "the next hoist does not know it and may send again what has arrived"
      }
    return names.map { "! \($0): its result is not in the queue" }
      + ["! \(unwritten.reason); the results of \(count) are not in it: \(fate)"]
  }

  /// Enough to see what happened; `hoist queue list` has the rest.
  private static let mostLines = 40
}
