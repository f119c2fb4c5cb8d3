import Foundation
import TestSupport
import Testing

/// `make lint` finds pictures that show what is no longer drawn so (`Tools/lint/pictures.py`).
@Suite(.needs("python3"))
struct PicturesLintTests {
  private static let frame = """
    ╭─ Queue 9 ───────────── 1 Queue  2 Log ─╮
    │    NAME             SIZE  STATE        │
    │  ✓ a.jpg          3.2 MB  done         │
    ╰────────────────────────────────────────╯
     a add  q quit
    """

  @Test(arguments: [
    // Sizes, names and numbers differ each time.
    ("│  ✓ b.jpg          9.9 MB  done         │", ""), (" a add  q quit", ""),
    ("│    NAME             SIZE  STATE        │", ""),
    ("│    NAME            STATE  SIZE         │", "NAME STATE SIZE"),
    ("╭─ Queue 9 ──── 1 Queue  2 History  3 Log ─╮", "1 Queue  2 History  3 Log"),
    ("│  ✓ a.jpg          3.2 MB  on the line  │", "on the line"),
    (" a add  x drop", "x drop"),
    // Not in a frame, but a text of the sources.
    ("│  ✓ a.jpg          3.2 MB  sent &amp; gone  │", ""),
  ])
  func labels(_ line: String, _ fault: String) async throws {
    let house = try ScratchDirectory()
    for (name, text) in [
      "Tests/ScreensTests/Goldens/queue.txt": Self.frame,
      "Sources/Screens/Row.swift": "// on the line\nlet words = \"sent & gone\"\n",
      "docs/pictures/queue.svg": """
      <svg><text x="12" y="30" textLength="84" xml:space="preserve">\(line)</text></svg>
      """,
    ] {
      let file = URL(filePath: house.path(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let outcome = try await Program(
      "\(Repository.root)/Tools/lint/pictures.py", [house.path("")], environment: ["PATH": path],
      directory: house.path("")
    ).end()
    #expect(outcome.status == (fault.isEmpty ? 0 : 1), "\(outcome)")
    #expect(fault.isEmpty || outcome.output.contains("shows \"\(fault)\""), "\(outcome)")
  }
}
