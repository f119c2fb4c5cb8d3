import Foundation
import TestSupport
import Testing

/// `make lint` finds text that is handled by `Character` where its bytes count.
@Suite(.needs("python3"))
struct TextLintTests {
  private func lint(_ code: String, in rooms: [String]) async throws -> Program.Outcome {
    let sources = try ScratchDirectory()
    for room in rooms {
      try FileManager.default.createDirectory(
        atPath: sources.path(room), withIntermediateDirectories: true)
      try Data(code.utf8).write(to: URL(filePath: sources.path("\(room)/Planted.swift")))
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try await Program(
      "\(Repository.root)/Tools/lint/text.py", [sources.path("")], environment: ["PATH": path],
      directory: sources.path("")
    ).end()
  }

  @Test(arguments: [
    #"let names = path.split(separator: "/")"#, "let names = path.split(\n      separator: \"/\")",
    #"if name.hasPrefix(".") {}"#, "if name.hasSuffix(ending) {}",
    #"let a = text.replacing("'", with: "x")"#,
    #"if text.contains("@") {}"#, #"let a = text.firstIndex(of: ":")"#,
    #"let a = text.split { $0 == "/" }"#,
    #"let a = text.components(separatedBy: "/")"#, #"let a = text.prefix { $0 != "?" }"#,
    #"if text.first == "/" {}"#, #"let a = text.trimmingCharacters(in: .whitespaces)"#,
    #"if "/\\".contains(character) {}"#, #"let a = text.replacingOccurrences(of: "/", with: "")"#,
  ])
  func whatIsPlantedIsFound(_ line: String) async throws {
    let rooms = ["Receiver", "UploadModel", "hoist"]
    let outcome = try await lint("func f() {\n  // A comment.\n  \(line)\n}\n", in: rooms)
    #expect(outcome.status == 1, "\(line): \(outcome)")
    for room in rooms {
      #expect(outcome.output.contains("\(room)/Planted.swift:3: "), "\(outcome)")
    }
  }

  @Test(arguments: [
    #"let names = path.utf8.split(separator: UInt8(ascii: "/"))"#,
    #"let names = path.split(scalar: "/")"#,
    #"if name.hasPrefix(scalars: ".") {}"#, #"// text.split(separator: "/")"#,
    #"if words.contains("a") {}  // not text"#, #"let a = text.unicodeScalars.firstIndex(of: "/")"#,
    "let names = path.unicodeScalars\n      .split(separator: \"/\")",
    #"let a = text.split(separator: ",")  // by Character: for the screen"#,
  ])
  func whatIsRightIsNot(_ line: String) async throws {
    let outcome = try await lint("func f() {\n  \(line)\n}\n", in: ["Receiver"])
    #expect(outcome.status == 0, "\(outcome)")
  }
}
