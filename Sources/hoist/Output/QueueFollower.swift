import Dispatch
import Foundation
import ProcessContext
import Queue
import Sessions
import UploadEngine
import UploadModel
import UploadStore

/// Prints the progress of the files in a queue, as reported by the process that sends them.
@MainActor
final class QueueFollower {
  private let store: UploadStore
  private let isJSON: Bool
  private let output: Output
  private let time: TimeSource
  private let listener: SenderListener
  private let news: AsyncStream<[SenderNews]>
  private var items: [ItemID: UploadItem] = [:]
  private var revision: Int64 = -1
  /// The process that sends, if it was stopped when it was last looked at.
  private var stopped: StoppedSender?
  /// The targets of which it was said that their files go more slowly.
  private var paced: Set<String> = []
  /// When the last line about an item was printed, and the state that it showed.
  private var said: [ItemID: (word: String, at: DispatchTime)] = [:]

  /// Listens to the process that sends the queue; fails if no process does.
  init(_ store: UploadStore, json isJSON: Bool, in context: Context) throws(UserError) {
    (output, time) = (context.output, context.time)
    self.store = store
    self.isJSON = isJSON
    do throws(LinkError) {
      listener = try SenderListener(
        at: SocketPlace(queue: store.path, environment: context.environment))
    } catch {
      let option = UsualQueue.option(for: store.path, context.environment)
      throw UserError(
        SenderLock.isTaken(queue: store.path)
          ? "--follow: the hoist that sends this queue cannot be reached: \(error)"
          : "--follow: no hoist is sending this queue. Start hoist send\(option), or hoist\(option), then follow it.",
        status: .someFailed)
    }
    let (news, continuation) = AsyncStream.makeStream(of: [SenderNews].self)
    self.news = news
    listener.onNews = { continuation.yield($0) }
    listener.onEnd = { continuation.finish() }
  }

  /// Returns when the sender ends.
  func run() async throws {
    let looks = Task { [weak self] in
      while !Task.isCancelled {
        self?.lookAtSender()
        try? await Task.sleep(for: .seconds(1))
      }
    }
    defer { looks.cancel() }
    for await news in news { try news.forEach(say) }
    guard listener.process != nil else {
      throw UserError(
        "--follow: another version of hoist is sending this queue", status: .someFailed)
    }
    output.error("the hoist that was sending has ended")
  }

  /// Says that the process that sends stands still, which it cannot say itself, or that it goes on.
  private func lookAtSender() {
    let now = StoppedSender(
      listener.process ?? SenderLock.holder(queue: store.path), queue: store.path)
    defer { stopped = now }
    guard now != stopped else { return }
    if let now {
      output.error("! \(now.words)")
    } else if let stopped {
      output.error("process \(stopped.process) goes on")
    }
  }

  private func say(_ news: SenderNews) throws {
    switch news {
    case .item(let id, let state): try say(state, of: id)
    case .server(let address, .away(let failure, _)) where !isJSON:
      output.error("! \(SafeText.line(address)) cannot be reached: \(failure.headline)")
    case .server(let address, .asksToWait(let failure, let until, _))
    where !isJSON && time.now() < until:
      output.error("! \(SafeText.line(address)) asks to wait: \(failure.headline)")
    case .pace(let target, let until?)
    where !isJSON && time.now() < until && paced.insert(target).inserted:
      let name = SafeText.line(target)
      output.error("! \(name) takes no more requests for now: its files go more slowly")
    case .refusal(let target, let trouble?) where !isJSON:
      output.error("! \(trouble.story(of: SafeText.line(target)))")
    case .complete: output.error("process \(listener.process ?? 0) sends this queue")
    case .run(let target, let news) where !isJSON:
      let words = news.words(isLasting: true)
      if !words.isEmpty { output.error("\(SafeText.line(target)): \(words)") }
    case .resumed, .server, .refusal, .pace, .run, .runsHaveEnded, .settings, .lanes, .figures,
      .speeds:
      break
    }
  }

  private func say(_ state: ItemState, of id: ItemID) throws {
    if items[id] == nil {
      let changes = try store.changes(since: revision)
      revision = changes.revision
      for item in changes.items { items[item.id] = item }
    }
    guard var item = items[id] else { return }
    item.state = state
    items[id] = state.isDone ? nil : item
    guard !isJSON else {
      output.line(QueueLine.text(of: item))
      return
    }
    // While an item's state stays the same, print at most one line a second about it.
    let now = DispatchTime.now()
    if let last = said[id], last.word == state.word, now < last.at + .seconds(1) { return }
    said[id] = state.isFinished ? nil : (state.word, now)
    output.line(item.row())
  }
}
