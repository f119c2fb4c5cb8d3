import MultipartForm
import Testing
import UploadModel

@Suite("Files that go with others")
struct CompanionTests {
  private func rule(_ files: String...) throws -> CompanionRule {
    var rule = CompanionRule()
    rule.files = try files.map { try Template($0) }
    return rule
  }

  @Test(
    "a companion is called after its file, and is looked for in the order of its names",
    arguments: [
      ("a.jpg", ["a.jpg.xmp", "a.xmp"]), ("a", ["a.xmp", "a.xmp"]), ("a.xmp", ["a.xmp.xmp"]),
      (".hidden", [".hidden.xmp", ".hidden.xmp"]), ("a.b.c", ["a.b.c.xmp", "a.b.xmp"]),
      ("\u{301}.jpg", ["\u{301}.jpg.xmp", "\u{301}.xmp"]),
    ])
  func names(of file: String, _ names: [String]) throws {
    #expect(try rule("{file.name}.xmp", "{file.stem}.xmp").names(for: file) == names)
  }

  @Test("of each rule the first that is there, in the file's own folder")
  func found() throws {
    let rules = [try rule("{file.name}.xmp", "{file.stem}.xmp"), try rule("{file.stem}.mov")]
    func found(_ path: FileLocation, _ there: Set<String>) -> [String] {
      let identity = FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
      return UploadItem(id: ItemID(1), location: path)
        .companions(by: rules) { there.contains($0.description) ? identity : nil }
        .map(\.location.description)
    }
    let all: Set = ["/p/a.jpg.xmp", "/p/a.xmp", "/p/a.mov", "a.xmp", "/a.xmp"]
    #expect(found("/p/a.jpg", all) == ["/p/a.jpg.xmp", "/p/a.mov"])
    #expect(found("/p/a.jpg", all.subtracting(["/p/a.jpg.xmp"])) == ["/p/a.xmp", "/p/a.mov"])
    #expect(found("/q/a.jpg", all).isEmpty)
    #expect(found("a.jpg", all) == ["a.xmp"])
    // The name that the server is told has nothing to do with it, and a name that is no text has no companions.
    #expect(found(FileLocation(bytes: Array("/p/a".utf8) + [0xFF]), all).isEmpty)
  }
}
