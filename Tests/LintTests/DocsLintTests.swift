import Foundation
import TestSupport
import Testing

/// `make lint` finds links and paths in comments that lead nowhere, examples that nobody compiles, and codes of failures
/// that are not documented (`Tools/lint/docs.py`).
@Suite(.needs("python3"))
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
      "\(Repository.root)/Tools/lint/docs.py", [house.path("")], environment: ["PATH": path],
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

  private static let someCodes = """
    extension Failure {
      private var name: (code: String, headline: String) {
        switch cause {
        case .missing: ("missing", "file is missing")
        case .refused: (status.map { "http-\\($0)" } ?? "refused", Self.statusLine(status))
        case .redirected:
          (
            "redirected",
            status.map { "\\(Self.statusLine($0)), not followed" } ?? "redirect not followed"
          )
        case .denied: status.map { ("http-\\($0)", "denied") } ?? ("no-credentials", "no credentials")
        }
      }
    }
    """

  @Test(arguments: [
    (someCodes, "`missing`, `refused`, `redirected` or `no-credentials`", ""),
    (someCodes, "`missing`, `redirected` or `no-credentials`", "refused is missing"),
    (someCodes, "`missing`, `refused` or `no-credentials`", "redirected is missing"),
    (someCodes, "`missing`, `refused` or `redirected`", "no-credentials is missing"),
    (someCodes, "missing, `refused`, `redirected` or `no-credentials`", "missing is missing"),
    ("struct Failure {}", "`missing`", "no table"),
  ])
  func codes(_ source: String, _ told: String, _ fault: String) async throws {
    let outcome = try await lint([
      "docs/scripting.md": "# Scripting\n\n`cause` is \(told).\n",
      "Sources/UploadModel/Item/Failure.swift": source,
    ])
    #expect(outcome.status == (fault.isEmpty ? 0 : 1), "\(outcome)")
    #expect(fault.isEmpty || outcome.output.contains(fault), "\(outcome)")
  }

  /// The check of the project itself looks at all of them.
  @Test func theProjectsCodesAreFound() async throws {
    let words = "Sources/UploadModel/Policy/Failure+Words.swift"
    let text = try String(contentsOf: URL(filePath: "\(Repository.root)/\(words)"), encoding: .utf8)
    let outcome = try await lint(["docs/scripting.md": "# Scripting\n", words: text])
    let codes = outcome.output.split(separator: "\n").filter { $0.hasPrefix("the code ") }
    #expect(codes.count > 25, "\(outcome)")
  }

  @Test(arguments: [
    ("// See docs/b.md.", 0), ("let a = 1  // (`docs/b.md`)", 0), ("/// At ~/.x/docs/c.md.", 0),
    ("let a = \"// docs/c.md\"", 0), ("/// See `docs/c.md`.", 1), ("let a = 1  // docs/c.md", 1),
  ])
  func pathsInComments(_ line: String, _ status: Int32) async throws {
    let outcome = try await lint(["Sources/Room/A.swift": "\(line)\n", "docs/b.md": "# B\n"])
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
