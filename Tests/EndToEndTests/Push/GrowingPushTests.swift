import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A log is written to while it is sent")
  struct GrowingPushTests {
    /// A server that adds to a file while it reads it, on the connections for which `grows` says so.
    private func server(
      growing log: String, when grows: @escaping @Sendable (Int) -> Bool
    ) throws -> HostileServer {
      try HostileServer(receiveBuffer: 64 << 10) { connection, number in
        while let request = connection.readHead(),
          let length = Int(request.headers["content-length"] ?? ""),
          connection.read(100_000) != nil
        {
          if grows(number) {
            let file = FileHandle(forWritingAtPath: log)
            _ = try? file?.seekToEnd()
            try? file?.write(contentsOf: Data(repeating: 10, count: 12_000))
            try? file?.close()
          }
          guard connection.discard(length - 100_000) else { return }
          connection.record(request)
          connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
        }
      }
    }

    @Test("a large one that begins to grow is sent again from its beginning, which is said")
    func sentAgain() async throws {
      let person = try Person()
      let log = try person.folder.write("a.log", count: 20_000_000)
      let server = try server(growing: log) { $0 == 0 }
      defer { server.stop() }
      let told = try await person.run("push", "a.log", "--to", "\(server.url("/up"))")
      #expect(told.status == 0 && server.requests.count == 1, "\(told)")
      let words = "↻ a.log: the file has grown, and is sent again from its beginning"
      #expect(told.errors.split(separator: "\n").count { $0 == words } == 1, "\(told)")
    }

    @Test("it counts as sent, every report says that it has grown, and it stays")
    func reports() async throws {
      let person = try Person()
      let log = try person.folder.write("a.log", count: 7_900_000)
      let server = try server(growing: log) { _ in true }
      defer { server.stop() }
      try person.configure(
        """
        default_target = "t"
        [targets.t]
        url = "\(server.url("/up").absoluteString)"
        after = { move = "sent", final = [201] }
        """)
      let told = try await person.run("push", "a.log", "--report", "r.json")
      #expect(told.status == 0, "\(told)")
      let words = "the file has grown by 12 kB since it was read"
      #expect(told.errors.contains("! a.log: 201, but \(words), 7.9 MB in "), "\(told)")
      #expect(told.errors.contains("0 of 1 file sent; 1 doubtful, 7.9 MB in "), "\(told)")
      #expect(FileManager.default.fileExists(atPath: log))
      #expect(server.requests.count == 1)
      let report = try String(contentsOfFile: person.folder.path("r.json"), encoding: .utf8)
      #expect(report.contains(#""doubtful" : "\#(words)""#), "\(report)")
      let events = try await person.run("push", "a.log", "--json")
      #expect(events.output.contains(#""doubtful":"\#(words)""#), "\(events)")
      let history = try await person.run("history")
      #expect(history.output.contains("201, but \(words)"), "\(history)")
      #expect(
        try await person.run("history", "--json").output.contains(#""doubtful":"\#(words)""#))
      let page = try await person.run("report", "--output", "r.html")
      #expect(page.status == 0, "\(page)")
      let html = try String(contentsOfFile: person.folder.path("r.html"), encoding: .utf8)
      #expect(html.contains("sent, but doubtful</li>"), "\(html)")
    }
  }
}
