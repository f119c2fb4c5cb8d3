import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("What the screen shows of files and targets")
  struct ScreenPreviewTests {
    private static let png: [UInt8] = [
      0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
      16, 0, 0, 0, 8,
    ]

    @Test("the list of files shows text, the sizes of pictures, and never opens a pipe")
    func previews() async throws {
      let person = try Person()
      try FileManager.default.createDirectory(
        atPath: person.folder.path("files"), withIntermediateDirectories: true)
      try person.folder.write("files/a.txt", Array("first line\n\u{1B}[31msecond\n".utf8))
      try person.folder.write("files/b.png", Self.png)
      try Tool.run("mkfifo", [person.folder.path("files/c.pipe")])
      let terminal = try await person.terminal(columns: 160, rows: 45)
      try await terminal.command("cd files")
      try await terminal.command("hoist --to http://127.0.0.1:9/")
      try await terminal.wait(for: "Press a to add files")
      try await terminal.press("b")
      try await terminal.wait(for: "a.txt")
      try await terminal.wait(for: "first line")
      #expect(try await terminal.screen().shows("␛[31msecond"))
      try await terminal.press("j")
      try await terminal.wait(for: "PNG, 16 × 8")
      // Nothing is known of the pipe.
      try await terminal.press("j")
      try await terminal.wait(until: "the pipe") { !$0.shows("PNG, 16") }
      try await terminal.press("k")
      try await terminal.wait(for: "PNG, 16 × 8")
    }

    @Test("a target is tried, made the default and deleted, and the file says so")
    func targets() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.configure(
        """
        default_target = "desk"

        [targets.desk]
        url = "\(inbox.url)"

        # The other one.
        [targets.nas]
        url = "http://127.0.0.1:9/upload"

        [screen]
        mouse = false

        """)
      let file = "\(person.home.path)/.config/hoist/config.toml"
      @Sendable func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist")
      try await terminal.wait(for: "Press a to add files")
      try await terminal.type(":targets")
      try await terminal.press("Enter")
      try await terminal.wait(for: "✓ desk")
      try await terminal.press("c")
      try await terminal.wait(for: "answers")
      try await terminal.press("j", "c")
      try await terminal.wait(for: "no answer: ")
      try await terminal.press("d")
      try await terminal.wait(for: "nas is the default from now on")
      #expect(try text().contains("default_target = \"nas\""))
      try await terminal.press("x")
      try await terminal.wait(for: "is the default: make another")
      try await terminal.press("k", "d")
      try await terminal.wait(for: "desk is the default from now on")
      try await terminal.press("j", "x")
      try await terminal.wait(for: "Delete the target?")
      try await terminal.press("y")
      try await terminal.wait(until: "it to be gone") { !$0.shows("127.0.0.1:9/upload") }
      let after = try text()
      #expect(!after.contains("targets.nas") && after.contains("mouse = false"))
      #expect(after.contains("[targets.desk]\nurl = \"\(inbox.url)\""))
      // What was deleted by mistake comes back as it was, with its comment.
      try await terminal.press("z")
      try await terminal.wait(for: "nas is back")
      #expect(try text().contains("# The other one.\n[targets.nas]\nurl"))
      try await terminal.wait(for: "127.0.0.1:9/upload")
    }
  }
}
