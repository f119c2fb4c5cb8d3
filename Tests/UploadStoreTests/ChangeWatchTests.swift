import Foundation
import TestSupport
import Testing

@testable import UploadStore

@Suite("Watching the queue")
@MainActor
struct ChangeWatchTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  @Test("A write calls back; where it could not be seen yet, again without another write")
  func again() async throws {
    let store = try harness.open()
    let other = try harness.open()
    var looks = 0
    let watch = try ChangeWatch(path: store.path) { looks += 1 }
    defer { watch.stop() }
    _ = try other.enqueue([item("a")])
    try await wait(for: "a look") { looks > 0 ? true : nil }
    let before = looks
    watch.lookAgain()
    watch.lookAgain()
    try await wait(for: "another look") { looks > before ? true : nil }
  }
}
