import Foundation
import TestSupport
import Testing

/// `make lint` finds links that lead nowhere, examples that nobody compiles, and failures that scripts are not
/// told of (`config/lint-docs.py`).
struct DocsLintTests {
  private func lint(_ files: [String: String]) async throws -> Program.Outcome {
    let house = try ScratchDirectory()
    for (name, text) in files {
      let file = URL(filePath: house.path(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try await Program(
      "\(Repository.root)/config/lint-docs.py", [house.path("")], environment: ["PATH": path],
      directory: house.path("")
    ).end()
  }

  @Test(arguments: [
    ("[a](docs/b.md)", 0), ("[a](docs/b.md#two-words)", 0), ("[a](#top)", 0),
    ("[a](https://example.org/x)", 0), ("`[a](nowhere.md)`", 0),
    ("[a](docs/c.md)", 1), ("[a](docs/b.md#three)", 1), ("![a](picture.svg)", 1), ("[a](#none)", 1),
  ])
  func links(_ link: String, _ status: Int32) async throws {
    let outcome = try await lint([
      "README.md": "# Top\n\(link)\n", "docs/b.md": "# B\n\n## Two *words*\n",
    ])
    #expect(outcome.status == status, "\(outcome)")
  }

  @Test(arguments: [("`missing` or `too-large`", 0), ("`missing`", 1), ("missing, too-large", 1)])
  func codes(_ told: String, _ status: Int32) async throws {
    let outcome = try await lint([
      "docs/scripting.md": "# Scripting\n\n`cause` is \(told).\n",
      "Sources/UploadModel/Item/Failure.swift": """
      struct Failure {
        public var code: String {
          switch cause {
          case .missing: "missing"
          case .tooLarge: "too-large"
          }
        }
      }
      """,
    ])
    #expect(outcome.status == status, "\(outcome)")
  }

  @Test(arguments: [
    ("let a = 1\nif a {\n  b()\n}\n", 0), ("  b()\n", 0), ("if a {\n", 0), ("b()\n}\n", 1),
    ("let a = 2\n", 1), ("let a = 1\nb()\n", 1),
  ])
  func excerpts(_ excerpt: String, _ status: Int32) async throws {
    let outcome = try await lint([
      "Sources/Room/Room.docc/Guide.md": "# Guide\n\n```swift\n\(excerpt)```\n",
      "Examples/Sources/a/main.swift": "  let a = 1\n  if a {\n    b()\n  }\n",
    ])
    #expect(outcome.status == status, "\(outcome)")
  }
}
