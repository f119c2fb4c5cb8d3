import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("make install and make uninstall")
  struct InstallTests {
    private func script(_ arguments: String..., person: Person) async throws -> Program.Outcome {
      try await Program(
        Person.repository.appendingPathComponent("config/install.sh").path, arguments,
        environment: person.environment, directory: person.folder.path
      ).end()
    }

    @Test("what is installed runs, and nothing of it is left once it is removed")
    func thereAndBack() async throws {
      let person = try Person()
      let prefix = person.folder.path("prefix")
      let installed = try await script("\(Person.binaries)/hoist", prefix, person: person)
      #expect(installed.status == 0, "\(installed)")
      let version = try await person.shell(
        "prefix/bin/hoist --version; file=prefix/share/man/man1/hoist.1; [ -s $file ]"
      )
      .end()
      #expect(version.status == 0 && version.output.hasPrefix("0."), "\(version)")
      // What is somebody else's stays.
      try Data().write(to: URL(filePath: "\(prefix)/share/mine"))
      let removed = try await script("--remove", prefix, person: person)
      #expect(removed.status == 0, "\(removed)")
      let left = try await person.shell("find prefix").end()
      #expect(left.output == "prefix\nprefix/share\nprefix/share/mine\n", "\(left)")
    }
  }
}
