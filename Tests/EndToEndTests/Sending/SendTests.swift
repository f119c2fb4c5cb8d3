import Foundation
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
  @Suite("The queue is sent without a screen")
  struct SendTests {
    let person: Person

    init() throws { person = try Person() }

    private func configure(_ url: String, _ more: String = "") throws {
      try person.configure("[targets.desk]\nurl = \"\(url)\"\n\(more)\n")
    }

    private func add(_ names: String...) async throws {
      let outcome = try await person.run(["add", "--to", "desk"] + names)
      try #require(outcome.status == 0, "\(outcome)")
    }

    @Test("a line for each end, and the status tells whether all arrived")
    func story() async throws {
      let inbox = try await person.receiver("--max-file-bytes", "1 MB")
      try configure(inbox.url)
      try person.folder.write("a.txt", [1])
      try person.folder.write("large.bin", count: 2_000_000, seed: 1)
      try await add("a.txt", "large.bin")
      let log = person.folder.path("log")
      let outcome = try await person.hoist("send", "--log", log).end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.output.contains("✓ a.txt: 201 Created\n"))
      // Once, with its mark and what to do, as in a push.
      let told = outcome.errors.split(separator: "\n").map(String.init)
      #expect(told.count { $0.hasPrefix("✗ large.bin: 413 Content Too Large") } == 1, "\(outcome)")
      #expect(told.contains { $0.hasPrefix("  ") && $0.contains("of this size") }, "\(outcome)")
      #expect(!outcome.output.contains("large.bin"), "\(outcome)")
      #expect(!outcome.output.contains("begun") && !outcome.output.contains("%"))
      #expect(try String(contentsOfFile: log, encoding: .utf8).contains("info sent"))
      #expect(inbox.names == ["a.txt"])
      // What failed is not tried again without anybody asking.
      let queue = try await person.run("queue")
      #expect(queue.output.contains("large.bin"))
      _ = try await person.run("queue", "remove", "2")
      let empty = try await person.hoist("send").end()
      #expect(empty.status == 0, "\(empty)")
    }

    @Test("what was stopped on a screen stays stopped until somebody goes on")
    func staysStopped() async throws {
      let inbox = try await person.receiver()
      try configure(inbox.url)
      try person.folder.write("a.txt", [1])
      _ = try await person.shell(
        "printf 'start-stop\\nadd a.txt\\nquit\\ns\\n' | hoist --plain --to desk"
      ).end()
      let held = try await person.hoist("send").end()
      #expect(held.status == 1 && held.errors.contains("hoist queue start"), "\(held)")
      #expect(inbox.names.isEmpty)
      _ = try await person.run("queue", "start")
      let sent = try await person.hoist("send").end()
      #expect(sent.status == 0, "\(sent)")
      #expect(inbox.names == ["a.txt"])
    }

    @Test(
      "a queue that cannot be read, or put in order, is no success", arguments: [20..<25, 65..<70])
    func damaged(_ part: Range<Int>) async throws {
      try configure("http://127.0.0.1:9/")
      try FileManager.default.createDirectory(
        atPath: person.folder.path("files"), withIntermediateDirectories: true)
      for number in 1...400 { try person.folder.write("files/\(number).txt", [1]) }
      try await add("-r", "files")
      let path = "\(person.home.path)/.local/state/hoist/queue.sqlite"
      let page = 4096
      let file = try #require(FileHandle(forUpdatingAtPath: path))
      let pages = Int(try file.seekToEnd()) / page
      let damaged = (pages * part.lowerBound / 100)...(pages * part.upperBound / 100)
      try file.seek(toOffset: UInt64(damaged.lowerBound * page))
      try file.write(contentsOf: Data(repeating: 0xFF, count: damaged.count * page))
      try file.close()
      let outcome = try await person.hoist("send").end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect((outcome.errors + outcome.output).contains("the file is damaged"), "\(outcome)")
    }

    @Test("--stay sends what comes later, and ends well when told to")
    func stay() async throws {
      let inbox = try await person.receiver()
      try configure(inbox.url)
      let sender = try person.hoist("send", "--stay")
      try person.folder.write("a.txt", [1])
      try person.folder.write("b.txt", [2])
      try await add("a.txt")
      try await wait(for: "a.txt", otherwise: { sender.output + sender.errors }) {
        inbox.names == ["a.txt"] ? true : nil
      }
      // Another one leaves the queue to it, and ends when that is sent.
      try await add("b.txt")
      let other = try await person.hoist("send").end()
      #expect(other.status == 0 && !other.errors.contains("continues"), "\(other)")
      #expect(inbox.names == ["a.txt", "b.txt"], "\(other)")
      // The file is there before the reply is.
      try await wait(for: "both ends", otherwise: { sender.output + sender.errors }) {
        (sender.output + sender.errors).components(separatedBy: "201").count > 2 ? true : nil
      }
      #expect(!sender.hasEnded)
      try await sender.interrupt(SIGTERM)
      let outcome = try await sender.end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try await person.run("queue").output.contains(".txt") == false)
    }

    @Test("killed in the middle: what the kernel still holds does not arrive by itself")
    func killed() async throws {
      let (gate, isOver) = (Gate(), Gate())
      defer { gate.open() }
      let arrived = Mutex(0)
      let server = try HostileServer(receiveBuffer: 8192) { connection, number in
        guard number == 0 else {
          if connection.readRequest() != nil {
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          }
          return
        }
        guard connection.readHead() != nil, connection.readNoMore(50_000) != nil else { return }
        arrived.withLock { $0 = 50_000 }
        gate.pass()
        while connection.readNoMore(1000) != nil { arrived.withLock { $0 += 1000 } }
        isOver.open()
      }
      defer { server.stop() }
      try configure(server.url().absoluteString)
      try person.folder.write("a.bin", count: 360_000, seed: 1)
      try await add("a.bin")
      let sender = try person.hoist("send")
      try await wait(for: "a part of it", otherwise: { sender.output + sender.errors }) {
        arrived.withLock { $0 } > 0 ? true : nil
      }
      sender.signal(SIGKILL)
      _ = try await sender.end()
      gate.open()
      isOver.pass()
      #expect(arrived.withLock { $0 } < 200_000)
      let next = try await person.hoist("send").end()
      #expect(next.status == 0, "\(next)")
      #expect(server.requests.count == 1)
    }

    @Test("credentials that are refused end it: nobody is there to bring others")
    func refused() async throws {
      let inbox = try await person.receiver("--token", "right")
      try configure(inbox.url, "headers = { Authorization = \"Bearer wrong\" }")
      for name in ["a.txt", "b.txt", "c.txt"] {
        try person.folder.write(name, [1])
        try await add(name)
      }
      let outcome = try await person.hoist("send").end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("✗ a.txt: 401"), "\(outcome)")
    }

    @Test("beside one that sends, it follows: the same lines, the same status, the same end")
    func follower() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try configure(server.url)
      try person.folder.write("large.bin", count: 2_000_000, seed: 2)
      try person.folder.write("gone.txt", [1])
      try await add("large.bin", "gone.txt")
      unlink(person.folder.path("gone.txt"))
      let sender = try person.hoist("send")
      try await wait(for: "the first bytes", otherwise: { sender.output + sender.errors }) {
        server.visitors > 0 ? true : nil
      }
      let (follower, stopped) = (try person.hoist("send"), try person.hoist("send"))
      for program in [follower, stopped] {
        try await wait(for: "its words", otherwise: { program.output + program.errors }) {
          program.output.contains("hoist exits when everything is sent") ? true : nil
        }
      }
      try await stopped.interrupt(SIGINT)
      let end = try await stopped.end()
      #expect(
        end.status == 130 && end.errors.contains("another hoist process is sending"), "\(end)")
      #expect(!follower.hasEnded && !sender.hasEnded)
      gate.open()
      for program in [sender, follower] {
        let outcome = try await program.end()
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("large.bin: 200 OK\n"), "\(outcome)")
        #expect(outcome.errors.contains("✗ gone.txt"), "\(outcome)")
        #expect(outcome.errors.contains("1 of 2 files sent"), "\(outcome)")
      }
    }

    @Test("a user who waits for the end is told that the queue is stopped, and that it goes on")
    func saysWhatHoldsItUp() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try configure(server.url)
      try person.folder.write("a.txt", [1])
      func said(_ words: String, by program: Program) async throws {
        try await wait(for: words, otherwise: { program.output + program.errors }) {
          program.output.contains(words) ? true : nil
        }
      }
      let stopped = "the queue is stopped; \"hoist queue start\" resumes it"
      _ = try await person.run("queue", "stop")
      try await add("a.txt")
      let sender = try person.hoist("send", "--stay")
      try await said("\(stopped)\n", by: sender)
      let follower = try person.hoist("send")
      try await said("\(stopped); hoist exits when everything is sent", by: follower)
      _ = try await person.run("queue", "start")
      for program in [sender, follower] { try await said("the queue resumes", by: program) }
      // Not before: a follower that learns of the end first says nothing about the queue.
      gate.open()
      let end = try await follower.end()
      #expect(end.status == 0 && end.output.contains("a.txt: 200 OK\n"), "\(end)")
      _ = try await person.run("queue", "stop")
      try await wait(for: "the words again", otherwise: { sender.output + sender.errors }) {
        sender.output.components(separatedBy: stopped).count == 3 ? true : nil
      }
      try await sender.interrupt(SIGTERM)
      #expect(try await sender.end().status == 0)
    }

    @Test("a signal stops it and keeps the queue")
    func stopped() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try configure(server.url)
      try person.folder.write("large.bin", count: 30_000_000, seed: 2)
      try await add("large.bin")
      let sender = try person.hoist("send")
      try await wait(for: "the first bytes", otherwise: { sender.output + sender.errors }) {
        server.visitors > 0 ? true : nil
      }
      try await sender.interrupt(SIGINT)
      let outcome = try await sender.end()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(try await person.run("queue").output.contains("large.bin"))
    }

    @Test("the service that is installed runs what is installed")
    func service() throws {
      let unit = try String(
        contentsOf: Person.repository.appendingPathComponent("config/hoist-send.service"),
        encoding: .utf8)
      #expect(unit.contains("\nExecStart=@PREFIX@/bin/hoist send --stay\n"))
      let script = try String(
        contentsOf: Person.repository.appendingPathComponent("Tools/packaging/install.sh"),
        encoding: .utf8)
      #expect(script.contains("share/systemd/user/hoist-send.service"))
    }
  }
}
