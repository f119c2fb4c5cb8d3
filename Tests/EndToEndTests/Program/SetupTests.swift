import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Tools/build/setup.sh with an apt-get of the test's own: what the real one says was seen on Debian 12.
  @Suite("Setting up")
  struct SetupTests {
    let person: Person

    init() throws { person = try Person() }

    /// Runs it where nothing is installed, with an apt-get whose nth call prints the nth of `complaints` and
    /// fails, and which succeeds from then on.
    private func setup(_ complaints: [String]) async throws -> Program.Outcome {
      let bin = person.folder.path("bin")
      try FileManager.default.createDirectory(
        atPath: person.folder.path("texts"), withIntermediateDirectories: true)
      for (number, text) in complaints.enumerated() {
        try person.folder.write("complaint-\(number + 1)", Array(text.utf8))
      }
      let apt = """
        #!/bin/sh
        echo "$@" >> calls
        text=complaint-$(wc -l < calls)
        [ ! -s "$text" ] || { cat "$text" >&2; exit 100; }
        """
      let programs = [
        "apt-get": apt, "dpkg-query": "#!/bin/sh\nexit 1\n", "swift": "#!/bin/sh\n",
        "sudo": "#!/bin/sh\nexec \"$@\"\n",
      ]
      for (name, text) in programs { try person.folder.write("texts/\(name)", Array(text.utf8)) }
      // By a process of its own: a program that another test's child still has open for writing cannot be started,
      // and the shell would look for the real one.
      let copied = try await person.shell("cp -r texts bin && chmod 755 bin/*").end()
      #expect(copied.status == 0, "\(copied)")
      let script = Person.repository.appendingPathComponent("Tools/build/setup.sh").path
      return try await person.shell(
        "PATH=\(bin):$PATH SETUP_PAUSE=0 exec \(script) build"
      ).end()
    }

    private var calls: [String] {
      let text = try? String(contentsOfFile: person.folder.path("calls"), encoding: .utf8)
      return (text ?? "").split(separator: "\n").map { String($0.prefix { $0 != "-" }.dropLast()) }
    }

    @Test("waits for the process that holds the package manager's lock, and names it once")
    func waits() async throws {
      let lists = """
        E: Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)
        E: Unable to lock directory /var/lib/apt/lists/

        """
      let dpkg = """
        E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 123 (unattended-upgr)
        E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?

        """
      let outcome = try await setup([lists, lists, "", dpkg, dpkg])
      #expect(outcome.status == 0, "\(outcome)")
      let waits = outcome.output.split(separator: "\n").filter { $0.contains("waiting") }
      #expect(
        waits == [
          "setup: waiting for process 77 (apt-get), which holds the package manager's lock",
          "setup: waiting for process 123 (unattended-upgr), which holds the package manager's lock",
        ])
      #expect(outcome.errors == "")
    }

    @Test("any other error is printed and ends it")
    func fails() async throws {
      let outcome = try await setup(["E: Unable to locate package libcurl\n"])
      #expect(outcome.status != 0)
      #expect(outcome.errors == "E: Unable to locate package libcurl\n")
      #expect(calls.count == 1)
    }
  }
}
