import Foundation
import TestSupport
import Testing
import UploadModel
import UploadStore

extension EndToEnd {
  @Suite("Inputs of odd kinds")
  struct OddInputTests {
    // MARK: Inputs that can be read only once

    @Test(
      "names that are not UTF-8 keep their bytes, as arguments, in folders, in addresses and in a form"
    )
    func rawNames() async throws {
      let person = try Person()
      let server = try HostileServer.answering("HTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let address = server.url("/").absoluteString
      try person.configure(
        """
        [targets.t]
        url = "\(address){file.path}"
        method = "PUT"
        body = "binary"
        """)
      let line = """
        e=$(printf 'caf\\351'); mkdir w; for n in "$e" "$(printf 'caf\\350')" "$(printf 'caf\\357\\277\\275')"; do
        echo "$n" > "w/$n"; done
        hoist push -r w --to t && hoist push w/* --to t && cd w && hoist push "$e;name=new$e" --to \(address)f
        """
      let end = try await person.shell(line).end()
      #expect(end.status == 0, "\(end.errors)")
      // What is printed is UTF-8.
      #expect(end.errors.contains("caf\u{FFFD}") && !end.errors.contains("\u{10FEE9}"))
      let names = ["caf%E8", "caf%E9", "caf%EF%BF%BD"]
      let wanted = (names.map { "PUT /\($0) HTTP/1.1" } + names.map { "PUT /\($0) HTTP/1.1" })
        .sorted()
      #expect(server.requests.filter { $0.line.hasPrefix("PUT") }.map(\.line).sorted() == wanted)
      let form = try #require(server.requests.last?.body)
      let name = Array("filename=\"newcaf".utf8) + [0xE9, UInt8(ascii: "\"")]
      #expect(form.indices.contains { form[$0...].starts(with: name) })
    }

    @Test(
      "what <(command), /dev/stdin and /dev/fd/3 stand for is sent, each under a name of its own")
    func streams() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("file", Array("from file".utf8))
      func push(_ line: String) async throws -> Program.Outcome {
        try await person.shell("exec bash -c '\(line) --to \(inbox.url)'").end()
      }
      for line in [
        "hoist push <(printf hello) --name hello.txt",
        "printf hi | hoist push /dev/stdin --name hi.txt",
        "hoist push /dev/stdin --name file.txt < file",
        "hoist push <(printf 3)\";name=three\" <(printf 4)\";name=four;type=text/x-four\"",
        "printf 0 | hoist push - <(printf 1) --name zero",
        "hoist push /proc/self/fd/3 3< file",
      ] {
        let outcome = try await push(line)
        #expect(outcome.status == 0, "\(line): \(outcome)")
      }
      // bash gives the first substitution of a command the number 63.
      for (name, content) in [
        ("hello.txt", "hello"), ("hi.txt", "hi"), ("file.txt", "from file"), ("three", "3"),
        ("four", "4"), ("zero", "0"), ("63", "1"), ("3", "from file"),
      ] {
        #expect(inbox.bytes(name) == Data(content.utf8), "\(name): \(inbox.names)")
      }
      #expect(inbox.names.count == 8, "\(inbox.names)")

      let told = try await push("hoist push <(printf x) --json")
      #expect(told.output.contains("\"path\":\"/dev/fd/63\""), "\(told)")
      for (line, words) in [
        ("hoist push <(printf 1) <(printf 2) --name x", "2 inputs could have this name"),
        ("hoist push /dev/fd/3 /proc/self/fd/3 3< file", "/dev/fd/3 is given 2 times"),
        ("hoist push - /dev/stdin --name x < file", "standard input is given 2 times"),
      ] {
        let outcome = try await push(line)
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(line): \(outcome)")
      }
      // Descriptors that hoist itself has open, such as its queue's, are not the user's files.
      let own = try await push(
        "for n in {3..40}; do eval \"exec $n>&-\"; done; hoist push /dev/fd/{3..40}")
      #expect(own.status == 1 && own.errors.contains("descriptor 5 is not open"), "\(own)")
    }

    @Test("--retry-failed does not send an empty file for an input that had content")
    func retriedInput() async throws {
      let person = try Person()
      let refused = "http://127.0.0.1:9/"
      let inbox = try await person.receiver("--no-sync")
      let first = try await person.shell(
        "printf 1234567 | hoist push - --name shop.sql --to \(refused) --attempts 1 --report r.json"
      ).end()
      #expect(first.status == 1, "\(first)")
      // Twice, since each report replaces the one before.
      for _ in 0..<2 {
        let again = try await person.shell(
          "hoist push --retry-failed r.json --report r.json --to \(inbox.url) < /dev/null"
        ).end()
        #expect(again.status == 1 && inbox.names.isEmpty, "\(again)")
        #expect(again.errors.contains("is empty now"), "\(again)")
      }
      let whole = try await person.shell(
        "printf 1234567 | hoist push --retry-failed r.json --to \(inbox.url)"
      ).end()
      #expect(whole.status == 0 && inbox.bytes("shop.sql") == Data("1234567".utf8), "\(whole)")
    }

    @Test("what only this process can read is not queued, and the exit status says so")
    func queuedStreams() async throws {
      let person = try Person()
      try person.folder.write("file", [1])
      for line in [
        "hoist add <(printf x)", "hoist add /dev/stdin < file", "hoist add file /dev/fd/3 3< file",
        "printf x | hoist add -", "hoist --plain <(printf x)",
      ] {
        let outcome = try await person.shell(
          "exec bash -c '\(line) --to http://127.0.0.1:9/ --queue queue.sqlite'"
        ).end()
        #expect(outcome.status == 2, "\(line): \(outcome)")
        #expect(outcome.errors.contains("cannot be queued, since only this process can read it"))
      }
      let store = try UploadStore(path: person.folder.path("queue.sqlite"))
      #expect(try store.items().isEmpty)
    }

