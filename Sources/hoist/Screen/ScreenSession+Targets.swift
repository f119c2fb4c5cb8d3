import ScalarText
import Screens
import Settings
import UploadModel

/// The targets that the screen can choose, as the configuration has them now.
extension ScreenSession {
  /// Where a configuration is, for people.
  static func words(for configuration: ConfigSource?, home: String) -> String? {
    (configuration?.path).map { path in
      let rest = String(path.unicodeScalars.dropFirst(home.unicodeScalars.count))
      return SafeText.line(path.hasPrefix(scalars: home + "/") && !home.isEmpty ? "~" + rest : path)
    }
  }

  /// Reads the configuration again. Files that wait for an edited target are sent as the target says now.
  ///
  /// - Parameter name: the target for files that are added from now on; nil to keep the current one.
  func readTargets(turningTo name: String? = nil) {
    let (book, current) = (book, book.current.name)
    let used = located.union([current])
    answer({
      Result { () throws(ConfigError) in
        book.forgetFailures()
        try book.reload()
        let changed = book.takeChanged().intersection(used)
        let next = name ?? (changed.contains(current) ? current : nil)
        let turned = next.map { ($0, book.turn(to: $0)) }
        // Commands may supply their secrets. Look them up now, so that nothing waits later.
        for name in changed { _ = book.target(named: name) }
        return (changed, turned)
      }
    }) { [weak self] result in
      switch result {
      case .success((let changed, let turned)):
        self?.sendAgainAsItIs(to: changed)
        return [.targets(book.names, urls: book.urls)]
          + (turned.map { self?.turned(to: $0, $1) ?? [] } ?? [])
      case .failure(let error):
        let words = "\(error)"
        return name == nil
          ? [.message(words)] : [.message(words), .setupRefused(words, isGoodEnough: false)]
      }
    }
  }

  private func turned(
    to name: String, _ result: Result<Boxed<Target>, Failure.Cause>
  ) -> [AppEvent] {
    switch result {
    case .success(let destination):
      let target = destination.value
      intake = FileIntake(for: target)
      return [
        .target(
          name: target.name, url: TargetURL.shown(target.url), concurrency: target.concurrency,
          listsServer: target.server.list != nil, usual: book.usual)
      ]
    case .failure(.unsendable(let why)): return [.message("\(name): \(why)")]
    case .failure(let cause): return [.message("\(name): \(Failure(cause).headline)")]
    }
  }

  private func sendAgainAsItIs(to targets: Set<String>) {
    guard !targets.isEmpty else { return }
    located.subtract(targets)
    sendAsTheyAre(state.items.filter { targets.contains($0.target) })
  }

  /// Tells the engine how those of these items that wait are sent now.
  func sendAsTheyAre(_ items: [UploadItem]) {
    let (sendable, shown) = jobs(
      items.filter { item in
        if case .retrying = item.state { return true }
        return item.state == .waiting
      })
    engine?.update(sendable)
    // Items whose target cannot be used now.
    let failed = shown.filter(\.state.isFinished)
    guard !failed.isEmpty else { return }
    engine?.remove(failed.map(\.id))
    handle([.engine(failed.map { ($0.id, $0.state) }, at: time.now())])
  }

  /// Tries a new target, writes it into the configuration, and switches to it.
  func setUp(_ answers: TargetAnswers, isGoodEnough: Bool) {
    guard let configuration = book.configuration else { return }
    trial = Task {
      do throws(NewTarget.Refusal) {
        readTargets(
          turningTo: try await NewTarget.make(
            answers, isGoodEnough: isGoodEnough, in: configuration))
      } catch {
        if Task.isCancelled { return }
        handle([.setupRefused(error.words, isGoodEnough: error.isGoodEnough)])
      }
    }
  }
}
