import TestSupport
import Testing
import UploadStore

@testable import Queue

@Suite("Watching the queue")
@MainActor
struct ChangeWatchTests {
  let folder: ScratchDirectory

  init() throws { folder = try ScratchDirectory() }

  @Test(
    "A write calls back; where it could not be seen yet, again without another write",
    arguments: [true, false])
  func again(hasInotify: Bool) async throws {
    try QueueSession.queue("a", in: folder)
    // SQLite's log is there for as long as somebody has the queue open.
    let store = try UploadStore(path: folder.path("queue.sqlite"))
    var looks = 0
    let watch =
      hasInotify
      ? ChangeWatch(path: store.path) { looks += 1 }
      : ChangeWatch(path: store.path, instance: { -1 }) { looks += 1 }
    defer { watch.stop() }
    try QueueSession.queue("b", in: folder)
    try await wait(for: "a look") { looks > 0 ? true : nil }
    let before = looks
    watch.lookAgain()
    watch.lookAgain()
    try await wait(for: "another look") { looks > before ? true : nil }
  }
}
