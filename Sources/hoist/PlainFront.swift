import Dispatch
import Foundation
import Screens

/// Lines instead of a screen: what changes is said on standard output, commands come from standard
/// input, a line each.
final class PlainFront: Front {
  var onEvents: ([AppEvent]) -> Void = { _ in }
  /// Is told when nobody will say anything any more.
  var onEnd: () -> Void = {}
  let isUTF8 = true
  /// Wide enough for nothing to be cut.
  let size = Size(width: 200, height: 60)

  private var announcer = Announcer()
  private var state: AppState?
  private var sources: [any DispatchSourceProtocol] = []
  private var isOpen = true

  init() {
    for number in [SIGTERM, SIGHUP, SIGINT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated { self?.onEvents([.terminate]) }
      }
      source.activate()
      sources.append(source)
    }
  }

  func show(_ state: AppState) {
    guard isOpen else { return }
    if self.state == nil { listen() }
    self.state = state
    for line in announcer.lines(for: state) { Output.line(line) }
    let (lines, mustClose) = Announcer.dialog(of: state)
    for line in lines { Output.line(line) }
    // Beside this call: it is in the middle of an event.
    if mustClose {
      DispatchQueue.main.async { MainActor.assumeIsolated { self.onEvents([.perform(.close)]) } }
    }
  }

  private func listen() {
    // A thread of its own: not everything that can stand for standard input can be waited for.
    Thread.detachNewThread { [weak self] in
      while let line = readLine() {
        DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(line) } }
      }
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.onEnd() } }
    }
  }

  func redraw() {}
  func ring() {}
  func suspend() { kill(getpid(), SIGSTOP) }
  func copy(_ text: String) {}
  func notify(_ text: String) { Output.line(text) }

  func restore() {
    isOpen = false
    for source in sources { source.cancel() }
    sources = []
  }

  private func take(_ line: String) {
    guard let state, isOpen else { return }
    let line = line.trimmingCharacters(in: .whitespaces)
    if state.isAsking {
      guard let answer = state.answer(line) else {
        return say(["answer with one of the letters"])
      }
      return onEvents([.perform(answer)])
    }
    switch line {
    case "list": say(Announcer.list(of: state))
    case "status": say([Announcer.status(of: state)])
    case "help": say(Announcer.help())
    default: onEvents([.command(line)])
    }
  }

  private func say(_ lines: [String]) {
    for line in lines { Output.line(line) }
  }
}
