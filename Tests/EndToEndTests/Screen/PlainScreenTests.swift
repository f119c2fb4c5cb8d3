import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person listens instead of looking")
  struct PlainScreenTests {
    @Test("--plain says what happens and does what lines ask for")
    func story() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("a.txt", [1, 2])
      let commands = person.folder.path("commands")
      let program = try person.shell(
        "mkfifo commands; hoist --plain --to \(inbox.url) < commands > said 2> errors; echo $? > end"
      )
      try await wait(for: "the pipe") { access(commands, F_OK) == 0 ? true : nil }
      let pipe = try #require(FileHandle(forWritingAtPath: commands))
      func say(_ line: String) throws { try pipe.write(contentsOf: Data("\(line)\n".utf8)) }
      func hears(_ text: String) async throws {
        try await wait(for: "\"\(text)\"", otherwise: { said }) { said.contains(text) ? true : nil }
      }
      var said: String {
        String(
          decoding: FileManager.default.contents(atPath: person.folder.path("said")) ?? Data(),
          as: UTF8.self)
      }
      try say("add a.txt missing.txt")
      try await hears("a.txt: 201 Created")
      try await hears("nothing is called missing.txt")
      try say("list")
      try await hears("1  a.txt  text/plain  2 B  done 201 Created")
      try say("details 1")
      try await hears("Path     ")
      // All of it, and once.
      try await hears("POST \(inbox.url)")
      #expect(said.components(separatedBy: "Path     ").count == 2)
      try say("copy-as-curl")
      try await hears("curl -")
      try say("frobnicate")
      try await hears("no command is called")
      try say("limit")
      try await hears("this command needs a screen")
      try say("history")
      try await hears("  201 Created  http")
      try say("queue")
      try say("status")
      try await hears("1 done")
      try say("quit")
      _ = try await program.end()
      let end = try String(contentsOfFile: person.folder.path("end"), encoding: .utf8)
      #expect(end == "0\n")
      #expect(!said.contains("\u{1B}"))
      #expect(inbox.names == ["a.txt"])
    }

    @Test("warnings about the configuration are printed once")
    func warnings() async throws {
      let person = try Person()
      try person.configure(
        """
        [targets.t]
        url = "http://127.0.0.1:9/up"
        headers = { Authorization = "Bearer s3cret" }
        """)
      let outcome = try await person.shell(
        "chmod 644 ~/.config/hoist/config.toml; hoist --plain --to t < /dev/null"
      ).end()
      #expect(outcome.errors.components(separatedBy: "warning: ").count == 2, "\(outcome.errors)")
    }

    @Test("a script's next line knows what the one before has added, and quit loses nothing")
    func script() async throws {
      let person = try Person()
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [1]) }
      let away = "http://127.0.0.1:\(try HostileServer.closedPort())/"
      let outcome = try await person.shell(
        "printf 'start-stop\\nadd a.txt b.txt\\nlist\\nadd b.txt\\nquit\\ns\\n' | hoist --plain --to \(away)"
      ).end()
      #expect(outcome.output.contains("1  a.txt  text/plain  1 B  waiting"), "\(outcome)")
      #expect(outcome.output.contains("2  b.txt  text/plain  1 B  waiting"), "\(outcome)")
      #expect(outcome.errors.contains("3 files left in the queue for the next hoist"), "\(outcome)")
      let list = try await person.run("queue", "list")
      #expect(list.output.components(separatedBy: "b.txt").count == 3, "\(list)")
    }

    @Test("a file that may not be read has a size, and what is no file has none")
    func sizes() async throws {
      let person = try Person()
      try person.folder.write("shut", count: 12_345)
      let away = "http://127.0.0.1:\(try HostileServer.closedPort())/"
      let outcome = try await person.shell(
        "chmod 000 shut; mkfifo pipe; printf 'add shut pipe\\nlist\\nquit\\n' | "
          + "\(Person.bound) hoist --plain --to \(away); hoist queue --json"
      ).end()
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(
        lines.contains { $0.hasPrefix("1  shut  ") && $0.contains("  12 kB  ") }, "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("2  pipe  ") && !$0.contains(" B  ") }, "\(outcome)")
      let objects = lines.filter { $0.hasPrefix("{") }
      #expect(objects.first?.contains("\"bytes\":12345,") == true, "\(outcome)")
      #expect(objects.count == 2 && objects.last?.contains("\"bytes\"") == false, "\(outcome)")
    }

    @Test("a question takes answers and no commands that begin like one")
    func question() async throws {
      let person = try Person()
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("big.bin", count: 20_000_000)
      // Questions are asked once the lines know that the file is being sent.
      let outcome = try await person.shell(
        "touch said; (echo add big.bin; until grep -q 'under way' said; do echo status; sleep 0.1; done; "
          + #"printf 'quit\nstatus\nfrobnicate\nEsc\nquit\ns\n')"#
          + " | hoist --plain --to \(server.url) | tee said"
      ).end()
      let questions = outcome.output.components(separatedBy: "Quit? ")
      // Asked, asked again after each of the two, and asked anew.
      #expect(questions.count == 5, "\(outcome)")
      #expect(questions.dropFirst().first?.contains("1 under way") == true, "\(outcome)")
      #expect(outcome.errors.contains("big.bin: not sent"), "\(outcome)")
    }

    @Test("when nobody can say anything more, what is queued is still sent")
    func endOfInput() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("big.bin", count: 3_000_000)
      let outcome = try await person.shell(
        "TERM=dumb hoist --plain big.bin --to \(inbox.url) < /dev/null"
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("big.bin: 201 Created"), "\(outcome)")
      #expect(inbox.names == ["big.bin"])
    }

    @Test("when nobody can say anything more and the server is away, it says how to leave")
    func endOfInputWithoutServer() async throws {
      let person = try Person()
      try person.folder.write("a.bin", [1])
      let port = try HostileServer.closedPort()
      let program = try person.shell(
        "HOIST_QUEUE=q.sqlite; export HOIST_QUEUE; "
          + "hoist --plain a.bin --to http://127.0.0.1:\(port)/ < /dev/null > said & "
          + "until grep -qF '^c exits now' said; do sleep 0.1; done; kill $!; wait $!; echo $?; "
          + "hoist queue")
      let outcome = try await program.end()
      #expect(outcome.output.hasPrefix("1\n"), "\(outcome)")
      #expect(outcome.output.contains("waiting") && outcome.output.contains("a.bin"), "\(outcome)")
    }
  }
}
