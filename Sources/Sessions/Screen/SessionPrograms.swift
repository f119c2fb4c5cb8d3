import Commands
import Foundation
import Queue
import ScalarText
import Scheduling
import Screens
import UploadModel

/// Programs that a session starts and that may outlive it: the desktop's notifications, the browser, the user's command
/// for the end.
@MainActor
struct SessionPrograms {
  let environment: [String: String]
  let endCommand: [String]
  /// Shows a notification where the session shows everything else.
  let notify: @MainActor @Sendable (String) -> Void
  /// Says what has become of a program.
  let say: @MainActor @Sendable (String) -> Void

  /// Tells a user who watches no screen that nothing is left to send.
  func announceEnd(_ totals: Totals, by signal: AppState.EndSignal) {
    switch signal {
    case .none, .bell: break
    case .notify:
      notifyDesktop(totals.endWords)
      notify(totals.endWords)
    case .desktop: notifyDesktop(totals.endWords)
    }
    if !endCommand.isEmpty { runEndCommand(totals) }
  }

  func notifyDesktop(_ text: String) {
    do throws(Command.Failure) {
      try start(["notify-send", "--app-name=hoist", "hoist", text])
    } catch {
      // notify-send cannot be started, but the terminal may be able to show the text.
      notify(text)
    }
  }

  func runEndCommand(_ counts: Totals) {
    let numbers = [
      "HOIST_SENT=\(counts.done)", "HOIST_FAILED=\(counts.failed)",
      "HOIST_UNKNOWN=\(counts.unknown)",
    ]
    do throws(Command.Failure) {
      try start(["env"] + numbers + endCommand)
    } catch {
      say("on_end: \(error)")
    }
  }

  /// Shows an address in the user's browser: `$BROWSER`, or else the desktop's default.
  func openURL(_ url: String) {
    let browser = environment["BROWSER"] ?? ""
    // `$BROWSER` may list several programs, separated by colons; use the first.
    let program = browser.split(scalar: ":").first.flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
    do throws(Command.Failure) {
      // Do not wait: a browser stays open, and only a failure is reported.
      try start(
        ["env", program, url], ifItFails: "\(program) did not open the URL", "; press y to copy it")
    } catch {
      say("\(program) cannot be started: \(error)")
    }
  }

  /// Starts a program. If it fails, reports its status or signal, between `failure` and `advice`.
  private func start(
    _ words: [String], ifItFails failure: String = "the program run at the end failed",
    _ advice: String = ""
  ) throws(Command.Failure) {
    let process = try DetachedProgram.start(words, files: [-1, -1, -1])
    Thread.detachNewThread { [say] in
      var status: Int32 = 0
      guard waitpid(process, &status, 0) == process, status != 0 else { return }
      // wait(2): the low seven bits are the signal's number, the second byte is the exit status.
      let signal = status & 0x7F
      let end = signal == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(signal)"
      let words = "\(failure) (\(end))\(advice)"
      onMain { say(words) }
    }
  }
}
