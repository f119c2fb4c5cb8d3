import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Who reads what hoist writes may stop: `less` at its first page, a terminal after `^s`, a line that hangs.
  @Suite("Readers that are stuck")
  struct StuckReaderTests {
    /// What stands where hoist's output goes to.
    enum Reader: String, CaseIterable {
      case pipe = "a pipe that nobody reads"
      case terminal = "a terminal that nobody reads"
      case stopped = "a terminal that was stopped"

      /// A number of files of which hoist has more to say than there is room for: 4 KiB, those of a terminal, none.
      func files(inTerminal many: Int) -> Int { self == .terminal ? many : many / 10 }
    }

    /// Where output goes to, and how much of it waits there.
    private struct Sink {
      let file: FileHandle
      let unread: () -> Int

      init(_ reader: Reader) throws {
        guard reader == .pipe else {
          let terminal = try PseudoTerminal()
          if reader == .stopped { terminal.stop() }
          (file, unread) = (terminal.file, { terminal.unread })
          return
        }
        let pipe = Pipe()
        // F_SETPIPE_SZ: as little as a pipe can hold is soon full.
        guard fcntl(pipe.fileHandleForWriting.fileDescriptor, 1031, 4096) == 4096 else {
          throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        file = pipe.fileHandleForWriting
        unread = {
          var count: Int32 = 0
          // FIONREAD
          return ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(0x541B), &count) == 0
            ? Int(count) : 0
        }
      }

      /// Returns once it takes no more, and the process handles this signal itself.
      func untilFull(_ reader: Reader, _ process: Process, _ signal: Int32) async throws {
        var last = (count: -1, looks: 0)
        try await wait(for: "a reader that takes no more") {
          let now = Program.handles(signal, in: process.processIdentifier) ? unread() : -1
          last = now == last.count && now >= 0 ? (now, last.looks + 1) : (now, 0)
          return (reader == .stopped || now > 1000) && last.looks > 25 ? true : nil
        }
      }
    }

    private func process(_ arguments: [String], _ person: Person) -> Process {
      // hoist ignores SIGHUP and SIGINT if it starts with them ignored, and `Process` passes that on: the tests may run
      // under nohup, or in a script's background.
      for number in [SIGHUP, SIGINT] { Foundation.signal(number, SIG_DFL) }
      let process = Process()
      process.executableURL = URL(filePath: "\(Person.binaries)/hoist")
      process.arguments = arguments
      process.environment = person.environment
      process.currentDirectoryURL = URL(filePath: person.folder.path)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      return process
    }

    /// The exit status of a process that has ended, or minus the signal that ended it; nil if it goes on.
    ///
    /// Asked of the kernel: Foundation learns of an end by a socket that closes, and another program that a test starts
    /// in the same moment inherits it and keeps it open.
    private func ending(of process: Process) -> Int32? {
      guard process.isRunning else {
        return process.terminationReason == .exit
          ? process.terminationStatus : -process.terminationStatus
      }
      var info = siginfo_t()
      guard
        waitid(P_PID, id_t(process.processIdentifier), &info, WEXITED | WNOWAIT | WNOHANG) == 0,
        info.si_signo == SIGCHLD
      else { return nil }
      let status = info._sifields._sigchld.si_status
      // CLD_EXITED
      return info.si_code == 1 ? status : -status
    }

    /// Ends a push that would go on, once nobody reads what it writes.
    private func end(
      _ options: [String], writing output: ReferenceWritableKeyPath<Process, Any?>,
      to reader: Reader, by signal: Int32
    ) async throws {
      // It is over when it is stopped, and not before.
      let server = try HostileServer { connection, _ in
        _ = connection.readRequest()
        connection.stall()
      }
      defer { server.stop() }
      let person = try Person()
      try person.folder.write("a.txt", [65])
      let sink = try Sink(reader)
      // The messages about all the missing files do not fit into the pipe.
      let push = process(
        ["push", "a.txt", "--to", server.url().absoluteString] + options
          + (0..<reader.files(inTerminal: 2000)).map { "none-\($0)" }, person)
      push[keyPath: output] = sink.file
      try push.run()
      defer { if push.isRunning { kill(push.processIdentifier, SIGKILL) } }
      try await sink.untilFull(reader, push, signal)
      kill(push.processIdentifier, signal)
      #expect(try await wait(for: "its end") { ending(of: push) } == 130)
    }

    @Test(
      "a signal ends a push whose output nobody reads", arguments: Reader.allCases,
      [SIGINT, SIGTERM, SIGHUP])
    func push(reader: Reader, signal: Int32) async throws {
      try await end(["--json"], writing: \.standardOutput, to: reader, by: signal)
    }

    @Test("a signal ends a push whose bars nobody reads", arguments: [Reader.terminal, .stopped])
    func bars(reader: Reader) async throws {
      try await end([], writing: \.standardError, to: reader, by: SIGTERM)
    }

    @Test(
      "what cannot be printed is a failure",
      arguments: [
        "queue list", "history", "history --json", "history --csv", "targets", "mime a.txt",
        "config show", "completions bash", "push a.txt --to t --dry-run",
        "push a.txt --to t --as-curl", "--version", "push --help",
      ])
    func fullDisk(command: String) async throws {
      let person = try Person()
      try person.configure("[targets.t]\nurl = \"http://127.0.0.1:1/\"\nretry.attempts = 1")
      try person.folder.write("a.txt", [65])
      let outcome = try await person.shell(
        "export HOIST_QUEUE=q.sqlite; hoist push a.txt --to t > log 2>&1; hoist add a.txt --to t; "
          + "hoist \(command) > /dev/full"
      ).end()
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errors.contains("could not be written: No space left"), "\(outcome)")
    }

    @Test("a list whose first path never ends is no list", arguments: ["", "-0"])
    func endlessPath(option: String) async throws {
      let person = try Person()
      // As much as there is: it must not all be kept.
      let outcome = try await person.shell(
        "yes x | tr -d '\\n' | hoist push --from-file - \(option) --to http://127.0.0.1:1/"
      ).end()
      #expect(outcome.status == 1, "\(outcome.errors.prefix(500))")
      #expect(
        outcome.errors.contains("the rest of the list cannot be read: File name too long"),
        "\(outcome)")
    }

    @Test("a signal ends a screen whose terminal takes nothing", arguments: [SIGTERM, SIGHUP])
    func screen(signal: Int32) async throws {
      let person = try Person()
      let terminal = try PseudoTerminal()
      let screen = process(["--to", "http://127.0.0.1:1/"], person)
      screen.environment?["TERM"] = "xterm-256color"
      screen.environment?["HOIST_QUEUE"] = person.folder.path("q.sqlite")
      (screen.standardInput, screen.standardOutput) = (terminal.file, terminal.file)
      try screen.run()
      defer { if screen.isRunning { kill(screen.processIdentifier, SIGKILL) } }
      // From one pane to another, until that is more than anybody reads.
      var (keys, deafLooks) = (0, 0)
      try await wait(for: "a screen that hears no keys") {
        keys += 1
        terminal.type(keys % 2 == 0 ? 0x31 : 0x34)
        deafLooks = terminal.untaken > 50 ? deafLooks + 1 : 0
        return deafLooks > 250 ? true : nil
      }
      kill(screen.processIdentifier, signal)
      #expect(try await wait(for: "its end") { ending(of: screen) } == 130)
    }

    @Test(
      "a receiver whose words nobody reads takes uploads, and a signal ends it",
      arguments: Reader.allCases)
    func receive(reader: Reader) async throws {
      let person = try Person()
      let sink = try Sink(reader)
      let port = try HostileServer.closedPort()
      let receive = process(
        ["receive", "--port", "\(port)", "--dir", person.folder.path("inbox")], person)
      receive.standardError = sink.file
      try receive.run()
      defer { if receive.isRunning { kill(receive.processIdentifier, SIGKILL) } }
      // The output about this many files does not fit.
      let name = String(repeating: "x", count: 240)
      let files = reader.files(inTerminal: 300)
      for number in 0..<files { try person.folder.write("\(name)\(number)", [65]) }
      try await wait(for: "the receiver") { try? RawClient(port: port) }
      let pushed = try await person.shell(
        "hoist push -q x* --to http://127.0.0.1:\(port)/upload > /dev/null"
      ).end()
      #expect(pushed.status == 0, "\(pushed)")
      let arrived = try FileManager.default.contentsOfDirectory(
        atPath: person.folder.path("inbox"))
      #expect(arrived.count { $0.hasPrefix("x") } == files)
      kill(receive.processIdentifier, SIGTERM)
      #expect(try await wait(for: "its end") { ending(of: receive) } >= 0)
    }
  }
}
