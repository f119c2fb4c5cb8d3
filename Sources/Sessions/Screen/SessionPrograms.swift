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

  init(
    environment: [String: String], endCommand: [String],
    notify: @escaping @MainActor @Sendable (String) -> Void,
    say: @escaping @MainActor @Sendable (String) -> Void
  ) {
    (self.environment, self.endCommand) = (environment, endCommand)
    (self.notify, self.say) = (notify, say)
  }

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
      try start(
        ["notify-send", "--app-name=hoist", "hoist", text], ifItFails: "notify-send failed")
    } catch {
      // notify-send cannot be started, but the terminal may be able to show the text.
      notify(text)
    }
  }

  func runEndCommand(_ counts: Totals) {
    let program = SafeText.line(endCommand.first ?? "")
    let numbers = [
      "HOIST_SENT=\(counts.done)", "HOIST_FAILED=\(counts.failed)",
      "HOIST_UNKNOWN=\(counts.unknown)",
    ]
    do throws(Command.Failure) {
      try start(["env"] + numbers + endCommand, ifItFails: "on_end: \(program) failed")
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
    _ words: [String], ifItFails failure: String, _ advice: String = ""
  ) throws(Command.Failure) {
    let process = try DetachedProgram.start(words, files: [-1, -1, -1])
    running.count += 1
    Thread.detachNewThread { [say, running] in
      var status: Int32 = 0
      let hasEnded = waitpid(process, &status, 0) == process
      let end = hasEnded ? Self.words(forEnd: status) : nil
      onMain {
        if let end { say("\(failure) (\(end))\(advice)") }
        running.count -= 1
      }
    }
  }

  /// How a program ended, unless all was well.
  nonisolated private static func words(forEnd status: Int32) -> String? {
    // wait(2): the low seven bits are the signal's number, the second byte is the exit status.
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    if signal != 0 { return "signal \(signal)" }
    switch code {
    case 0: return nil
    // What env and shells say.
    case 126: return "status 126: a program cannot be run"
    case 127: return "status 127: a program was not found"
    default: return "status \(code)"
    }
  }

  /// Waits for the programs that have been started, at most for these seconds, so that a mistake in one is reported
  /// even if the session ends at once.
  func settle(within seconds: Double) async {
    guard running.count > 0 else { return }
    let limit = Task { [running] in
      try await Task.sleep(for: .seconds(seconds))
      running.letGo()
    }
    await withCheckedContinuation { running.waiter = $0 }
    limit.cancel()
  }

  /// The programs that run, and who waits for their end.
  @MainActor
  private final class Running {
    var count = 0 { didSet { if count == 0 { letGo() } } }
    var waiter: CheckedContinuation<Void, Never>?

    func letGo() { waiter.take()?.resume() }
  }

  private let running = Running()
}
