import Foundation
import Synchronization
import TestSupport
import Testing

/// `make lint` finds rooms that are not as CONTRIBUTING.md draws them, and folders that have grown too large
/// (`Tools/lint/rooms.py`).
@Suite(.needs("python3"))
struct RoomsLintTests {
  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "house",
      dependencies: [.package(url: "https://example.org/outside", from: "1.0.0")],
      targets: [
        .target(name: "Base"),
        .target(
          name: "Roof", dependencies: ["Base", .product(name: "Tile", package: "outside")]),
        .testTarget(name: "RoofTests", dependencies: ["Roof"]),
      ])
    """
  private static let map = """
    | room | what | imports | never |
    |---|---|---|---|
    | `Base` | a | | b |
    | `Roof` (library) | `c` | `Base`, `outside` | d |
    """

  /// What `swift package dump-package` printed for each manifest. It takes a third of a second, so it is kept.
  private static let dumps = Mutex<[String: String]>([:])

  /// Writes SwiftPM's dump of a manifest to a file, and returns its path.
  private func dump(of manifest: String, in house: ScratchDirectory) async throws -> String {
    let known = Self.dumps.withLock { $0[manifest] }
    let text: String
    if let known {
      text = known
    } else {
      let outcome = try await Program(
        "swift", ["package", "--scratch-path", house.path("scratch"), "dump-package"],
        environment: ProcessInfo.processInfo.environment, directory: house.path
      ).end()
      #expect(outcome.status == 0, "\(outcome)")
      text = outcome.output
      Self.dumps.withLock { $0[manifest] = text }
    }
    return try house.write("dump.json", Array(text.utf8))
  }

  private static let longBody = String(repeating: "\n", count: 14)

  private func lint(
    manifest: String = manifest, map: String = map, files: [String: Int] = [:],
    prefix: String = "", runsSwiftPM: Bool = false
  ) async throws -> Program.Outcome {
    let house = try ScratchDirectory()
    try Data(manifest.utf8).write(to: URL(filePath: house.path("Package.swift")))
    try Data(map.utf8).write(to: URL(filePath: house.path("CONTRIBUTING.md")))
    for (name, lines) in files {
      let file = URL(filePath: house.path("Sources/\(name)"))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((prefix + String(repeating: "\n", count: lines)).utf8).write(to: file)
    }
    let environment = ProcessInfo.processInfo.environment.filter {
      ["PATH", "HOME"].contains($0.key)
    }
    return try await Program(
      "\(Repository.root)/Tools/lint/rooms.py",
      [house.path] + (runsSwiftPM ? [] : [try await dump(of: manifest, in: house)]),
      environment: environment,
      directory: house.path("")
    ).end()
  }

  @Test func aHouseInOrderPasses() async throws {
    let outcome = try await lint(files: ["Base/A.swift": 700], runsSwiftPM: true)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test(arguments: [
    ("| `Roof` (library) | `c` | `Base`, `outside` | d |", "the map has no room Roof"),
    ("| `Base` | a | | b |", "the map has no room Base"),
    ("`Base`, ", "Roof imports Base, which the map does not say"),
    (", `outside`", "Roof imports outside, which the map does not say"),
  ])
  func whatTheMapLacksIsSaid(_ cut: String, _ words: String) async throws {
    let outcome = try await lint(map: Self.map.replacing(cut, with: ""))
    #expect(outcome.status == 1 && outcome.output.contains(words), "\(outcome)")
  }

  @Test(arguments: [
    (".target(name: \"Base\"),", "the map has a room Base, Package.swift has none"),
    ("\"Base\", ", "the map says that Roof imports Base"),
  ])
  func whatThePackageLacksIsSaid(_ cut: String, _ words: String) async throws {
    let outcome = try await lint(manifest: Self.manifest.replacing(cut, with: ""))
    #expect(outcome.status == 1 && outcome.output.contains(words), "\(outcome)")
  }

  @Test(arguments: [
    ("A", "struct A {}", true), ("A+More", "@MainActor final class A {}", true),
    ("A", "public struct A {\n  struct B {}\n}\nprivate struct C {}", true),
    ("A", "public enum B {}", true), ("A+More", "protocol More {}", true),
    ("A", "public enum B {\(longBody)}", false), ("A+More", "protocol More {\(longBody)}", false),
    ("A", "struct C {}\nstruct B {\(longBody)}", false),
  ])
  func typesAreFoundByTheirFilesNames(_ file: String, _ text: String, _ isRight: Bool) async throws
  {
    let outcome = try await lint(files: ["Base/\(file).swift": 1], prefix: text)
    #expect((outcome.status == 0) == isRight, "\(outcome)")
    #expect(outcome.output.contains("which belongs into") != isRight, "\(outcome)")
  }

  @Test(arguments: [
    "session.dataTask(with: url)", "session.uploadTask(with: request, fromFile: file)",
    "session\n  .uploadTask(withStreamedRequest: request)", "session.downloadTask(with: url)",
    "let make = UploadSession.shared.webSocketTask", "try await session.data(from: url)",
    "try await session.upload(\n  for: request, from: data)", "session.bytes(for: request)",
    "URLSession.shared.finish()", "URLSession(configuration: .default)",
    "let text = \"http://a\", task = session.dataTask(with: text)",
  ])
  func requestsOfFoundationsAreFound(_ call: String) async throws {
    let outcome = try await lint(files: ["Roof/A.swift": 1], prefix: "// A comment.\n\(call)")
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("makes a request of Foundation's"), "\(outcome)")
    #expect(outcome.output.contains("Sources/Roof/A.swift:"), "\(outcome)")
  }

  @Test(arguments: [
    "UploadSession.shared.task(request, delegate: listener)", "class A: URLSession {}",
    "// session.dataTask(with: url)", "func urlSession(_ session: URLSession) {}",
    "let dataTask = form.data(using: .utf8)", "UploadSession(maxIdle: 1)",
  ])
  func requestsOfOursAreNot(_ text: String) async throws {
    let outcome = try await lint(files: ["Roof/A.swift": 1], prefix: text)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func sizesAreBounded() async throws {
    var files = Dictionary(uniqueKeysWithValues: (1...25).map { ("Base/\($0).swift", 1) })
    #expect(try await lint(files: files).status == 0)
    files["Base/26.swift"] = 1
    let full = try await lint(files: files)
    #expect(full.status == 1 && full.output.contains("Sources/Base has 26 Swift files"), "\(full)")
  }
}
