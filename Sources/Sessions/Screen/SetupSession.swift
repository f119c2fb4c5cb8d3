import FileDiscovery
import ProcessContext
import Screens

/// The screen of a first start: asks for a target, tries it, and writes it into the configuration.
@MainActor
package final class SetupSession {
  private let config: ConfigSource
  private let home: String
  private let loop: ScreenLoop
  private var done: CheckedContinuation<String?, Never>?
  /// The trial of a target.
  private var trial: Task<Void, Never>?

  package init(
    config: ConfigSource, preferences: ScreenPreferences, isASCII: Bool, context: Context
  ) throws {
    (self.config, home) = (config, context.home)
    let interface = try preferences.interface(in: context)
    var options = preferences.screen
    options.services = ServiceChoice.all
    options.secretsPlace = SecretFolder(beside: config).shownPath
    options.home = context.environment["HOME"]
    let state = AppState.setup(
      isASCII: isASCII || !interface.isUTF8, size: interface.size, now: context.time.now(),
      options: options)
    loop = ScreenLoop(state, on: interface, time: context.time)
    loop.onEffect = { [weak self] in self?.perform($0) }
  }

  /// Asks until there is a target and returns its name; nil if the user leaves instead.
  package func run() async -> String? {
    loop.start()
    let name = await withCheckedContinuation { done = $0 }
    loop.stop()
    return name
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .setUp(let answers, let isGoodEnough): setUp(answers, isGoodEnough: isGoodEnough)
    case .stopSetUp: trial?.cancel()
    case .complete(let text):
      let path = TypedPath(text: text, home: home)
      loop.answer({ path.completions }) { [.completions(for: text, $0)] }
    case .quit: end(with: nil)
    case .bell: loop.interface.ring()
    case .redraw: loop.interface.redraw()
    case .suspend: loop.interface.suspend()
    // There is no queue and no list yet.
    case .add, .addAgain, .sendAgain, .previewLine, .previewFile, .retry, .pause,
      .resume, .remove,
      .restore, .move, .reorder, .lookForEdited, .edit, .setStarted, .setConcurrency,
      .setLimit, .listFolder,
      .switchTarget, .readTargets, .showTarget, .tryTarget, .changeTarget, .makeDefault,
      .deleteTarget, .restoreTarget, .draftRule, .saveRule, .listServer,
      .deleteOnServer, .deleteUploaded,
      .listHistory, .inspect, .readAttempts, .probe, .copy, .openURL, .copyAsCurl, .writeLists,
      .confirm, .unconfirm,
      .notify, .notifyDesktop,
      .runEndCommand:
      break
    }
  }

  private func end(with name: String?) {
    done?.resume(returning: name)
    done = nil
  }

  private func setUp(_ answers: TargetAnswers, isGoodEnough: Bool) {
    trial = Task {
      do throws(NewTarget.Refusal) {
        end(with: try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: config))
      } catch {
        if Task.isCancelled { return }
        loop.handle([.setupRefused(error.words, at: error.part, isGoodEnough: error.isGoodEnough)])
      }
    }
  }
}
