import ProcessContext
import Queue
import Screens
import Settings
import UploadEngine
import UploadModel

/// The targets of a session, as currently configured, and the one that new files go to.
@MainActor
final class SessionTargets {
  /// Examines files for the current target.
  private(set) var intake: FileIntake
  private let book: TargetCatalog
  private let loop: ScreenLoop
  private let queue: SharedQueue
  private let refused: RefusedTargets
  /// The target that was deleted last, and the configuration before and after.
  private var deletion: (name: String, before: String, after: String)?
  /// The trial of a new or changed target.
  private var trial: Task<Void, Never>?

  init(
    _ book: TargetCatalog, _ loop: ScreenLoop, of queue: SharedQueue, refused: RefusedTargets
  ) {
    (self.book, self.loop, self.queue, self.refused) = (book, loop, queue, refused)
    intake = FileIntake(for: book.current)
  }

  /// Reads the configuration again. Files that wait for an edited target are sent with its new settings; files that
  /// are added from now on go to the target `name`, or to the current one. `isSetUp` says that a form waits for the
  /// target that it has made.
  func read(selecting name: String? = nil, isSetUp: Bool = false) {
    let (book, current) = (book, book.current.name)
    let used = queue.located.union([current])
    loop.answer({
      Result { () throws(ConfigError) in
        book.forgetFailures(andRefused: [])
        try book.reload()
        let changed = book.takeChanged().intersection(used)
        let next = name ?? (changed.contains(current) ? current : nil)
        let selected = next.map { ($0, book.select($0)) }
        // Commands may supply the targets' secrets. Look them up now, so that nothing waits later.
        for name in changed { _ = book.target(named: name) }
        return (changed, selected)
      }
    }) { [weak self] result in
      switch result {
      case .success((let changed, let selected)):
        guard let self else { return [] }
        if !changed.isEmpty { queue.targetsHaveChanged(changed) }
        return [.targets(book.rows)] + (selected.map { self.selected($0, $1) } ?? [])
      case .failure(let error):
        let words = "\(error)"
        let isAwaited = isSetUp || name != nil
        return [.message(words)] + (isAwaited ? [.setupRefused(words, isGoodEnough: false)] : [])
      }
    }
  }

