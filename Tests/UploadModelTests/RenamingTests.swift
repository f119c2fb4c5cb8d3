import MultipartForm
import Testing

@testable import UploadModel

/// New names for several files, by a template or a pattern.
@Suite struct RenamingTests {
  private static func item(
    _ name: String, at path: String? = nil, target: String = "t"
  ) -> UploadItem {
    UploadItem(
      id: ItemID(1), target: target, location: FileLocation("/f/\(path ?? name)"), fileName: name,
      size: 1500)
  }

  @Test(
    arguments: [
      ("{file.stem}-{index|03}.{file.ext}", "a.b.jpg", "a.b-007.jpg"),
      ("{index}_{file.name}", "a.jpg", "7_a.jpg"), ("{file.size}.bin", "a", "1500.bin"),
      ("{{{index}}}", "a", "{7}"), ("s/IMG_/beach-/", "IMG_1_IMG_2", "beach-1_IMG_2"),
      ("s/IMG_/beach-/g", "IMG_1_IMG_2", "beach-1_beach-2"), ("s/img_//i", "IMG_1", "1"),
      (#"s/(\d+)-(\d+)/\2-\1/"#, "a12-34", "a34-12"), ("s/[0-9]+/<&>/g", "1a22", "<1>a<22>"),
      (#"s/a/\&\\/"#, "a", #"&\"#), ("s/x*/-/g", "aé", "-a-é-"),
      ("s/$/.bak/", "a.txt", "a.txt.bak"), ("s/nothing/x/", "a", "a"),
      (#"s/(a)|(b)/[\2]/g"#, "ab", "[][b]"),
    ])
  func names(_ rule: String, _ old: String, _ new: String) throws {
    #expect(try Renaming(rule).name(of: Self.item(old), number: 7, of: 9) == new)
  }

  @Test(
    arguments: [
      ("{file.stem", "without"), ("{file.sha256}", "has no value here"), ("{stem}", "{file.stem}"),
      ("{env.HOME}", "HOME"), ("{secret.x}", "cannot contain secrets"), ("s/a", "s/from/to/"),
      ("s/a/b", "s/from/to/"), ("s//b/", "s/from/to/"), ("s/a/b/x", "s/from/to/"),
      ("s/(/b/", "regular expression"), (#"s/a/\1/"#, #"uses group \1"#),
    ])
  func mistakes(_ rule: String, _ words: String) {
    let error = #expect(throws: InvalidInput.self) { try Renaming(rule) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func twoFilesMayHaveOneNameOnlyAtDifferentTargets() {
    let (a, b) = (Self.item("x", at: "a"), Self.item("x", at: "b"))
    let (y, elsewhere) = (Self.item("y"), Self.item("x", target: "u"))
    func twice(_ renamed: [UploadItem], beside others: [UploadItem] = []) -> [UploadItem]? {
      Renaming.sameName(in: renamed, beside: others).map { [$0.first, $0.second] }
    }
    #expect(twice([a, y]) == nil && twice([a, elsewhere]) == nil)
    #expect(twice([a], beside: [y, elsewhere]) == nil)
    #expect(twice([a, b]) == [a, b] && twice([y, a], beside: [b]) == [a, b])
    // It is the same file, which the screen asks about.
    #expect(twice([a], beside: [a]) == nil)
    #expect(twice([a, a]) == nil)
    // Two names, as servers see them.
    let (composed, decomposed) = (Self.item("\u{E9}", at: "a"), Self.item("e\u{301}", at: "b"))
    #expect(twice([composed, decomposed]) == nil && twice([composed], beside: [decomposed]) == nil)
    // What is not renamed stays as it is.
    #expect(twice([], beside: [a, b]) == nil)
  }

  @Test func aSearchThatTakesForeverLeavesTheName() throws {
    let name = String(repeating: "a", count: 40) + "!"
    #expect(try Renaming("s/(a+)+$/x/").name(of: Self.item(name), number: 1, of: 5_000) == nil)
  }
}
