import Dispatch
import Foundation
import ProcessContext
import Queue
import ScalarText
import Screens

/// Lines instead of a screen: changes are written to standard output, commands are read from standard input.
package final class PlainInterface: UserInterface {
  var onEvents: ([AppEvent]) -> Void = { _ in }
  var wordsOnSuspension: () -> String? = { nil }
  /// Called at the end of standard input.
  var onEnd: () -> Void = {}
  /// Waits until the files that a line asked for are found: a script's next line may refer to them.
  var settle: @Sendable () -> Void = {}
  /// The current state. It is fetched and not stored: with a second owner, every change would copy the queue.
  var state: () -> AppState? = { nil }
  let isUTF8 = true
  let showsEachState = true
  /// Wide enough that nothing is cut.
  let size = Size(width: 200, height: 60)

  private let context: Context
  private var announcer = Announcer()
  private let signals: Signals
  private var isListening = false
  /// Whether the open dialog has been spoken and is about to be closed.
  private var isClosing = false
  private var isOpen = true

  init(in context: Context) {
    self.context = context
    self.signals = context.signals([SIGTERM, SIGHUP, SIGINT])
    let signals = signals.stream
    Task { [weak self] in
      for await number in signals { self?.stop(number) }
    }
  }

  private func stop(_ signal: Int32) {
    onEvents([signal == SIGHUP ? .hangUp : .terminate])
  }

  func show(_ state: AppState) {
    guard isOpen else { return }
    if !isListening { listen() }
    for line in announcer.lines(for: state) { context.output.line(line) }
    guard let lines = Announcer.dialog(of: state), !isClosing else { return }
    isClosing = true
    say(lines)
    // Not within this call, which is still handling an event.
    onMain {
      self.onEvents([.perform(.close)])
      self.isClosing = false
    }
  }

  private func listen() {
    isListening = true
    // On a thread: not everything that can be standard input works with a dispatch source.
    Thread.detachNewThread { [weak self, settle, input = context.input] in
      while let line = input.line() {
        onMain { self?.handle(line) }
        settle()
      }
      onMain { self?.onEnd() }
    }
  }

  func redraw() {}
  func ring() {}
  func suspend() {
    if let words = wordsOnSuspension() { context.output.line(words) }
    kill(getpid(), SIGSTOP)
  }
  /// Prints the text on a line, from which the user can copy it, since there is no clipboard.
  func copy(_ text: String) { context.output.line(text) }
  func notify(_ text: String) { context.output.line(text) }

  func restore() { isOpen = false }

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
    // Repeat the question after other messages, since it still waits for an answer.
    say(Announcer.question(of: state))
  }

  private func say(_ lines: [String]) {
    for line in lines { context.output.line(line) }
  }
}
