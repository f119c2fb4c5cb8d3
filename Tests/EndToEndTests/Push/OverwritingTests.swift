import Foundation
import TestSupport
import Testing

@testable import hoist

extension EndToEnd {
  @Suite("What would overwrite another file is refused, however often it is tried")
  struct OverwritingTests {
    private func configure(
      _ person: Person, _ server: HostileServer, _ path: String = "{file.name}"
    )
      throws
    {
      try person.configure(
        """
        [targets.t]
        url = "\(server.url("/d/"))\(path)"
        method = "PUT"
        body = "binary"
        """)
    }

    private func puts(_ server: HostileServer) -> [String] {
      server.requests.map { "\($0.line.split(separator: " ")[1]) \($0.body.count)" }.sorted()
    }

    @Test("by --retry-failed, in a loop, and with another file that failed for another reason")
    func retries() async throws {
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let person = try Person()
      try configure(person, server)
      for (number, folder) in ["a", "b", "c", "d"].enumerated() {
        try FileManager.default.createDirectory(
          atPath: person.folder.path("w/\(folder)"), withIntermediateDirectories: true)
        try person.folder.write("w/\(folder)/x.txt", Array(repeating: 1, count: number + 1))
      }
      // The last one is never tried in the first run.
      try FileManager.default.moveItem(
        atPath: person.folder.path("w/d/x.txt"), toPath: person.folder.path("kept"))
      try FileManager.default.createSymbolicLink(
        atPath: person.folder.path("w/d/x.txt"), withDestinationPath: "missing")
      let first = try await person.run("push", "-r", "w", "--to", "t", "--report", "r.json")
      #expect(first.status == 1)
      #expect(first.errors.contains("give them different names"), "\(first)")
      #expect(puts(server) == ["/d/x.txt 1"])
      try FileManager.default.removeItem(atPath: person.folder.path("w/d/x.txt"))
      try FileManager.default.moveItem(
        atPath: person.folder.path("kept"), toPath: person.folder.path("w/d/x.txt"))
      for _ in 1...3 {
        let again = try await person.run("push", "--retry-failed", "r.json", "--report", "r.json")
        #expect(again.status == 1, "\(again)")
        #expect(again.errors.contains("would overwrite another file"), "\(again)")
        #expect(!again.errors.contains("send the failed files again"), "\(again)")
      }
      #expect(puts(server) == ["/d/x.txt 1"])
      let shown = try await person.run("push", "--retry-failed", "r.json", "--dry-run")
      #expect(shown.status == 1 && !shown.output.contains("PUT"), "\(shown)")
      // Where each has an address of its own, all are sent.
      try configure(person, server, "{file.path}")
      let apart = try await person.run("push", "--retry-failed", "r.json")
      #expect(apart.status == 0, "\(apart)")
      #expect(
        puts(server) == ["/d/b/x.txt 2", "/d/c/x.txt 3", "/d/d/x.txt 4", "/d/x.txt 1"])
    }

    @Test("alone, after it was refused in a request with the other")
    func sameName() async throws {
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let person = try Person()
      try person.configure("[targets.t]\nurl = \"\(server.url())\"\nbatch = { max_files = 5 }\n")
      _ = try await person.shell("mkdir a b; echo 1 > a/x; echo 22 > b/x").end()
      let first = try await person.run("push", "a/x", "b/x", "--to", "t", "--report", "r.json")
      #expect(first.status == 1 && first.errors.contains("is also called \"x\""), "\(first)")
      let again = try await person.run("push", "--retry-failed", "r.json")
      #expect(again.status == 1 && again.errors.contains("is also called \"x\""), "\(again)")
      #expect(server.requests.count == 1)
    }

    @Test("by hoist queue retry and hoist send, also if it was queued when the other was sent")
    func queue() async throws {
      let server = try HostileServer.answering("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let person = try Person()
      try configure(person, server)
      _ = try await person.shell("mkdir a b c; echo 1 > a/x; echo 22 > b/x; echo 333 > c/x").end()
      let added = try await person.run("add", "a/x", "b/x", "c/x", "--to", "t")
      #expect(added.status == 0, "\(added)")
      // The last one is not tried by the first process.
      let kept = person.folder.path("kept")
      try FileManager.default.moveItem(atPath: person.folder.path("c/x"), toPath: kept)
      let sent = try await person.hoist("send").end()
      #expect(sent.status == 1, "\(sent)")
      #expect(puts(server) == ["/d/x 2"])
      try FileManager.default.moveItem(atPath: kept, toPath: person.folder.path("c/x"))
      for _ in 1...2 {
        let queued = try await person.run("queue", "retry")
        #expect(queued.errors.contains("2 files queued again"), "\(queued)")
        let again = try await person.hoist("send").end()
        #expect(again.status == 1 && again.errors.contains("would overwrite another"), "\(again)")
      }
      #expect(puts(server) == ["/d/x 2"])
      // What is queued later is another wish.
      try person.folder.write("new", [1])
      _ = try await person.run("queue", "clear", "--all")
      _ = try await person.run("add", "new;name=x", "--to", "t")
      let later = try await person.hoist("send").end()
      #expect(later.status == 0 && puts(server) == ["/d/x 1", "/d/x 2"], "\(later)")
    }
  }
}
