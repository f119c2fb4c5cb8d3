import Dispatch
import Foundation
import ScalarText
import Screens

/// Lines instead of a screen: what changes is said on standard output, commands come from standard
/// input, a line each.
final class PlainInterface: UserInterface {
  var onEvents: ([AppEvent]) -> Void = { _ in }
  /// Is told when nobody will say anything any more.
  var onEnd: () -> Void = {}
  /// Waits until what a line has asked for is found: a script's next line may be about it.
  var settle: @Sendable () -> Void = {}
  /// How things stand. Asked rather than kept: a second owner would have the queue copied at each
  /// change.
  var state: () -> AppState? = { nil }
  let isUTF8 = true
  /// Wide enough for nothing to be cut.
  let size = Size(width: 200, height: 60)

  private var announcer = Announcer()
  private let signals = Signals([SIGTERM, SIGHUP, SIGINT])
  private var isListening = false
  /// Whether the open dialog has been spoken and is about to be closed.
  private var isClosing = false
  private var isOpen = true

  init() {
    let signals = signals.stream
    Task { [weak self] in
      for await _ in signals { self?.onEvents([.terminate]) }
    }
  }

  func show(_ state: AppState) {
    guard isOpen else { return }
    if !isListening { listen() }
    for line in announcer.lines(for: state) { Output.line(line) }
    let (lines, mustClose) = Announcer.dialog(of: state)
    guard mustClose, !isClosing else { return }
    isClosing = true
    say(lines)
    // Beside this call: it is in the middle of an event.
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        self.onEvents([.perform(.close)])
        self.isClosing = false
      }
    }
  }

  private func listen() {
    isListening = true
    // A thread of its own: not everything that can stand for standard input can be waited for.
    Thread.detachNewThread { [weak self, settle] in
      while let line = readLine() {
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.handle(line) } }
        settle()
      }
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.onEnd() } }
    }
  }

  func redraw() {}
  func ring() {}
  func suspend() { kill(getpid(), SIGSTOP) }
  /// There is no clipboard to be had: whoever listens can copy the line.
  func copy(_ text: String) { Output.line(text) }
  func notify(_ text: String) { Output.line(text) }

  func restore() {
    isOpen = false
  }

  private func handle(_ line: String) {
    guard let state = state(), isOpen else { return }
    let line = line.trimming(\.isWhiteSpace)
    if let answer = state.answer(line) { return onEvents([.perform(answer)]) }
    switch line {
    case "list": say(Announcer.list(of: state))
    case "status": say([Announcer.status(of: state)])
    case "help": say(Announcer.help())
    case _ where state.isAsking: break
    default: return onEvents([.command(line)])
    }
    // Whatever else was said, the question waits for its answer.
    say(Announcer.question(of: state))
  }

  private func say(_ lines: [String]) {
    for line in lines { Output.line(line) }
  }
}
