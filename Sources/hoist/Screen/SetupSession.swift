import Screens
import UploadEngine
import UploadModel

/// The screen of a first start: asks for a target, tries it, and writes it into the configuration.
@MainActor
final class SetupSession {
  private let config: ConfigSource
  private let interface: any UserInterface
  private let time: TimeSource
  private var state: AppState
  private var done: CheckedContinuation<String?, Never>?

  init(
    config: ConfigSource, preferences: ScreenPreferences, isASCII: Bool, context: Context
  ) throws {
    self.config = config
    time = context.time
    interface = try preferences.interface(in: context)
    state = .setup(
      isASCII: isASCII || !interface.isUTF8, size: interface.size, now: time.now(),
      keymap: preferences.keymap)
  }

  /// Asks until there is a target and returns its name; nil if the user leaves instead.
  func run() async -> String? {
    interface.onEvents = { [weak self] in self?.handle($0) }
    interface.show(state)
    let name = await withCheckedContinuation { done = $0 }
    interface.restore()
    return name
  }

  private func handle(_ events: [AppEvent]) {
    for event in events {
      for effect in reduce(&state, event) { perform(effect) }
    }
    if done != nil { interface.show(state) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .setUp(let answers, let isGoodEnough): setUp(answers, isGoodEnough: isGoodEnough)
    case .quit: end(with: nil)
    case .bell: interface.ring()
    case .redraw: interface.redraw()
    case .suspend: interface.suspend()
    // There is no queue and no list yet.
    case .add, .addAgain, .preview, .complete, .retry, .pause, .resume, .remove, .restore, .move,
      .reorder,
      .edit, .setStarted, .hold, .setConcurrency, .setLimit, .listFolder, .switchTarget,
      .readTargets,
      .stopSetUp, .listServer, .deleteOnServer, .deleteUploaded, .listHistory, .inspect, .probe,
      .copy,
      .openURL, .copyAsCurl, .notify, .notifyDesktop, .runEndCommand:
      break
    }
  }

  private func end(with name: String?) {
    done?.resume(returning: name)
    done = nil
  }

  private func setUp(_ answers: TargetAnswers, isGoodEnough: Bool) {
    Task {
      do throws(NewTarget.Refusal) {
        end(with: try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: config))
      } catch {
        handle([.setupRefused(error.words, isGoodEnough: error.isGoodEnough)])
      }
    }
  }
}
