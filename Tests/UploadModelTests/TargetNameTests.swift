import Testing

@testable import UploadModel

struct TargetNameTests {
  @Test(
    arguments: [
      ("nas", [], "nas"), ("nas", ["--form album"], "nas (with --form album)"),
      (
        "https://h/u", ["--to with its query", "--form a", "--form a"],
        "https://h/u (with --form a, --form a, --to with its query)"
      ),
    ] as [(String, [String], String)])
  func textHasAll(_ base: String, _ options: [String], _ text: String) {
    let name = TargetName(base, with: options)
    #expect(name.text == text)
    #expect(TargetName(text) == name)
  }

  @Test(arguments: ["nas (1)", "nas (with love)", "nas (with --", "with --form x)", ""])
  func otherNamesAreTheirOwn(_ text: String) {
    #expect(TargetName(text).base == text && TargetName(text).options.isEmpty)
  }

  @Test(
    arguments: [
      (["--form a"], [], ["--form a"]), (["--form a"], ["--form a", "--header X"], []),
      (["--form a", "--form a"], ["--form a"], ["--form a"]), ([], ["--form a"], []),
      // A name may contain anything.
      (["--form a, --form b)"], ["--form a, --form b)"], []),
    ] as [([String], [String], [String])])
  func whatIsMissing(_ needed: [String], _ given: [String], _ missing: [String]) {
    #expect(TargetName("t", with: needed).options(notIn: TargetName("t", with: given)) == missing)
  }

  @Test(
    arguments: [
      (["--form a"], "--to and --form a"), ([], "--to"),
      (["--form a", "--to with its query"], "--form a and --to with its query"),
      (["--form a", "--header X"], "--to, --form a and --header X"),
    ] as [([String], String)])
  func wordsForASentence(_ options: [String], _ words: String) {
    #expect(TargetName.words(options) == words)
  }
}
