import Commands
import Dispatch
import Foundation
import Screens

/// What happens when nothing is left to send. Of several processes that show a queue, the one that sends does what
/// has to be done once.
extension ScreenSession {
  func notify(_ text: String) {
    if (interface as? PlainInterface)?.isAlone == true { notifyDesktop(text) }
    interface.notify(text)
  }

  func notifyDesktop(_ text: String) {
    guard engine != nil else { return }
    do throws(Command.Failure) {
      try start(["notify-send", "--app-name=hoist", "hoist", text])
    } catch {
      // There is no such program, but the terminal may be able to show it.
      interface.notify(text)
    }
  }

  /// Runs the user's command. It may outlive this process.
  func runEndCommand(_ counts: EndCounts) {
    guard engine != nil else { return }
    let numbers = [
      "HOIST_SENT=\(counts.sent)", "HOIST_FAILED=\(counts.failed)",
      "HOIST_UNKNOWN=\(counts.unknown)",
    ]
    do throws(Command.Failure) {
      try start(["env"] + numbers + options.preferences.endCommand)
    } catch {
      handle([.message("on_end: \(error)")])
    }
  }

  /// Starts a program that may outlive this one, and reports if it fails.
  ///
  /// - Parameters:
  ///   - failure: what to say then, before its status.
  ///   - advice: what to say after it.
  func start(
    _ words: [String], ifItFails failure: String = "the program run at the end failed",
    _ advice: String = ""
  ) throws(Command.Failure) {
    let process = try DetachedProgram.start(words, files: [-1, -1, -1])
    Thread.detachNewThread { [weak self] in
      var status: Int32 = 0
      guard waitpid(process, &status, 0) == process, status != 0 else { return }
      let words = "\(failure) (status \(status >> 8 & 0xFF))\(advice)"
      onMain { self?.handle([.message(words)]) }
    }
  }
}
