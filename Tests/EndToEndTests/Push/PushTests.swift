import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A script pushes files")
  struct PushTests {
    @Test("status 0 when all are sent, and --json tells the life of each file in order")
    func everythingSent() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let big = try person.folder.write("big.bin", count: 20_000_000)
      try person.folder.write("small.txt", Array("hello".utf8))

      let outcome = try await person.run(
        "push", "big.bin", "small.txt", "--to", inbox.url, "--json"
      )
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors == "")
      let events = try outcome.events()

      let life = events.about("big.bin")
      var words = life.map(\.event)
      words.removeAll { $0 == "progress" }
      #expect(words == ["queued", "started", "sent", "finished"])
      #expect(life.allSatisfy { $0.number("bytes_total") == 20_000_000 })

      let end = try events.end(of: "big.bin")
      #expect(end.number("status") == 201)
      #expect(end.number("attempt") == 1)
      #expect(end.number("bytes_sent") == 20_000_000)
      #expect(end.fields["seconds"] is NSNumber)
      #expect(end.text("cause") == nil)

      let summary = try #require(events.last)
      #expect(summary.event == "summary")
      #expect(summary.number("sent") == 2)
      #expect(summary.number("failed") == 0)
      #expect(summary.number("bytes_sent") == 20_000_005)
      #expect(try inbox.bytes("big.bin") == bytes(big))
    }

    @Test("Foundation's folders for a cache and for cookies do not stay in the home folder")
    func homeFolder() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [1])
      let outcome = try await person.run("push", "a.txt", "--to", inbox.url)
      #expect(outcome.status == 0, "\(outcome)")
      let found = try await person.shell("cd; find . -name '*URLCache*'; ls -A .local/share").end()
      #expect(found.output == "", "\(found.output)")
    }

    @Test("status 1 when one is missing; the others arrive")
    func oneMissing() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      for name in ["a.txt", "c.txt"] { try person.folder.write(name, Array(name.utf8)) }
      let outcome = try await person.run(
        "push", "a.txt", "b.txt", "c.txt", "--to", inbox.url, "--json"
      )
      #expect(outcome.status == 1)
      let failed = try outcome.events().end(of: "b.txt")
      #expect(failed.event == "failed")
      #expect(failed.text("cause") == "missing")
      #expect(failed.text("message")?.contains("no file at this path") == true)
      #expect(inbox.names == ["a.txt", "c.txt"])
    }

    @Test("without --json: results on standard output, lines for people on standard error")
    func plain() async throws {
      let person = try Person()
      let server = try HostileServer.answering(
        "HTTP/1.1 201 Created\r\nLocation: http://host.example/7\r\nContent-Length: 0\r\n\r\n")
      try person.folder.write("a.txt", [1, 2, 3])
      let outcome = try await person.run(
        "push", "a.txt", "--to", server.url().absoluteString
      )
      #expect(outcome.status == 0)
      #expect(outcome.output == "http://host.example/7\n")
      #expect(outcome.errors.contains("✓ a.txt: 201 Created"))
      #expect(outcome.errors.contains("1 of 1 file sent"))
    }

    @Test("a result that the server names by its path alone is printed as a whole URL")
    func relativeResult() async throws {
      let person = try Person()
      let server = try HostileServer.answering(
        "HTTP/1.1 201 Created\r\nLocation: /files/7\r\nContent-Length: 0\r\n\r\n")
      try person.folder.write("a.txt", [1, 2, 3])
      let outcome = try await person.run(
        "push", "a.txt", "--to", server.url().absoluteString
      )
      #expect(outcome.output == "http://127.0.0.1:\(server.port)/files/7\n")
    }

    @Test("--form, --header and --field reach the server, in order, before the file")
    func options() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
      try person.folder.write("run.log", Array("log".utf8))
      let outcome = try await person.run(
        "push", "run.log", "--to", server.url().absoluteString, "--field", "log", "--form",
        "run=42",
        "--form", "note=a=b", "--header", "X-Token: s3cret", "--header", "X-From: Köln"
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
      let request = try #require(server.requests.first)
      #expect(request.headers["x-token"] == "s3cret")
      #expect(request.headers["x-from"] == "Köln")
      let body = String(decoding: request.body, as: UTF8.self)
      let order = [
        "name=\"run\"\r\n\r\n42\r\n", "name=\"note\"\r\n\r\na=b\r\n",
        "name=\"log\"; filename=\"run.log\"",
      ].map { body.range(of: $0)?.lowerBound }
      #expect(order.allSatisfy { $0 != nil }, "\(body)")
      #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
    }

    /// Progress is printed at most ten times a second, so the number of its lines gives a time.
    @Test("--limit bounds what many small files come to, each of which leaves at once")
    func limitOfSmallFiles() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let names = (0..<60).map { "\($0).bin" }
      for name in names { try person.folder.write(name, count: 10_000) }
      let start = ContinuousClock.now
      let outcome = try await person.hoist(
        ["push"] + names + ["--to", inbox.url, "--limit", "200kB/s", "--concurrency", "8"]
      ).end()
      #expect(outcome.status == 0)
      // Three seconds by the bound, less what may be on the way.
      #expect(ContinuousClock.now - start > .seconds(2))
      #expect(inbox.names.count == names.count)
    }

    @Test("--limit bounds the bandwidth, in steps that a person can follow")
    func limit() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let path = try person.folder.write("a.bin", count: 4_000_000)
      let outcome = try await person.hoist(
        "push", "a.bin", "--to", inbox.url, "--json", "--limit", "2MB/s"
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      let events = try outcome.events()
      #expect(events.about("a.bin").count { $0.event == "progress" } >= 5)
      #expect(try #require(try events.end(of: "a.bin").fields["seconds"] as? Double) > 1.5)
      #expect(try inbox.bytes("a.bin") == bytes(path))
    }

    @Test("--concurrency is how many are sent at once", arguments: [1, 3])
    func concurrency(limit: Int) async throws {
      let person = try Person()
      let gate = Gate()
      let server = try SlowServer(gate)
      let names = (1...5).map { "\($0).bin" }
      for name in names { try person.folder.write(name, count: 300_000) }
      let push = try person.hoist(
        ["push"] + names + ["--to", server.url, "--json", "--concurrency", "\(limit)"])
      try await wait(for: "\(limit) uploads") { server.visitors == limit ? true : nil }
      gate.open()
      #expect(try await push.end().status == 0)
      #expect(server.mostVisitors == limit)
    }

    @Test(
      "wrong usage or configuration is status 2, says what is wrong, and sends nothing",
      arguments: [
        (["--concurrency", "0"], "--concurrency 0"),
        (["--form", "novalue"], "--form: expected KEY=VALUE"),
        (["--header", "no colon"], "there is no colon"), (["--bogus"], "--bogus"),
        (["--to", "nowhere"], "no target is called \"nowhere\""), (["--to", "ftp://host/"], "ftp"),
        (["--config", "missing.toml"], "missing.toml"),
      ])
    func usage(options: [String], words: String) async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try person.folder.write("a.txt", [1])
      let target = options.contains("--to") ? [] : ["--to", server.url().absoluteString]
      let outcome = try await person.run(["push", "a.txt"] + target + options)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.output == "")
      #expect(server.requests.isEmpty)
    }

    @Test("a target of the configuration carries its field, fields and headers")
    func target() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try person.configure(
        """
        default_target = "desk"
        [targets.desk]
        url = "\(server.url("/in").absoluteString)"
        file_field = "document"
        fields = [ { name = "who", value = "alex" } ]
        query = { album = "2026" }
        headers = { Authorization = "Bearer x" }
        """)
      try person.folder.write("a.txt", [65])
      let outcome = try await person.run("push", "a.txt")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let request = try #require(server.requests.first)
      #expect(request.line == "POST /in?album=2026 HTTP/1.1")
      #expect(request.headers["authorization"] == "Bearer x")
      let body = String(decoding: request.body, as: UTF8.self)
      #expect(body.contains("name=\"document\"; filename=\"a.txt\""))
      #expect(body.contains("name=\"who\"\r\n\r\nalex"))
    }

    /// Foundation's own transport kept a processor busy for as long as the server thought.
    @Test("while the reply is awaited, the processor rests")
    func restful() async throws {
      let person = try Person()
      let (arrived, answer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let server = try HostileServer { connection, _ in
        guard connection.readRequest() != nil else { return }
        arrived.signal()
        answer.wait()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
      defer { server.stop() }
      try person.folder.write("a.bin", count: 10_000)
      let push = try person.hoist("push", "a.bin", "--to", server.url().absoluteString)
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          arrived.wait()
          continuation.resume()
        }
      }
      // What is measured, once it has dealt with the end of the body.
      try await wait(for: "two seconds of rest") {
        let before = try #require(push.processorTime)
        try await Task.sleep(for: .seconds(2))
        return try #require(push.processorTime) - before < 0.2 ? true : nil
      }
      answer.signal()
      #expect(try await push.end().status == 0)
    }

    /// A page that does not end.
    enum EndlessReply: CaseIterable {
      case plain
      case inChunksOfAByte
      case packed

      var header: String {
        switch self {
        case .plain: ""
        case .inChunksOfAByte: "Transfer-Encoding: chunked\r\n"
        case .packed: "Content-Encoding: gzip\r\n"
        }
      }

      /// What is sent again and again. One packed page is 100 MB.
      func bytes(in folder: ScratchDirectory) throws -> [UInt8] {
        switch self {
        case .plain: return [UInt8](repeating: 0x61, count: 100_000)
        case .inChunksOfAByte:
          return [UInt8](String(repeating: "1\r\na\r\n", count: 20_000).utf8)
        case .packed:
          let file = folder.path("zeros")
          try Tool.run("sh", ["-c", "head -c 100M /dev/zero | gzip -1 > '\(file)'"])
          return [UInt8](try Data(contentsOf: URL(filePath: file)))
        }
      }
    }

    /// Foundation's own transport handed on whatever it read, and while it read from two connections it did nothing
    /// else: in six seconds this took six gigabytes.
    @Test(
      "replies without an end keep neither the memory nor the lanes",
      arguments: EndlessReply.allCases)
    func endlessReplies(_ reply: EndlessReply) async throws {
      let person = try Person()
      let answer = Gate()
      let bytes = try reply.bytes(in: person.folder)
      let server = try HostileServer { connection, _ in
        guard let request = connection.readRequest() else { return }
        if String(decoding: request.body, as: UTF8.self).contains("last") { answer.pass() }
        connection.send("HTTP/1.1 500 Oops\r\n\(reply.header)\r\n")
        while connection.send(bytes) {}
      }
      defer { server.stop() }
      let lanes = Effort.of(2, long: 4)
      let endless = lanes + 1
      let names = try (1...endless + 1).map { number in
        try person.folder.write("\(number)", Array((number > endless ? "last" : "x").utf8))
        return "\(number)"
      }
      let push = try person.hoist(
        ["push", "--to", server.url().absoluteString, "--concurrency", "\(lanes)"]
          + ["--attempts", "1", "--json"] + names)
      try await wait(for: "all but the last", otherwise: { push.output }) {
        push.output.split(separator: "\n").count { $0.contains("http-500") } == endless ? true : nil
      }
      let peak = try #require(push.peakMemory)
      #expect(peak < 300_000_000)
      answer.open()
      #expect(try await push.end().status == 1)
    }

    /// With Foundation's own transport, Dispatch left the queue of the sockets only when it was empty: four that take
    /// whatever is written kept it from starting and ending anything else.
    @Test("uploads that never wait for the server leave the others their turn")
    func greedy() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        while let head = connection.readHead() {
          let length = Int(head.headers["content-length"] ?? "") ?? 0
          if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
          guard connection.discard(length) else { return }
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { server.stop() }
      let endless = try (1...4).map { number in
        try #require(truncate(person.folder.write("endless\(number)", []), 1 << 40) == 0)
        return "endless\(number)"
      }
      let small = try (1...60).map { number in
        try person.folder.write("small\(number)", [UInt8(number)])
        return "small\(number)"
      }
      let push = try person.hoist(
        ["push", "--to", server.url().absoluteString, "--concurrency", "5", "--json"] + endless
          + small)
      // Without turns this takes minutes: one of the four sockets has to be full each time.
      try await wait(for: "the small files", seconds: 240, otherwise: { push.output }) {
        push.output.split(separator: "\n").count { $0.contains(#""event":"finished""#) } == 60
          ? true : nil
      }
      try await push.interrupt(SIGINT)
      #expect(try await push.end().status == 130)
    }

    @Test("long lists of files among options arrive whole and in order")
    func manyFiles() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let (some, others) = ((1...90).map { "s\($0).txt" }, (1...70).map { "o \($0).txt" })
      for name in some + others { try person.folder.write(name, Array(name.utf8)) }
      try person.folder.write("-dash.txt", [1])
      let outcome = try await person.run(
        ["push"] + some + ["--to", inbox.url] + others + ["--json", "--", "-dash.txt"]
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
      let queued = try outcome.events().filter { $0.event == "queued" }.map(\.path)
      #expect(queued == some + others + ["-dash.txt"])
      #expect(inbox.names.count == 161)
    }

    @Test("a command gives the token; once it is refused for good, nothing more is tried")
    func tokenCommand() async throws {
      let person = try Person()
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          connection.send(
            request.headers["authorization"] == "Bearer s3cret"
              ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
              : "HTTP/1.1 401 No\r\nContent-Length: 7\r\n\r\nexpired")
        }
      }
      defer { server.stop() }
      try person.configure(
        """
        [targets.desk]
        url = "\(server.url().absoluteString)"
        auth = { bearer_command = ["cat", "token"] }
        """)
      let names = (1...20).map { "\($0).bin" }
      for name in names { try person.folder.write(name, count: 100) }
      try person.folder.write("token", Array("s3cret\n".utf8))
      let good = try await person.run(["push"] + names + ["--to", "desk"])
      #expect(good.status == 0, "\(good.errors)")
      #expect(!good.errors.contains("s3cret"))

      try person.folder.write("token", Array("0ld\n".utf8))
      let bad = try await person.run(["push"] + names + ["--to", "desk"])
      #expect(bad.status == 1)
      #expect(
        bad.errors.contains("401 Unauthorized, even with a new token from its file"),
        "\(bad.errors)")
      #expect(bad.errors.contains(" not tried") && !bad.errors.contains("0ld"), "\(bad.errors)")
      #expect(server.requests.count <= 20 + 8)

      unlink(person.folder.path("token"))
      let none = try await person.run(["push"] + names + ["--to", "desk"])
      #expect(none.status == 1)
      #expect(none.errors.contains("No such file or directory"), "\(none.errors)")
      #expect(server.requests.count <= 20 + 8)
    }

    @Test("in batches, files arrive byte for byte; what cannot be read is named and left out")
    func batches() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure(
        """
        [targets.desk]
        url = "\(inbox.url.replacing("/upload", with: "/multiupload"))"
        batch = { max_files = 10, max_bytes = "2 MB" }
        """)
      let names = (1...25).map { "\($0).bin" }
      for (index, name) in names.enumerated() {
        try person.folder.write(name, count: index * 10_001, seed: UInt64(index))
      }
      let secret = person.folder.path("secret.bin")
      try person.folder.write("secret.bin", [1])
      #expect(chmod(secret, 0) == 0)
      // Root reads everything: then a folder is what cannot be read.
      let bad = getuid() == 0 ? "." : "secret.bin"
      let outcome = try await person.run(
        ["push"] + names + [bad, "--to", "desk", "--json"]
      )
      #expect(outcome.status == 1, "\(outcome.errors)")
      let events = try outcome.events()
      #expect(try events.end(of: bad).event == "failed")
      for name in names {
        let end = try events.end(of: name)
        #expect(end.event == "finished" && end.number("attempt") == 1)
        #expect(try inbox.bytes(name) == bytes(person.folder.path(name)))
      }
      // What the receiver says of one request lists all of its files.
      let replies = Set(names.compactMap { try? events.end(of: $0).text("reply") })
      #expect((3...6).contains(replies.count), "\(replies.count) requests for 25 files")
      #expect(events.last?.number("sent") == 25)
    }

    @Test("a mistake in the configuration is status 2, names its place, and sends nothing")
    func configurationMistake() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      try person.configure(
        """
        [targets.desk]
        url = "\(server.url().absoluteString)"
        file_feild = "document"
        """)
      try person.folder.write("a.txt", [65])
      let outcome = try await person.run("push", "a.txt", "--to", "desk", "--json")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("config.toml"), "\(outcome.errors)")
      #expect(outcome.errors.contains("targets.desk"), "\(outcome.errors)")
      #expect(outcome.errors.contains("file_field"), "\(outcome.errors)")
      #expect(server.requests.isEmpty)
    }

    @Test("interrupted: status 130, and the summary still comes", arguments: [SIGINT, SIGTERM])
    func interrupt(signal: Int32) async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 9_000_000) }
      let push = try person.hoist(
        "push", "a.bin", "b.bin", "--to", server.url, "--json", "--concurrency", "1")
      try await wait(for: "an upload") { server.visitors == 1 ? true : nil }
      try await push.interrupt(signal)
      let outcome = try await push.end()
      #expect(outcome.status == 130)
      let events = try outcome.events()
      #expect(try events.end(of: "a.bin").text("cause") == "cancelled")
      #expect(try events.end(of: "b.bin").text("cause") == "cancelled")
      #expect(events.last?.event == "summary")
      #expect(events.last?.number("failed") == 2)
    }

    @Test("interrupted twice: status 130, at once")
    func interruptTwice() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("a.bin", count: 9_000_000)
      let push = try person.hoist("push", "a.bin", "--to", server.url)
      try await wait(for: "an upload") { server.visitors == 1 ? true : nil }
      try await push.interrupt(SIGINT)
      try await push.interrupt(SIGINT)
      #expect(try await push.end().status == 130)
    }

    @Test("nobody reads standard output: the files are sent all the same")
    func outputClosed() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      for name in ["a.bin", "b.bin"] { try person.folder.write(name, count: 5_000_000) }
      let outcome = try await person.shell(
        "hoist push a.bin b.bin --to \(inbox.url) --json >&-"
      ).end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      let piped = try await person.shell(
        "(hoist push a.bin b.bin --to \(inbox.url) --json; echo $? > status) | head -n 1"
      ).end()
      #expect(piped.status == 0)
      #expect(String(decoding: try bytes(person.folder.path("status")), as: UTF8.self) == "0\n")
      #expect(inbox.names.count == 4)
      // These are more lines than a pipe holds, and more files than the engine has at once.
      let files = Effort.of(600, long: 1000)
      let stuck = try person.shell(
        "mkfifo go; mkdir many; seq \(files) | split -l 1 -a 3 - many/; "
          + "hoist push -r many --to \(inbox.url) --json | (read line < go; grep -c finished)")
      try await wait(for: "all files", seconds: 240) { inbox.names.count == files + 4 ? true : nil }
      let read = try await person.shell("echo > go").end()
      #expect(read.status == 0)
      #expect(try await stuck.end().output == "\(files)\n")
    }

    @Test("without a terminal the screen says so instead of drawing into a file")
    func screenWithoutTerminal() async throws {
      let person = try Person()
      try person.folder.write("a.txt", [1])
      let outcome = try await person.shell("setsid -w hoist a.txt --to http://127.0.0.1:9/").end()
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("hoist push"), "\(outcome.errors)")
      #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test("the demo without a terminal uploads its samples and ends by itself")
    func demo() async throws {
      let person = try Person()
      let outcome = try await person.shell(
        "(hoist demo --dir demo; echo \"status $?\") | cat"
      ).end(seconds: 120)
      #expect(outcome.output.hasSuffix("status 0\n"), "\(outcome)")
      #expect(outcome.output.contains("7 of 7 files sent"))
      #expect(outcome.output.contains("received files: demo/inbox"))
      let compared = try await person.shell("diff -r -x .hoist-* demo/samples demo/inbox").end(
        seconds: 120)
      #expect(compared.status == 0, "\(compared.output)")
    }

    @Test("memory does not grow with what is sent of a file, and its progress is reported")
    func memory() async throws {
      let person = try Person()
      let gate = Gate()
      let server = try SlowServer(gate)
      let size = Effort.of(1 << 27, long: 1 << 30)
      #expect(truncate(try person.folder.write("huge.bin", []), size) == 0)
      let push = try person.hoist("push", "huge.bin", "--to", server.url, "--json")
      try await wait(for: "the upload's beginning", otherwise: { push.output }) {
        server.visitors == 1 ? true : nil
      }
      // The same process before and after: two processes differ by when they were looked at, and machines by more.
      // `make bench` has the figure for the whole program.
      let before = try #require(push.peakMemory)
      var after = before
      gate.open()
      try await wait(for: "\(size) bytes", seconds: 240, otherwise: { push.output }) {
        after = max(after, push.peakMemory ?? 0)
        return push.hasEnded ? true : nil
      }
      let outcome = try await push.end()
      #expect(outcome.status == 0, "\(outcome.output.suffix(500))")
      #expect(after - before < 32_000_000, "\(after) after \(before) bytes")
      let life = try outcome.events().about("huge.bin")
      #expect(life.last?.number("bytes_sent") == size)
      let progress = life.filter { $0.event == "progress" }.compactMap { $0.number("bytes_sent") }
      #expect(progress == progress.sorted() && progress.allSatisfy { (0...size).contains($0) })
      #expect(!progress.isEmpty)
    }
  }
}
