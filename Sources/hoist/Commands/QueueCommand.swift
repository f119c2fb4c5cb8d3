import ArgumentParser
import ProcessContext
import Queue
import ScalarText
import Sessions
import UploadEngine
import UploadModel
import UploadStore

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue",
    abstract: "Show and change the queue, even while it is sent.",
    subcommands: [List.self, Remove.self, Retry.self, Clear.self, Stop.self, Start.self],
    defaultSubcommand: List.self)

  struct List: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show what is in the queue.")

    @OptionGroup var queue: QueueOptions

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @Flag(
      help: "After the list, print what happens to each file until the hoist that sends them exits."
    )
    var follow = false

    @MainActor
    func run(in context: Context) async throws {
      let store = try queue.store(in: context, mustExist: true)
      // Listen before the queue is read, so that nothing is missed in between.
      let follower = Result { follow ? try QueueFollower(store, json: json, in: context) : nil }
      try await list(store, in: context)
      try await follower.get()?.run()
    }

    @MainActor
    private func list(_ store: UploadStore, in context: Context) async throws {
      var items = try store.items()
      var isSent = true
      var stopped: StoppedSender?
      if items.contains(where: \.state.isActive) {
        isSent = SenderLock.isTaken(queue: store.path)
        if !isSent {
          // The sender may have finished since the items were read, or may have been killed.
          items = try store.items()
        } else if let found = StoppedSender(queue: store.path) {
          stopped = found
        } else if let status = await SenderGlance.status(of: store, in: context) {
          // The queue's file does not say how far they are.
          items = items.map { item in
            guard item.state.isActive, let state = status.state(of: item.id), state.isActive
            else { return item }
            return item.with(state)
          }
        }
      }
      for item in items {
        context.output.line(
          json ? QueueLine.text(of: item, isSent: isSent) : item.row(isSent: isSent))
      }
      if !json {
        let option = UsualQueue.option(for: store.path, context.environment)
        try context.output.error(
          Self.sum(items, isSent: isSent, isStopped: store.isStopped(), option))
        if let stopped { context.output.error("! \(stopped.words)") }
      }
    }

    private static func sum(_ items: [UploadItem], isSent: Bool, isStopped: Bool, _ option: String)
      -> String
    {
      guard !items.isEmpty else { return "the queue is empty" }
      let totals = Totals(of: items)
      let rest = [
        (totals.failed - totals.notTried, "failed"), (totals.notTried, "not tried"),
        (totals.unknown, "unknown"), (totals.doubtful, "doubtful"),
      ]
      .filter { $0.0 > 0 }.map { ", \(HumanReadable.grouped($0.0)) \($0.1)" }.joined()
      let left =
        isSent || !items.contains { $0.state.word(isSent: false) == "interrupted" }
        ? "" : "; no hoist is sending them; the next one will continue what was interrupted"
      let stopped = isStopped ? "; it is stopped; \"hoist queue start\(option)\" resumes it" : ""
      return "\(HumanReadable.count(items.count, "file")) in the queue\(rest)\(left)\(stopped)"
    }
  }

  struct Remove: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove files from the queue. Uploads under way are cancelled.",
      discussion:
        "If an upload could have been resumed, the part that the server has is deleted there.")

    @OptionGroup var queue: QueueOptions
    @OptionGroup var config: ConfigOption

    @Argument(help: ArgumentHelp("Numbers as hoist queue list shows them.", valueName: "number"))
    var numbers: [String]

    func run(in context: Context) async throws {
      let store = try queue.store(in: context, mustExist: true)
      let items = try numbers.items(in: store)
      try store.remove(items.map(\.id))
      context.output.error("\(HumanReadable.count(items.count, "file")) removed")
      var allForgotten = true
      for item in items where !item.state.isDone {
        guard let point = item.resumePoint else { continue }
        let name = SafeText.line(item.location.description)
        if let why = await refusal(of: item, point, in: context) {
          allForgotten = false
          context.output.error(
            "hoist: the partial upload of \(name) was not deleted from the server: \(SafeText.line(why)). "
              + "The server keeps it until it expires.")
        } else {
          context.output.error("\(name): its partial upload was deleted from the server")
        }
      }
      if !allForgotten { try ExitStatus.someFailed.exitUnlessSuccess() }
    }

    /// Asks the server to discard the part of a file that it has. Returns why that failed, or nil if it succeeded.
    private func refusal(
      of item: UploadItem, _ point: ResumePoint, in context: Context
    ) async -> String? {
      do {
        let target = try config.load(in: context).target(point.target)
        let isForgotten = try await ServerClient(target: target, time: context.time)
          .forget(point, of: item)
        return isForgotten ? nil : "the target has no request for that (pieces.abort)"
      } catch let failure as Failure {
        return failure.sentence
      } catch {
        return "\(error)"
      }
    }
  }

  struct Retry: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "retry",
      abstract: "Queue failed files again: all of them, or those with the given numbers.",
      discussion: """
        Files that may already be on the server are sent again only if their numbers are given. Files that are \
        paused resume if their numbers are given.
        """)

    @OptionGroup var queue: QueueOptions

    @Argument(help: ArgumentHelp("Numbers as hoist queue list shows them.", valueName: "number"))
    var numbers: [String] = []

    func run(in context: Context) throws {
      let store = try queue.store(in: context, mustExist: true)
      let named = try numbers.items(in: store)
      let all = try numbers.isEmpty ? store.items() : named
      let failed = all.filter { item in
        guard case .failed(let failure) = item.state else { return false }
        return !numbers.isEmpty || !failure.mayHaveArrived
      }
      var (left, looked) = (failed + named.filter { $0.state == .paused }, [UploadItem]())
      while !left.isEmpty {
        let next = left.map { item in
          item.state == .paused ? item.with(.waiting) : FileIntake().look(at: item)
        }
        // What a screen has edited meanwhile is looked at anew.
        let edited = try store.update(next, from: left).edited
        looked += next.filter { item in !edited.contains { $0.id == item.id } }
        left = edited
      }
      let unknown = all.count { $0.state.failure?.mayHaveArrived == true }
      let queued = looked.count { !$0.state.isFinished }
      context.output.error("\(HumanReadable.count(queued, "file")) queued again")
      for item in looked {
        guard let failure = item.state.failure else { continue }
        context.output.error("✗ \(SafeText.line(item.location.description)): \(failure.headline)")
      }
      for item in named where !item.state.isFailed && item.state != .paused {
        context.output.error(
          "· \(SafeText.line(item.location.description)) has not failed (\(item.state.phrase))")
      }
      if numbers.isEmpty, unknown > 0 {
        let option = UsualQueue.option(for: store.path, context.environment)
        context.output.error(
          "\(HumanReadable.count(unknown, "file")) may have arrived and \(unknown == 1 ? "is" : "are") left "
            + "alone: check the server, then give hoist queue retry\(option) their numbers")
      }
      if queued < looked.count { try ExitStatus.someFailed.exitUnlessSuccess() }
    }
  }

  struct Stop: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "stop",
      abstract: "Start no more files from the queue until hoist queue start is run.",
      discussion:
        "Uploads under way continue. The key s does the same on the screen. The queue stays stopped after a restart."
    )

    @OptionGroup var queue: QueueOptions

    func run(in context: Context) throws {
      let store = try queue.store(in: context, mustExist: true)
      try store.setStopped(true)
      let option = UsualQueue.option(for: store.path, context.environment)
      context.output.error(SharedQueue.stoppedWords(option))
    }
  }

  struct Start: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Resume a stopped queue.")

    @OptionGroup var queue: QueueOptions

    @MainActor
    func run(in context: Context) async throws {
      let store = try queue.store(in: context, mustExist: true)
      try await QueueStarter.start(store, in: context)
      context.output.error(
        SenderLock.isTaken(queue: store.path)
          ? "the queue resumes" : "the queue resumes once hoist or hoist send is started")
    }
  }

  struct Clear: HoistCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear",
      abstract: "Remove sent files from the queue, but not doubtful ones. The history keeps them.")

    @OptionGroup var queue: QueueOptions

    @Flag(help: "Remove failed files as well.")
    var failed = false

    @Flag(help: "Remove everything.")
    var all = false

    func run(in context: Context) throws {
      let store = try queue.store(in: context, mustExist: true)
      let gone = try store.items().filter {
        all || $0.state.isSettled || failed && $0.state.isFailed
      }
      try store.remove(gone.map(\.id))
      context.output.error("\(HumanReadable.count(gone.count, "file")) cleared")
    }
  }
}

