import MultipartForm
import Testing
import UploadModel

@Suite("Files that go with others")
struct CompanionTests {
  private static let there = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)

  private func rule(_ files: [String]) throws -> CompanionRule {
    var rule = CompanionRule()
    rule.files = try files.map { try Template($0) }
    return rule
  }

  @Test(
    "a companion is called after its file, and is looked for in the order of its names",
    arguments: [
      ("a.jpg", ["a.jpg.xmp", "a.xmp"]), ("a", ["a.xmp", "a.xmp"]), ("a.xmp", ["a.xmp.xmp"]),
      ("a.b.c", ["a.b.c.xmp", "a.b.xmp"]), ("\u{301}.jpg", ["\u{301}.jpg.xmp", "\u{301}.xmp"]),
    ])
  func names(of file: String, _ names: [String]) throws {
    let rule = try rule(["{file.name}.xmp", "{file.stem}.xmp"])
    #expect(rule.names(for: Array(file.utf8)) == names.map { Array($0.utf8) })
    #expect(rule.names(for: Array(file.utf8) + [0xFF]).isEmpty)
  }

  @Test("of each rule the first that is there, in the file's own folder")
  func found() throws {
    let rules = [try rule(["{file.name}.xmp", "{file.stem}.xmp"]), try rule(["{file.stem}.mov"])]
    func found(_ path: String, _ all: Set<String>) throws -> [String] {
      try rules.companions(of: FileLocation(path)) {
        all.contains($0.description) ? .file(Self.there) : .nothing
      }.map(\.location.description)
    }
    let all: Set = ["/p/a.jpg.xmp", "/p/a.xmp", "/p/a.mov", "a.xmp", "/a.xmp"]
    #expect(try found("/p/a.jpg", all) == ["/p/a.jpg.xmp", "/p/a.mov"])
    #expect(try found("/p/a.jpg", all.subtracting(["/p/a.jpg.xmp"])) == ["/p/a.xmp", "/p/a.mov"])
    #expect(try found("/q/a.jpg", all).isEmpty)
    #expect(try found("a.jpg", all) == ["a.xmp"])
    // One that cannot be looked at is there: the file does not go without it, and not with another one.
    #expect(throws: FileError.self) {
      try rules.companions(of: FileLocation("a.jpg")) { place in
        place.description == "a.jpg.xmp"
          ? .unreadable(FileError(place, .vanished)) : .file(Self.there)
      }
    }
  }

  /// A folder, and which of its files goes with which.
  struct Folder: Sendable, CustomTestStringConvertible {
    let rules: [[String]]
    let names: [String]
    var folders: [String] = []
    let owners: [String: String]
    var testDescription: String { "\(rules) \(names)" }
  }

  @Test(
    "of a folder, each file goes once: by itself, or with another one",
    arguments: [
      Folder(
        rules: [["{file.name}.xmp", "{file.stem}.xmp"]],
        names: ["a.jpg", "a.jpg.xmp", "a.xmp", "b.xmp", "c.jpg", "c.xmp"],
        owners: ["a.jpg.xmp": "a.jpg", "c.xmp": "c.jpg"]),
      // Two that would take each other along.
      Folder(
        rules: [["{file.stem}.mov"], ["{file.stem}.jpg"]], names: ["a.mov", "a.jpg"],
        owners: ["a.mov": "a.jpg"]),
      // One that is taken along takes nothing along.
      Folder(
        rules: [["{file.stem}.jpg"], ["{file.name}.sig"]],
        names: ["a.jpg", "a.jpg.sig", "a.mov", "z.jpg", "z.jpg.sig"],
        owners: ["a.jpg": "a.mov", "z.jpg.sig": "z.jpg"]),
      // Two that would take the same one along both do; the first is reported.
      Folder(
        rules: [["{file.stem}.xmp"]], names: ["a.png", "a.jpg", "a.xmp"],
        owners: ["a.xmp": "a.jpg"]),
      // A folder takes nothing along, and is not taken along.
      Folder(
        rules: [["{file.name}.xmp", "{file.stem}.xmp"]],
        names: ["a", "a.xmp", "b.jpg", "b.jpg.xmp", "b.xmp"], folders: ["a", "b.jpg.xmp"],
        owners: ["b.xmp": "b.jpg"]),
      // Names that look the same and are not.
      Folder(
        rules: [["{file.stem}.xmp"]], names: ["caf\u{E9}.jpg", "cafe\u{301}.xmp"], owners: [:]),
    ])
  func owners(_ row: Folder) throws {
    let known = Set(row.names.map { Array($0.utf8) })
    let folders = Set(row.folders.map { Array($0.utf8) })
    for names in [row.names, row.names.reversed()] {
      let owners = try row.rules.map(rule).owners(among: names.map { Array($0.utf8) }) {
        known.contains($0) && !folders.contains($0) ? .file(Self.there) : .nothing
      }
      let expected = row.owners.map { (Array($0.key.utf8), Array($0.value.utf8)) }
      #expect(owners == Dictionary(uniqueKeysWithValues: expected))
    }
  }
}