  private func selected(
    _ name: String, _ result: Result<SendPlan, Failure.Cause>
  ) -> [AppEvent] {
    switch result {
    case .success(let destination):
      let target = destination.target
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

  /// Shows all settings of a target, without secrets.
  func show(_ name: String) {
    guard let lines = book.lines(of: name) else {
      return loop.handle([.message("there is no target called \"\(name)\" any longer")])
    }
    let key = loop.state.keyLabel(.edit, in: .targets)
    let place =
      book.configuration.map {
        [
          "",
          "\(key) in the Targets pane changes its URL, its name and its token; everything else is in \($0.shownPath).",
        ]
      } ?? []
    let now = ["At present: \(loop.state.lanes(of: name).words)", ""]
    loop.handle([.page(title: name, lines: now + lines + place)])
  }

  /// Reads a target's secrets again, and tests whether it accepts uploads and these credentials. If so, sends what was
  /// held back. Credentials that were refused are not tried with a file unless they have changed, or the test has shown
  /// that they are accepted now.
  func tryOut(_ name: String) {
    book.forget(name)
    read()
    let book = book
    loop.answer({ book.known(name) }) { [weak self] result in
      switch result {
      case .success(let found): Task { await self?.tryOut(found.target) }
      case .failure(let cause): return [.tried(target: name, obstacle: Failure(cause).sentence)]
      }
      return []
    }
  }

  private func tryOut(_ target: Target) async {
    let client = ServerClient(target: target)
    let wasRefused = loop.state.refusedCredentials(of: target.name)
    // Leave out the host: the pane has little room, and its rows name the server.
    let obstacle = await client.obstacle(namesHost: false)
    // What the address says to this request is no reason to hold files back; that it refuses the credentials is.
    let refusal = obstacle == nil ? await client.logIn()?.words : nil
    if wasRefused, refusal == nil, refused.isUnchanged(target) != false {
      if let obstacle { return loop.handle([.tried(target: target.name, obstacle: obstacle)]) }
      if await !client.testsCredentials() {
        // A window that was opened later has not seen which ones were refused.
        let isKnown = queue.isSender && refused.isUnchanged(target) == true
        return loop.handle([.untested(target: target.name, isUnchanged: isKnown)])
      }
    }
    if refusal == nil, loop.state.holdsBack(target.name) { sendWhatIsHeldBack(by: target.name) }
    loop.handle([.tried(target: target.name, obstacle: obstacle ?? refusal)])
  }

  /// Once the configuration has been read, sends again the files that failed because of a target's credentials, and
  /// tries those that wait.
  private func sendWhatIsHeldBack(by target: String) {
    loop.afterAnswers { [queue] in queue.retry(heldBackBy: target) }
  }

  /// Applies an edit to the configuration, and reads it again; `then` makes the events for the screen from the
  /// configuration's text before and after.
  func change(
    _ edit: @escaping @Sendable (ConfigEdit) throws -> String,
    then: @escaping @MainActor (_ before: String, _ after: String) -> [AppEvent] = { _, _ in [] }
  ) {
    guard let configuration = book.configuration else { return }
    loop.answer({ Result { try configuration.change(edit) } }) { [weak self] result in
      switch result {
      case .success(let (before, after)):
        self?.read()
        return then(before, after)
      case .failure(let error): return [.message("\(error)")]
      }
    }
  }

  /// Removes a target from the configuration, and keeps the old text for `restore`.
  func delete(_ name: String) {
    change({ try $0.removing(name) }) { [weak self] before, after in
      self?.deletion = (name, before, after)
      return [.targetDeleted(name)]
    }
  }

  /// Restores the target that was deleted last, unless the configuration has been changed since.
  func restore() {
    guard let (name, before, after) = deletion else {
      return loop.handle([.message("no target has been deleted since hoist was started")])
    }
    change({ edit in
      guard edit.text == after else {
        throw UserError(
          "\(name) cannot be brought back: the configuration has been changed since the target was deleted"
        )
      }
      return before
    }) { [weak self] _, _ in
      self?.deletion = nil
      return [.message("\(name) is back")]
    }
  }

  /// Tries a new target, writes it into the configuration, and switches to it unless it is for files that are edited.
  func setUp(_ answers: TargetAnswers, isGoodEnough: Bool, isForEdit: Bool) {
    guard let configuration = book.configuration else { return }
    trial = Task {
      do throws(NewTarget.Refusal) {
        let name = try await NewTarget.make(answers, isGoodEnough: isGoodEnough, in: configuration)
        read(selecting: isForEdit ? nil : name, isSetUp: true)
      } catch {
        if Task.isCancelled { return }
        loop.handle([.setupRefused(error.words, at: error.part, isGoodEnough: error.isGoodEnough)])
      }
    }
  }

  /// Tries the changes to a target, and writes them into the configuration.
  func change(_ old: TargetRow, to new: TargetRow, token: String, isGoodEnough: Bool) {
    guard let configuration = book.configuration else { return }
    let isCurrent = old.name == book.current.name
    trial = Task {
      do throws(NewTarget.Refusal) {
        try await NewTarget.change(
          old, to: new, token: token, isGoodEnough: isGoodEnough, in: configuration)
        if !token.isEmpty { book.forget(old.name) }
        loop.handle([.targetChanged])
        read(selecting: isCurrent ? new.name : nil)
        // What failed because of the credentials, or waited for better ones, is sent with these.
        if !token.isEmpty || loop.state.refusedCredentials(of: old.name) {
          sendWhatIsHeldBack(by: old.name)
        }
      } catch {
        if Task.isCancelled { return }
        loop.handle([.setupRefused(error.words, at: error.part, isGoodEnough: error.isGoodEnough)])
      }
    }
  }

  /// Cancels the trial of a target.
  func stopSetUp() { trial?.cancel() }
}