    // MARK: Folders

    /// A tree of folders with long names, deeper than a path may be long, and a folder that may be listed but not
    /// searched, with two files in it. A file `last` is neither.
    private static func makeTree(for person: Person) async throws {
      let made = try await person.shell(
        """
        mkdir -p t/shut; touch t/shut/a t/shut/b; printf x > t/last
        cd t; name=$(printf '%0240d' 0)
        for i in $(seq 20); do mkdir $name; cd -P ./$name; printf x > deep$i; done
        """
      ).end()
      #expect(made.status == 0, "\(made)")
    }

    @Test(
      "what cannot be looked at is named and counts, in each command that goes through folders",
      arguments: [
        "push -r t --to URL", "push -r t --to URL --dry-run", "add -r t --to URL",
        "push --from-file list -r --to URL", "push -r --watch t --existing --to URL",
      ])
    func nothingIsLeftOut(command: String) async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try await Self.makeTree(for: person)
      try person.folder.write("list", Array("t\n".utf8))
      let line = command.replacingOccurrences(of: "URL", with: inbox.url)
      let isWatch = command.contains("--watch")
      let program = try person.shell(
        "chmod 444 t/shut; \(isWatch ? "exec" : "") \(Person.bound) hoist \(line)"
          + (isWatch ? "" : "; status=$?; chmod 755 t/shut; exit $status"))
      if isWatch {
        try await wait(for: "the last of what is there", otherwise: { program.errors }) {
          let errors = program.errors
          return errors.contains("t/shut/b") && errors.count { $0 == "✓" } == 17 ? true : nil
        }
        try await program.interrupt(SIGTERM)
      }
      let outcome = try await program.end()
      _ = try await person.shell("chmod 755 t/shut").end()
      #expect(outcome.status == 1, "\(outcome)")
      for name in ["a", "b"] {
        #expect(outcome.errors.contains("t/shut/\(name)"), "\(outcome.errors)")
      }
      #expect(outcome.errors.contains("ermission denied") || command.hasPrefix("add"))
      let all = outcome.output + outcome.errors + inbox.names.joined(separator: " ")
      for number in 1...20 where !command.hasPrefix("add") || number > 16 {
        #expect(all.contains("deep\(number)"), "deep\(number)")
      }
      if command.hasPrefix("add") {
        #expect(outcome.errors.contains("17 files queued"), "\(outcome.errors)")
      } else if !command.contains("--dry-run") {
        #expect(inbox.names.count == 17, "\(inbox.names)")
      }
      _ = try await person.shell("rm -rf t").end()
    }

    @Test("a folder whose ignore file cannot be read is left out whole, and reported")
    func secretIgnoreFile() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let outcome = try await person.shell(
        """
        mkdir -p t/a; touch t/a/one t/two; echo one > t/a/.gitignore; chmod 000 t/a/.gitignore
        exec \(Person.bound) hoist push -r t --ignore-file .gitignore --to \(inbox.url)
        """
      ).end()
      #expect(outcome.status == 1 && inbox.names == ["two"], "\(outcome)")
      #expect(outcome.errors.contains(".gitignore in it: Permission denied"), "\(outcome.errors)")
    }

    // MARK: Watching

    @Test("--watch sends what is linked in, once it is complete")
    func linkedIn() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      let watch = try person.shell(
        """
        mkdir -p w/sub out; printf old > w/old; printf linked > out/linked; printf target > out/target
        mkdir out/copies; printf copy > out/copies/copy
        exec hoist push --watch w -r --to \(inbox.url) --existing
        """)
      try await wait(for: "the old file", otherwise: { watch.errors }) {
        inbox.bytes("old") == nil ? nil : true
      }
      let writer = try person.shell(
        """
        ln out/linked w/linked; ln -s ../../out/target w/sub/symbolic; cp -l out/copies/copy w/sub/copy
        ln -s nowhere w/broken; ln -s ../out w/folder; mkfifo w/pipe
        exec 3> out/slow; printf begun >&3; ln out/slow w/slow
        exec 4> w/created; printf created >&4
        until [ -e go ]; do sleep 0.05; done
        printf ' and done' >&3; exec 3>&-; printf ' and done' >&4; exec 4>&-
        """)
      try await wait(for: "what was complete at once", otherwise: { watch.errors }) {
        ["linked", "symbolic", "copy"].allSatisfy { inbox.bytes($0) != nil } ? true : nil
      }
      #expect(inbox.bytes("slow") == nil && inbox.bytes("created") == nil)
      try person.folder.write("go", [])
      #expect(try await writer.end().status == 0)
      // That they are stored does not mean that hoist has the replies.
      try await wait(for: "the others", otherwise: { watch.errors }) {
        ["slow", "created"].allSatisfy { watch.errors.contains("✓ w/\($0): ") } ? true : nil
      }
      try await watch.interrupt(SIGTERM)
      let outcome = try await watch.end()
      #expect(outcome.status == 0 && outcome.errors.contains("6 of 6 files sent"), "\(outcome)")
      #expect(inbox.bytes("slow") == Data("begun and done".utf8))
      #expect(inbox.bytes("created") == Data("created and done".utf8))
    }
  }
}
