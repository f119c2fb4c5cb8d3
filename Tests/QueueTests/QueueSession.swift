import Dispatch
import Foundation
import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadEngine
import UploadModel
import UploadStore

@testable import Queue

/// A shared queue with its file, an engine and targets, and nothing that shows it.
@MainActor
final class QueueSession {
  /// Holds the items and remembers the news.
  final class Holder: QueueHolder {
    private var state = QueueState(isReading: true)
    private(set) var news: [QueueNews] = []
    /// What it said of the news, in order.
    private(set) var remarks: [Remark] = []

    var items: ItemList { state.items }
    var speeds: Speeds { state.speeds }

    func receive(_ news: [QueueNews]) {
      self.news += news
      for news in news { remarks += state.receive(news, at: TimeSource.system.now()) }
    }

    /// What was said, in order.
    var messages: [String] {
      news.compactMap { if case .message(let text) = $0 { text } else { nil } }
    }
  }

  let holder = Holder()
  let store: UploadStore
  let queue: SharedQueue

  /// A session with the queue in `folder`, whose files go to `url`. `look` looks at a file before it is sent again.
  init(
    in folder: ScratchDirectory, to url: URL, options: SharedQueue.Options = .init(),
    look: @escaping @Sendable (UploadItem) -> UploadItem = { $0.with(.waiting) }
  ) throws {
    store = try UploadStore(path: folder.path("queue.sqlite"))
    let environment = Self.environment(folder)
    let recorder = QueueRecorder(store: store, option: "", environment: environment) { _, _ in
      ("left", true)
    }
    queue = SharedQueue(
      recorder, for: holder,
      with: SharedQueue.Tools(
        sending: Conductor.Tools(
          // All targets are one server.
          book: SingleTarget(SendPlan(Target(name: "nas", url: url)), at: url.absoluteString),
          time: .system, mediaType: { _ in nil }),
        environment: environment, reading: DispatchQueue(label: "test.reading"),
        lookups: DispatchQueue(label: "test.lookups"), look: look),
      options: options)
  }

  /// The lock on the queue in `folder` and its socket, as another process that sends it has them.
  static func sender(
    in folder: ScratchDirectory
  ) throws -> (lock: SenderLock, server: SenderServer) {
    let path = folder.path("queue.sqlite")
    let lock = try #require(try SenderLock(queue: path, waiting: false))
    return (lock, try SenderServer(at: SocketPlace(queue: path, environment: environment(folder))))
  }

  /// The same, with a link that passes on what it is told.
  static func link(in folder: ScratchDirectory) throws -> (lock: SenderLock, link: QueueLink) {
    let path = folder.path("queue.sqlite")
    let lock = try #require(try SenderLock(queue: path, waiting: false))
    let link = QueueLink(queue: path, environment: environment(folder))
    link.serve()
    return (lock, link)
  }

  private static func environment(_ folder: ScratchDirectory) -> [String: String] {
    ["XDG_RUNTIME_DIR": folder.path, "TMPDIR": folder.path]
  }

  /// Writes files, and puts them into a queue's file.
  static func queue(_ names: String..., in folder: ScratchDirectory, bytes: Int = 7) throws {
    let store = try UploadStore(path: folder.path("queue.sqlite"))
    _ = try store.enqueue(
      names.map { name in
        let location = FileLocation(
          try folder.write(name, [UInt8](repeating: UInt8(ascii: "a"), count: bytes)))
        let identity = try FileIdentity(of: location)
        var item = UploadItem(
          id: ItemID(0), location: location, mediaType: "text/plain", typeSource: "",
          size: identity.size, identity: identity)
        item.target = "nas"
        return item
      })
  }

  /// What the files are said to be, in order.
  var kinds: [ItemState.Kind] { holder.items.items.map(\.state.kind) }

  /// Waits until the files are said to be this.
  func wait(until kinds: ItemState.Kind...) async throws {
    try await TestSupport.wait(for: "\(kinds)", otherwise: { "\(self.kinds)" }) {
      self.kinds == kinds ? true : nil
    }
  }

  func close() async { await queue.close(isForced: false, awaitingReplies: 0) }
}
