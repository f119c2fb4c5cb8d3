import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("make install and make uninstall")
  struct InstallTests {
    private func script(_ arguments: String..., person: Person) async throws -> Program.Outcome {
      try await Program(
        Person.repository.appendingPathComponent("Tools/packaging/install.sh").path, arguments,
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
      #expect(
        version.status == 0
          && version.output.contains(/^hoist \d+\.\d+\.\d+( \([0-9a-f]+\+?\))?\nlibcurl\/\d/),
        "\(version)")
      let readOnly = try await person.shell("readelf -lW prefix/bin/hoist | grep -c GNU_RELRO")
        .end()
      #expect(readOnly.output == "1\n", "\(readOnly)")
      let licenses = try bytes("\(prefix)/share/doc/hoist/licenses.txt")
      for name in ["swift-nio", "TOMLKit", "Runtime Library Exception", "UNICODE LICENSE V3"] {
        #expect(licenses.range(of: Data(name.utf8)) != nil, "no \(name)")
      }
      let pages = try await person.shell("cd prefix/share/doc/hoist && ls README.md docs/*.md")
        .end().output.split(separator: "\n").map { "\(prefix)/share/doc/hoist/\($0)" }
      #expect(pages.count > 10)
      for page in pages {
        for link in try String(contentsOfFile: page, encoding: .utf8).matches(of: /\]\(([^)#\s]+)/)
        where !link.1.contains(":") {
          let file = URL(filePath: page).deletingLastPathComponent().path + "/\(link.1)"
          #expect(FileManager.default.fileExists(atPath: file), "\(page): \(link.1)")
        }
      }
      // What is somebody else's stays.
      try Data().write(to: URL(filePath: "\(prefix)/share/mine"))
      let removed = try await script("--remove", prefix, person: person)
      #expect(removed.status == 0, "\(removed)")
      let left = try await person.shell("find prefix").end()
      #expect(left.output == "prefix\nprefix/share\nprefix/share/mine\n", "\(left)")
    }

    @Test("the bill of materials names what is linked in and beside, and is the same each time")
    func billOfMaterials() async throws {
      let person = try Person()
      let script = Person.repository.appendingPathComponent("Tools/packaging/components.py").path
      let line = "\(script) sbom \(Person.binaries)/hoist"
      let first = try await person.shell(line).end()
      let second = try await person.shell(line).end()
      #expect(first.status == 0 && first.output == second.output, "\(first)")
      let bill = try #require(
        try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any])
      let packages = try #require(bill["packages"] as? [[String: Any]])
      let names = packages.compactMap { $0["name"] as? String }
      for name in ["hoist", "swift-nio", "swift", "icu", "libc6"] { #expect(names.contains(name)) }
      let kinds = Set(packages.compactMap { $0["licenseConcluded"] as? String })
      #expect(kinds.isSuperset(of: ["MIT", "Apache-2.0", "Unicode-3.0"]), "\(kinds)")
    }
  }
}
