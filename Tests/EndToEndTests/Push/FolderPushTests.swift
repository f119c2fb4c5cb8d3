import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("Trees onto servers with folders", .needs("rclone", "apache2", "nginx"))
  struct FolderPushTests {
    static let lanes = 6

    /// What a server's log says.
    private struct Log {
      let lines: [String]

      init(_ person: Person) throws {
        // rclone may answer before it has read a request, and nginx in front of it says 502 then.
        lines = String(decoding: try bytes(person.folder.path("dav.log")), as: UTF8.self)
          .split(separator: "\n").map(String.init).filter { !$0.contains(" 502 ") }
      }

      /// The requests that have made nothing.
      var others: [String] {
        lines.filter { !$0.hasPrefix("MKCOL 201 ") && !$0.hasPrefix("PUT 201 ") }
      }

      func count(_ method: String, _ status: Int? = nil) -> Int {
        lines.count { $0.hasPrefix(status.map { "\(method) \($0) " } ?? "\(method) ") }
      }
    }

    @Test("arrive byte for byte, and no folder is made twice", arguments: WebDAVServer.allCases)
    func tree(_ server: WebDAVServer) async throws {
      let person = try Person()
      let peer = try await Peer.webDAV(server, person)
      let (folders, files) = (30, 200)
      let script = Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/tree.py")
      let made = try await person.shell("python3 '\(script.path)' \(folders) \(files)").end()
      #expect(made.status == 0, "\(made)")
      // The folder "tree" itself is not sent, and the one that all files share is missing.
      try person.configure(
        """
        [targets.dav]
        url = "\(peer.url)/base/{file.path}"
        method = "PUT"
        body = "binary"
        folders = "webdav"
        concurrency = \(Self.lanes)
        """)
      let outcome = try await person.hoist("push", "-r", "tree", "--to", "dav").end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors.contains("200 of 200 files sent"), "\(outcome)")
      try await compare(person)
      var log = try Log(person)
      #expect(log.count("MKCOL", 201) == folders, "each once")
      #expect(log.count("PUT", 201) == files)
      #expect(log.lines.count <= files + folders + Self.lanes + 1, "\(log.others)")

      // Whatever is there is asked for no more.
      try FileManager.default.removeItem(atPath: person.folder.path("tree/a#b"))
      let before = log.lines.count
      let again = try await person.hoist("push", "-r", "tree", "--to", "dav").end()
      #expect(again.status == 0, "\(again)")
      log = try Log(person)
      #expect(log.lines.dropFirst(before).allSatisfy { $0.hasPrefix("PUT ") })
    }

    /// The recipe as a person would use it, against a server with a password.
    @Test("The recipe for WebDAV sends a tree, lists a folder, and deletes a file in it")
    func recipe() async throws {
      let person = try Person()
      let peer = try await Peer.webDAV(
        .rclone, person, options: ["--user", "me", "--pass", "geheim"])
      let source = Person.repository.appendingPathComponent("config/recipes/webdav.toml")
      let text = try String(contentsOf: source, encoding: .utf8)
      try person.configure(text.replacing("https://dav.example/files", with: "\(peer.url)/f"))
      try FileManager.default.createDirectory(
        atPath: person.folder.path("t/in"), withIntermediateDirectories: true)
      for (name, size) in [("t/a b&c.txt", 12), ("t/in/d.txt", 3), ("t/ü#.txt", 0)] {
        try person.folder.write(name, count: size)
      }
      let variables = ["WEBDAV_PASSWORD": "geheim"]
      let outcome = try await person.run(["push", "-r", "t"], variables: variables)
      #expect(outcome.status == 0, "\(outcome)")
      let listed = try await person.run(["ls", "webdav"], variables: variables)
      let names = listed.output.split(separator: "\n").compactMap {
        $0.split(separator: "\t").first
      }
      #expect(Set(names) == ["a b&c.txt", "ü#.txt"], "\(listed)")
      let removed = try await person.run(
        ["rm", "webdav", "a b&c.txt", "--yes"], variables: variables)
      #expect(removed.status == 0, "\(removed)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: person.folder.path("dav/f")).sorted()
          == ["in", "ü#.txt"])
      let refused = try await person.run(["push", "-r", "t"], variables: ["WEBDAV_PASSWORD": "x"])
      #expect(refused.errors.contains("401 Unauthorized"), "\(refused)")
    }

    private func compare(_ person: Person) async throws {
      let outcome = try await person.shell("diff -r tree dav/base").end()
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }

    @Test("A folder that cannot be made is named once, with the reason, wherever its files are")
    func refused() async throws {
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let status = request.line.hasPrefix("MKCOL") ? "403 No" : "409 Conflict"
          connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      let person = try Person()
      for index in 1...5 {
        try FileManager.default.createDirectory(
          atPath: person.folder.path("t/in"), withIntermediateDirectories: true)
        try person.folder.write("t/in/\(index).txt", count: 10)
      }
      try person.configure(
        """
        [targets.dav]
        url = "\(server.url("/dav/{file.path}").absoluteString.removingPercentEncoding ?? "")"
        method = "PUT"
        body = "binary"
        folders = "webdav"
        headers = { X-Own = "1", If-None-Match = "*" }
        """)
      let outcome = try await person.run("push", "-r", "t", "--to", "dav")
      #expect(outcome.status == 1, "\(outcome)")
      let told = outcome.errors.components(
        separatedBy: "The folder \"in\" is missing on the server and cannot be made: 403 Forbidden."
      )
      #expect(told.count == 2, "\(outcome)")
      #expect(outcome.errors.contains("  5 × folder \"in\" cannot be made: t/in/"), "\(outcome)")
      #expect(server.requests.count { $0.line.hasPrefix("MKCOL") } == 1)

      let json = try await person.run("push", "-r", "t", "--to", "dav", "--json")
      let events = try json.events()
      #expect(
        events.count { $0.event == "failed" && $0.text("cause") == "no-folder" } == 5, "\(json)")
      let history = try await person.run("history", "--json")
      #expect(history.output.contains("\"no-folder\""), "\(history)")

      let dry = try await person.run("push", "t/in/1.txt", "--to", "dav", "--dry-run")
      #expect(
        dry.output.contains(
          "if the server lacks this folder: MKCOL \(server.url("/dav/").absoluteString)"), "\(dry)")
      #expect(dry.output.components(separatedBy: "If-None-Match").count == 2, "\(dry)")
      let curl = try await person.run("push", "-r", "t", "--to", "dav", "--as-curl")
      #expect(
        curl.output.contains("# If the server lacks this folder")
          && curl.output.components(separatedBy: "MKCOL").count == 2, "\(curl)")
    }
  }
}
