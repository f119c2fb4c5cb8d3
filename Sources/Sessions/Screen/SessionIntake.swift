import Dispatch
import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import Queue
import Screens
import UploadModel
import UploadStore

/// Finds the files that the user names, and puts them into the queue.
@MainActor
final class SessionIntake {
  private let queue: SharedQueue
  private let loop: ScreenLoop
  private let targets: SessionTargets
  private let book: TargetCatalog
  private let home: String
  private let rules: FolderRules
  /// How files are queued unless the user says otherwise.
  private let usual: QueueIntake
  /// Where files are found, in the order of requests. A folder may take a long time.
  private let finding: DispatchQueue
  private let previews = LatestRequest()

  init(
    into queue: SharedQueue, _ usual: QueueIntake, in rules: FolderRules, home: String,
    _ loop: ScreenLoop, _ targets: SessionTargets, _ book: TargetCatalog, on finding: DispatchQueue
  ) {
    (self.queue, self.usual, self.rules, self.home) = (queue, usual, rules, home)
    (self.loop, self.targets, self.book, self.finding) = (loop, targets, book, finding)
  }

  /// Queues the files for the current target.
  private func add(finding find: @escaping @Sendable () -> [TypedLine.Files]) {
    var adder = usual
    let (intake, target) = (targets.intake, book.current.name)
    // Commands from standard input are taken as meant, since the author of a script is not there to be asked.
    let isAsked = !(loop.interface is PlainInterface)
    let asksOfSent = isAsked && !adder.skipsSent
    if isAsked { (adder.skipsSent, adder.skipsDoubtful) = (true, true) }
    finding.async { [loop, adder, rules] in
      var total = QueueIntake.Added()
      var twice: [UploadItem] = []
      // By now the queue has been read, and earlier additions are in it.
      let known = waitForMain { loop.items }
      let named = find()
      let unnamed = AddPreview(
        missing: named.flatMap(\.missing), mistake: named.lazy.compactMap(\.mistake).first)
      /// The paths of what has failed at this target. A file that cannot be sent, such as a broken link, is no use twice.
      lazy var failed = Set(
        known.items.lazy.filter { $0.state.isFailed && $0.target == target }.map(\.location))
      func takes(_ item: UploadItem) -> Bool {
        guard isAsked,
          known.copies(of: item.location.bytes, for: target) > 0
            || item.state.isFailed && failed.contains(item.location)
        else { return true }
        twice.append(item)
        return false
      }
      adder.add(
        named.flatMap(\.found), intake, in: rules, takes: takes, prepare: { $0.target = target }
      ) { result, isLast in
        if case .success(let added) = result { total.merge(added) }
        let leftOut =
          isLast
          ? LeftOut(waiting: twice, sent: asksOfSent ? total.skipped : [], doubtful: total.doubtful)
          : LeftOut()
        // The screen asks about these.
        if asksOfSent, isLast { total.skipped = [] }
        let count = HumanReadable.count(total.items.count, "file")
        var words: String?
        // The log counts the files as they come.
        var progress: String?
        if !isLast {
          progress = "\(count) so far…"
        } else if !unnamed.missing.isEmpty || unnamed.mistake != nil {
          words = unnamed.words
        } else if let said = total.words {
          words = said
        } else if total.items.isEmpty, total.skipped.isEmpty, leftOut.items.isEmpty {
          words = "nothing was added: no files were found there"
        } else if total.items.count >= QueueIntake.portion {
          progress = "\(count) added"
        }
        onMain { [words, progress] in
          self.show(result, saying: words)
          if let progress { loop.handle([.progress(progress)]) }
          if !leftOut.items.isEmpty { loop.handle([.leftOut(leftOut)]) }
        }
        return true
      }
    }
  }

  /// Looks for the files that the command line names.
  func add(_ wishes: [FileArgument]) {
    add { [home] in wishes.map { TypedLine.Files(found: $0.files(home: home)) } }
  }

  /// Looks for the files that the screen asks to add.
  func add(_ paths: [PathInput]) {
    add { [home] in
      paths.map { path in
        switch path {
        case .typed(let text): TypedLine(text: text, home: home).files
        case .exact(let text): TypedLine.Files(found: [NamedFile(FileLocation(text))])
        case .bytes(let bytes): TypedLine.Files(found: [NamedFile(FileLocation(bytes: bytes))])
        }
      }
    }
  }

  /// Queues files that were left out, in their current state.
  func addAgain(_ items: [UploadItem]) {
    var adder = usual
    adder.skipsSent = false
    finding.async { [adder, intake = targets.intake] in
      for start in stride(from: 0, to: items.count, by: QueueIntake.portion) {
        let portion = items[start...].prefix(QueueIntake.portion).map { item in
          item.state.isFinished ? item : intake.look(at: item)
        }
        let result = Result { () throws(StoreError) in try adder.add(portion) }
        onMain { self.show(result, saying: nil) }
      }
    }
  }