extension UploadItem {
  /// The item as a line for people: number, state, size, type, name, target, and why it failed.
  /// `isSent`: whether there is a process that sends the queue.
  func row(isSent: Bool = true) -> String {
    let name = SafeText.line(location.description)
    let doubt = state.receipt.flatMap { $0.isDoubtful ? ": \(SafeText.line($0.words))" : nil }
    let reason = state.failure.map { ": \($0.headline)" } ?? doubt ?? ""
    let word = state.takesLane && !isSent ? state.word(isSent: false) : state.phrase
    let size = HumanReadable.bytes(size)
    return
      "\(id)  \(word)\(isSent ? far : "")  \(size)  \(markedType)  \(name) → \(target)\(reason)"
  }
}

extension UploadItem {
  /// " 61%" of a file that is being sent, if the process that sends it has said so.
  fileprivate var far: String {
    guard case .sending(_, let sent, let total) = state, sent > 0 else { return "" }
    return " \(HumanReadable.percent(sent, of: total))%"
  }
}

extension ItemState {
  /// The state in one word. Without a process that sends the queue, nothing in it is being sent, and what the other side
  /// had all of may have arrived.
  func word(isSent: Bool) -> String {
    guard takesLane, !isSent else { return word }
    return isHandedOver ? "unknown" : "interrupted"
  }
}

extension [String] {
  /// The items with the numbers on the command line.
  fileprivate func items(in store: UploadStore) throws -> [UploadItem] {
    guard !isEmpty else { return [] }
    let known = Dictionary(uniqueKeysWithValues: try store.items().map { ($0.id, $0) })
    return try ArgumentLists.unfolded(self).map { text in
      guard let number = Int64(text.hasPrefix(scalars: "#") ? String(text.dropFirst()) : text)
      else {
        throw UserError("\(text) is not a number; hoist queue list shows the numbers")
      }
      guard let item = known[ItemID(number)] else {
        throw UserError(
          "no file in the queue has the number \(number); hoist queue list shows the numbers")
      }
      return item
    }
  }
}
