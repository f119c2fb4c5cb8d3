import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Receiver
@testable import ReceiverDemos

@Suite("Records")
final class RecordsTests {
  let path: String

  init() throws { path = try ScratchDirectory().path("records") }

  private var file: String { "\(path)/.hoist-records.json" }

  private func records() throws -> Records {
    Records(folder: ReceiverFolder(inbox: try Inbox(path: path)))
  }

  @Test("two receivers on one folder lose nothing of each other's")
  func shared() async throws {
    let each = 50
    let all = [try records(), try records(), try records()]
    await withTaskGroup(of: Void.self) { group in
      for records in all {
        group.addTask(executorPreference: BlockingExecutor()) {
          for _ in 0..<each {
            do {
              try records.change { content in
                let id = content.nextID()
                content.bookmarks.append(["id": .integer(id)])
              }
            } catch { Issue.record(error) }
          }
        }
      }
    }
    let ids = try all[0].read { $0.bookmarks.compactMap { $0["id"]?.text }.sorted() }
    #expect(Set(ids).count == all.count * each)
    #expect(try all[1].read { $0.lastID } == Int64(all.count * each))
  }

  @Test(
    "what cannot be read is an error, and is not written over",
    arguments: [
      "damaged", "{}", "{\"lastID\":1,\"bookmarks\":[1],\"catches\":[]}", "[", "", "\u{0}",
    ])
  func damaged(_ text: String) throws {
    let records = try records()
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let read = #expect(throws: Refusal.self) { try records.read { _ in } }
    #expect(read?.code == 500)
    #expect(throws: Refusal.self) { try records.change { $0.lastID = 7 } }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }

  @Test("what is no file, too long or has no descriptor is an error, too")
  func unreadable() throws {
    let records = try records()
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(throws: Refusal.self) { try records.change { $0.lastID = 7 } }
    try FileManager.default.removeItem(atPath: file)

    #expect(mkfifo(file, 0o600) == 0)
    #expect(throws: Refusal.self) { try records.change { $0.lastID = 7 } }
    try FileManager.default.removeItem(atPath: file)

    try Data(count: Records.mostBytes + 1).write(to: URL(fileURLWithPath: file))
    #expect(throws: Refusal.self) { try records.change { $0.lastID = 7 } }
    try FileManager.default.removeItem(atPath: file)

    #expect(throws: Never.self) { try records.change { $0.lastID = 7 } }
    #expect(try records.read { $0.lastID } == 7)
  }

  @Test("what does not fit is refused, and what was there stays")
  func full() throws {
    let records = try records()
    try records.change { $0.lastID = 7 }
    let refusal = #expect(throws: Refusal.self) {
      try records.change {
        $0.bookmarks = [["a": .string(String(repeating: "x", count: Records.mostBytes))]]
      }
    }
    #expect(refusal?.code == 507)
    #expect(try records.read { $0.bookmarks.isEmpty && $0.lastID == 7 })
  }

  @Test("all of it comes back as it was, also what nests as deep as a client may")
  func roundTrip() throws {
    let records = try records()
    let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let row = Records.Catch(
      id: 3, user: "ü\u{301}\"", token: "t", fields: ["a": "1", "b": ""], image: "x.jpg")
    try records.change { content in
      content.lastID = 9
      content.bookmarks = [["deep": try #require(.init(text: deep)), "n": .number(1.5)]]
      content.catches = [row]
    }
    try records.read { content in
      #expect(content.lastID == 9 && content.catches == [row])
      #expect(content.bookmarks[0]["deep"]?.source == deep)
    }
  }

  @Test("a client is told, and so is the log, and nothing is lost")
  func told() async throws {
    try await TestServer.run { (server: TestServer) async throws in
      let body = "{\"a\":1}"
      let request =
        Wire.head("/bookmarks", length: body.utf8.count, type: "application/json") + body
      #expect(try server.request(request).status == 201)
      let file = server.folder.appendingPathComponent(".hoist-records.json")
      try Data("garbage".utf8).write(to: file)
      #expect(try server.request(request).status == 500)
      #expect(try server.request("GET /bookmarks HTTP/1.1\r\nHost: x\r\n\r\n").status == 500)
      #expect(try String(contentsOf: file, encoding: .utf8) == "garbage")
      let said = server.events.all.compactMap { event -> String? in
        if case .refused(500, let message, _, _) = event { message } else { nil }
      }
      #expect(said.count == 2 && said.allSatisfy { $0.contains("damaged") })
    }
  }
}