  /// Finds out which edited items their new targets have already, or may have. A path that was typed may be relative.
  func lookFor(_ edited: [UploadItem]) {
    var adder = usual
    (adder.skipsSent, adder.skipsDoubtful) = (true, true)
    let folder = FileManager.default.currentDirectoryPath
    let edited = edited.map { item in
      var item = item
      item.location = item.location.absolute(in: folder)
      return item
    }
    let moved = edited.filter { item in
      loop.items.item(item.id).map { $0.location != item.location } ?? false
    }
    loop.answer({ [adder, intake = targets.intake] in
      if let words = moved.lazy.compactMap({ Self.fault(of: $0, intake) }).first {
        return .pathRefused(words)
      }
      // If the history cannot be read, nothing is known of them.
      let found = try? adder.look(at: edited)
      return .editedFound(
        edited, LeftOut(sent: found?.skipped ?? [], doubtful: found?.doubtful ?? []))
    }) { [$0] }
  }

  /// Why a file cannot be sent from the path that an item was given; nil if it can.
  private nonisolated static func fault(of item: UploadItem, _ intake: FileIntake) -> String? {
    guard case .failed(let failure) = intake.look(at: item).state else { return nil }
    return failure.cause == .missing ? "no file is there" : "cannot be sent: \(failure.headline)"
  }

  /// Queues files of the history again, as they were sent. Says why, if one cannot be sent like that, and asks about
  /// those that wait already.
  func sendAgain(_ records: [ItemRecord]) {
    var adder = usual
    (adder.skipsSent, adder.skipsDoubtful) = (false, false)
    // As with files that are added: the author of a script is not there to be asked.
    let isAsked = !(loop.interface is PlainInterface)
    finding.async {
      [loop, adder, book, current = (name: book.current.name, intake: targets.intake)] in
      var intakes = [current.name: Result<FileIntake, UserError>.success(current.intake)]
      var refused: [String] = []
      var twice: [UploadItem] = []
      let known = waitForMain { loop.items }
      // A file that has failed and is still in the queue, as it was sent, is not queued a second time.
      let (again, records) = known.failed(as: records)
      if !again.isEmpty { onMain { self.queue.retry(again) } }
      for start in stride(from: 0, to: records.count, by: QueueIntake.portion) {
        var portion: [UploadItem] = []
        for record in records[start...].prefix(QueueIntake.portion) {
          let intake = intakes[record.target] ?? Self.intake(for: record.target, book)
          intakes[record.target] = intake
          do throws(UserError) {
            if SpooledInput.isInput(recordedAs: record.location) {
              throw UserError("it was an input that can be read only once; push it again")
            }
            let item = try intake.get().item(of: record)
            if isAsked, known.copies(of: item) > 0 {
              twice.append(item)
            } else {
              portion.append(item)
            }
          } catch {
            refused.append("\(SafeText.line(record.fileName)) was not queued: \(error)")
          }
        }
        let result = Result { () throws(StoreError) in try adder.add(portion) }
        onMain { self.show(result, saying: nil) }
      }
      if !twice.isEmpty { onMain { [twice] in loop.handle([.leftOut(LeftOut(waiting: twice))]) } }
      guard let first = refused.first else { return }
      let rest = refused.count > 1 ? " (and \(HumanReadable.grouped(refused.count - 1)) more)" : ""
      onMain { loop.handle([.message(first + rest)]) }
    }
  }

  private nonisolated static func intake(
    for target: String, _ book: TargetCatalog
  ) -> Result<FileIntake, UserError> {
    if let why = TargetCatalog.missing(for: target) { return .failure(UserError(why)) }
    guard let found = book.target(named: target) else {
      return .failure(UserError("there is no target \(SafeText.line(target)) any more"))
    }
    return .success(FileIntake(for: found))
  }

  /// Previews what a typed line would add, unless the user types another one meanwhile.
  func preview(_ text: String) {
    let (line, rules, number) = (TypedLine(text: text, home: home), rules, previews.next())
    loop.answer({ [previews] in line.preview(rules: rules) { !previews.isLast(number) } }) {
      $0.map { [.linePreview(for: text, $0)] } ?? []
    }
  }

  /// Offers completions for a path that is being typed.
  func complete(_ text: String) {
    let path = TypedPath(text: text, home: home)
    loop.answer({ path.completions }) { [.completions(for: text, $0)] }
  }

  private func show(_ result: Result<QueueIntake.Added, StoreError>, saying words: String?) {
    switch result {
    case .success(let added):
      queue.add(added.items)
      if let words { loop.handle([.message(words)]) }
    case .failure(let error): loop.handle([.message("nothing was added: \(error.brief)")])
    }
  }

  /// Waits at most 3 seconds until all files requested so far are found and in the queue. Returns whether they are.
  /// Blocks the calling thread, which must not be the main one.
  nonisolated func settle() -> Bool {
    let settled = DispatchSemaphore(value: 0)
    afterAll { settled.signal() }
    return settled.wait(timeout: .now() + 3) == .success
  }

  /// Calls back on the main queue once all files requested so far are found and in the queue.
  nonisolated func afterAll(_ body: @escaping @MainActor @Sendable () -> Void) {
    // Events already on the main queue may request files first.
    DispatchQueue.main.async { [finding, loop] in
      finding.async { loop.afterAnswers(body) }
    }
  }
}
