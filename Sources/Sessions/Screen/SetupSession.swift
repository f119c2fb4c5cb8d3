import FileDiscovery
import ProcessContext
import Queue
import Screens

/// The screen of a first start: asks for a target, tries it, and writes it into the configuration.
@MainActor
package final class SetupSession {
  package enum End: Sendable {
    /// The user has made the target of this name.
    case made(String)
    /// Another hoist or an editor has made one.
    case found
    /// The user has left.
    case left
  }

  private let config: ConfigSource
  private let home: String
  private let loop: ScreenLoop
  private let hasTarget: @Sendable () -> Bool
  private var done: CheckedContinuation<End, Never>?
  /// The trial of a target.
  private var trial: Task<Void, Never>?

  /// `hasTarget` says whether a target has been made elsewhere by now. `waiting` is what is to be queued then.
  package init(
    config: ConfigSource, preferences: ScreenPreferences, isASCII: Bool, waiting: String,
    context: Context, hasTarget: @escaping @Sendable () -> Bool
  ) throws {
    (self.config, home, self.hasTarget) = (config, context.home, hasTarget)
    let interface = try preferences.interface(in: context)
    var options = preferences.screen
    (options.services, options.waiting) = (ServiceChoice.all, waiting)
    options.secretsPlace = SecretFolder(beside: config).shownPath
    options.home = context.environment["HOME"]
    let state = AppState.setup(
      isASCII: isASCII || !interface.isUTF8, size: interface.size, now: context.time.now(),
      options: options)
    loop = ScreenLoop(state, on: interface, time: context.time)
    loop.onEffect = { [weak self] in self?.perform($0) }
  }

  /// Asks until there is a target, or the user leaves.
  package func run() async -> End {
    loop.start()
    lookForTarget()
    let end = await withCheckedContinuation { done = $0 }
    loop.stop()
    return end
  }

  /// Checks every second for a target. Before there is one, there may be no file or folder to watch.
  private func lookForTarget() {
    onMain(after: 1) { [weak self] in
      guard let self, done != nil else { return }
      loop.answer(hasTarget) { [weak self] isFound in
        guard let self else { return [] }
        if isFound, loop.state.givesWay { end(with: .found) } else { lookForTarget() }
        return []
      }
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .setUp(let answers, let isGoodEnough, _): setUp(answers, isGoodEnough: isGoodEnough)
    case .stopSetUp: trial?.cancel()
    case .complete(let text):
      let path = TypedPath(text: text, home: home)
      loop.answer({ path.completions }) { [.completions(for: text, $0)] }
    case .quit: end(with: .left)
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

  private func end(with end: End) {
    done?.resume(returning: end)
    done = nil
  }

  private func setUp(_ answers: TargetAnswers, isGoodEnough: Bool) {
    trial = Task {
      do throws(NewTarget.Refusal) {
        let name = try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: config)
        end(with: .made(name))
      } catch {
        if Task.isCancelled { return }
        loop.handle([.setupRefused(error.words, at: error.part, isGoodEnough: error.isGoodEnough)])
      }
    }
  }
}
