import Dispatch
import Queue
import Scheduling
import Screens
import UploadEngine
import UploadModel

/// The state of a screen, and the only place where it changes: events go into `reduce`, effects come out of it, and
/// the interface shows the result.
@MainActor
final class ScreenLoop: QueueHolder {
  private(set) var state: AppState
  let interface: any UserInterface
  /// Called with each effect that the screen asks for.
  var onEffect: (Effect) -> Void = { _ in }
  private let time: TimeSource
  let aside = SideQueues()
  /// Whether the screen is being left: what the engine still does is for the report at the end.
  private var isLeaving = false
  /// Whether the interface shows an earlier state.
  private var isStale = false
  private var clock: (any DispatchSourceTimer)?

  init(_ state: AppState, on interface: any UserInterface, time: TimeSource) {
    (self.state, self.interface, self.time) = (state, interface, time)
  }

  /// Shows the state, and handles the user's input from now on.
  func start() {
    interface.onEvents = { [weak self] in self?.handle($0) }
    interface.show(state)
  }

  /// Gives the terminal back.
  func stop() {
    clock?.cancel()
    interface.restore()
  }

  func handle(_ events: [AppEvent]) {
    take(events)
    show()
  }

  private func take(_ events: [AppEvent]) {
    // Update the time first, so that durations on the screen are correct.
    for effect in reduce(&state, .tick(time.now())) { onEffect(effect) }
    var isAnswered = false
    for event in events {
      let effects = reduce(&state, event)
      // Show the response to the key before writing to the disk.
      if !isAnswered, effects.contains(where: \.isWritten) {
        show()
        isAnswered = true
      }
      for effect in effects { onEffect(effect) }
    }
    keepTime()
  }

  private func show() {
    isStale = false
    interface.show(state)
  }

  var items: ItemList { state.queue }
  var speeds: Speeds { state.speeds }

  func receive(_ news: [QueueNews]) {
    if isLeaving, case .changed? = news.first {
      for news in news { _ = reduce(&state, .queue(news)) }
    } else if interface.showsEachState {
      handle(news.map(AppEvent.queue))
    } else {
      take(news.map(AppEvent.queue))
      showSoon()
    }
  }

  /// Shows the state once the news that is on its way has been taken: one frame for all of it.
  private func showSoon() {
    if isStale { return }
    isStale = true
    onMain { [weak self] in
      if let self, self.isStale { self.show() }
    }
  }

  /// Shows no further changes.
  func leave() { isLeaving = true }

  /// Does work off the main queue and handles the events that result.
  func answer<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value,
    then events: @escaping @MainActor @Sendable (Value) -> [AppEvent]
  ) {
    aside.answers.async {
      let value = work()
      onMain { [weak self] in self?.handle(events(value)) }
    }
  }

  /// Calls back on the main queue after the answers that have been asked for so far.
  nonisolated func afterAnswers(_ body: @escaping @MainActor @Sendable () -> Void) {
    aside.answers.async { onMain(body) }
  }

  /// Starts or stops the clock, which runs only while something on the screen depends on it.
  private func keepTime() {
    if !state.needsTicks {
      clock?.cancel()
      clock = nil
    } else if clock == nil {
      let timer = DispatchSource.makeTimerSource(queue: .main)
      timer.schedule(deadline: .now() + 0.25, repeating: 0.25, leeway: .milliseconds(25))
      // Even without events, this begins with a tick.
      timer.handleOnMain { [weak self] in self?.handle([]) }
      timer.activate()
      clock = timer
    }
  }
}

extension Effect {
  /// Whether the queue on disk must be written before this effect is performed.
  fileprivate var isWritten: Bool {
    switch self {
    case .pause, .remove, .restore, .move, .reorder, .edit: true
    default: false
    }
  }
}
