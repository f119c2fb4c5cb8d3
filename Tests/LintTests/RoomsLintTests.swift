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

  /// What the house's files import, each as `Package.swift` declares it.
  private static let imports = [
    "Sources/Roof/Imports.swift": "@preconcurrency internal import Base\nimport struct Tile.Clay",
    "Tests/RoofTests/Imports.swift": "import Testing\n\n@testable import Roof",
  ]

  private static let longBody = String(repeating: "\n", count: 14)

  private func lint(
    manifest: String = manifest, map: String = map, files: [String: Int] = [:],
    prefix: String = "", imports: [String: String] = imports, runsSwiftPM: Bool = false
  ) async throws -> Program.Outcome {
    let house = try ScratchDirectory()
    try Data(manifest.utf8).write(to: URL(filePath: house.path("Package.swift")))
    try Data(map.utf8).write(to: URL(filePath: house.path("CONTRIBUTING.md")))
    var texts = imports
    for (name, lines) in files {
      texts["Sources/\(name)"] = prefix + String(repeating: "\n", count: lines)
    }
    for (path, text) in texts {
      let file = URL(filePath: house.path(path))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
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
    ("Sources/Base/A.swift", "import Foundation\nimport Roof", "2: imports Roof, which Base"),
    ("Sources/Base/A.swift", "public import Roof", "1: imports Roof, which Base"),
    ("Sources/Base/Deep/A.swift", "  import class Roof.A", "1: imports Roof, which Base"),
    ("Sources/Base/A.swift", "/* a */\n@_spi(B) import Roof", "2: imports Roof, which Base"),
    ("Sources/Base/A.swift", "import Foundation; import Roof", "1: imports Roof, which Base"),
    ("Sources/Base/A.swift", "import Tile", "1: imports Tile, which Base"),
    // Another module of the outside package, which nobody declares.
    ("Sources/Roof/A.swift", "import TileGlue", "1: imports TileGlue, which Roof"),
    ("Tests/RoofTests/A.swift", "\n\nimport Base", "3: imports Base, which RoofTests"),
    ("Tests/RoofTests/A.swift", "@testable import Tile", "1: imports Tile, which RoofTests"),
  ])
  func importsThatAreNotDeclaredAreFound(_ path: String, _ text: String, _ words: String)
    async throws
  {
    let outcome = try await lint(imports: Self.imports.merging([path: text]) { $1 })
    #expect(outcome.status == 1, "\(outcome)")
    #expect(
      outcome.output == "\(path):\(words) does not declare in Package.swift\n", "\(outcome)")
  }

  @Test(arguments: [
    "// import Roof", "/// import Roof", "/*\nimport Roof\n*/", "let text = \"import Roof\"",
    "let text = \"\"\"\n  import Roof\n  \"\"\"", "important(Roof)", "import Foundation",
    "func `import`(Roof: Int) {}", "importing(Roof)",
    "let text = \"a; import Roof\"",
  ])
  func whatOnlyLooksLikeAnImportIsNot(_ text: String) async throws {
    let outcome = try await lint(
      imports: Self.imports.merging(["Sources/Base/A.swift": text]) { $1 })
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test(arguments: [
    ("Sources/Roof/Imports.swift", "import Tile", "Roof declares Base", "Sources/Roof"),
    ("Sources/Roof/Imports.swift", "import Base", "Roof declares Tile", "Sources/Roof"),
    (
      "Sources/Roof/Imports.swift", "// import Base\nimport Tile", "Roof declares Base",
      "Sources/Roof"
    ),
    (
      "Tests/RoofTests/Imports.swift", "import Testing", "RoofTests declares Roof",
      "Tests/RoofTests"
    ),
  ])
  func declarationsThatNoFileNeedsAreFound(
    _ path: String, _ text: String, _ words: String, _ folder: String
  ) async throws {
    let outcome = try await lint(imports: Self.imports.merging([path: text]) { $1 })
    #expect(outcome.status == 1, "\(outcome)")
    #expect(
      outcome.output == "Package.swift: \(words), which no file in \(folder) imports\n",
      "\(outcome)")
  }

  /// A target may lie elsewhere, leave out a folder, and need a program that it only starts.
  @Test func eachTargetsFilesAreThoseThatItCompiles() async throws {
    let manifest = Self.manifest.replacing(
      ".testTarget(name: \"RoofTests\", dependencies: [\"Roof\"]),",
      with: """
        .testTarget(
          name: "RoofTests", dependencies: ["Roof", "tool"], path: "Checks", exclude: ["Samples"]),
        .executableTarget(name: "tool", path: "Tools/tool"),
        """)
    var imports = [
      "Sources/Roof/Imports.swift": "import Base\nimport Tile", "Checks/A.swift": "import Roof",
      "Checks/Samples/B.swift": "import Base", "Tools/tool/C.swift": "import Foundation",
    ]
    let rightly = try await lint(manifest: manifest, imports: imports)
    #expect(rightly.status == 0, "\(rightly)")
    imports["Checks/A.swift"] = "import Roof\nimport Base"
    imports["Tools/tool/C.swift"] = "import Base"
    let wrongly = try await lint(manifest: manifest, imports: imports)
    #expect(
      wrongly.output.contains("Checks/A.swift:2: imports Base, which RoofTests does not declare")
        && wrongly.output.contains(
          "Tools/tool/C.swift:1: imports Base, which tool does not declare")
        && !wrongly.output.contains("Samples"), "\(wrongly)")
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
