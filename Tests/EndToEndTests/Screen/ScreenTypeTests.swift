import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("The types of files are to be seen")
  struct ScreenTypeTests {
    /// Files, their types, and the short forms of these.
    private static let files = [
      ("photo.jpg", "image/jpeg", "image/jpeg"), ("report.pdf", "application/pdf", "pdf"),
      ("letter.png", "image/png!", "image/png!"),
      ("blob", "application/octet-stream?", "octets?"),
    ]

    /// A queue of these files, each for the next of the targets, which are not there.
    private static func queue(for targets: Int) async throws -> Person {
      let person = try Person()
      try person.folder.write(
        "photo.jpg", [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0, count: 9))
      try person.folder.write("report.pdf", Array("%PDF-1.4\n".utf8))
      // A zip archive, in spite of its name.
      try person.folder.write(
        "letter.png", Array("PK\u{3}\u{4}\n".utf8) + Array(repeating: 0, count: 40))
      try person.folder.write("blob", count: 300)
      for (index, file) in files.enumerated() {
        _ = try await person.run("add", file.0, "--to", "http://127.0.0.1:9/\(index % targets)")
      }
      return person
    }

    @Test(
      "in a window of any width, whether files go to one target or to three", arguments: [1, 3])
    func windows(_ targets: Int) async throws {
      let person = try await Self.queue(for: targets)
      let terminal = try await person.terminal(columns: 60, rows: 24)
      try await terminal.command("hoist")
      for width in [60, 80, 100, 121, 140, 160, 180] {
        try await terminal.resize(columns: width, rows: 24)
        try await terminal.wait(until: "the types at \(width) columns") { screen in
          screen.rows[1].count == width && screen.rows[2].contains(" TYPE ")
            && [\.1, \.2].contains { (form: KeyPath<(String, String, String), String>) in
              Self.files.allSatisfy { file in
                screen.row(with: "· \(file.0)")?.contains(" \(file[keyPath: form]) ") == true
              }
            }
        }
      }
    }

    @Test("in the lists that hoist queue and hoist --plain print, and in the list of files")
    func lists() async throws {
      let person = try await Self.queue(for: 1)
      let listed = try await person.run("queue", "list").output
      let plain = try await person.shell("printf 'start-stop\\nlist\\nquit\\ns\\n' | hoist --plain")
        .end()
      for (name, type, _) in Self.files {
        #expect(listed.contains("  \(type)  \(person.folder.path(name)) → "), "\(listed)")
        #expect(plain.output.contains("  \(name)  \(type)  "), "\(plain)")
      }
      let terminal = try await person.terminal(columns: 60, rows: 24)
      try await terminal.command("hoist")
      try await terminal.wait(for: "Queue")
      try await terminal.press("b")
      // The list of files goes by names alone.
      try await terminal.wait(until: "the types in the list of files") { screen in
        // Their rows in the queue are not sorted, and those here are marked as queued.
        screen.shows("NAME ▲")
          && [("photo.jpg", "image/jpeg"), ("report.pdf", "application/pdf"), ("blob", "?")]
            .allSatisfy {
              screen.row(with: "· \($0)")?.contains(" \($1) ") == true
            }
      }
    }
  }
}
