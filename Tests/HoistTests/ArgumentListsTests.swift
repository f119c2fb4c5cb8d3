import Testing

@testable import hoist

@Suite("Long command lines")
struct ArgumentListsTests {
  private static let many = (1...1_000).map { "file \($0)" }

  @Test("come out of the fold as they went in, in order")
  func order() {
    let line =
      ["push", "first"] + Self.many + ["--json", "maybe a value"] + Self.many + [
        "-q", "last", "--",
      ]
      + ["-dash"] + Self.many
    let folded = ArgumentLists.folded(line)
    #expect(folded.count == 11, "\(folded)")
    #expect(folded[0...1] == ["push", "first"] && folded[2].hasPrefix("\0"))
    #expect(ArgumentLists.unfolded(folded) == line)
  }

  @Test("options and their values stay where they can be seen")
  func options() {
    let folded = ArgumentLists.folded(
      ["push"] + Self.many + ["--to", "desk"] + Self.many + ["-", "x"])
    #expect(folded.count == 7 && folded[0] == "push" && folded[3...4] == ["--to", "desk"])
  }

  @Test(
    "a command's own command, or its target, stays where it can be seen",
    arguments: [["queue", "retry"], ["rm", "nas"], ["rm", "--config", "file", "nas"]])
  func named(words: [String]) {
    let folded = ArgumentLists.folded(words + Self.many)
    #expect(folded.count < 7 && Array(folded.prefix(words.count)) == words, "\(folded)")
  }

  @Test("a message about one names its first word, and says how many more there are")
  func message() {
    let folded = ArgumentLists.folded(["receive"] + Self.many)
    let quoted = folded.dropFirst().map { "'\($0)'" }.joined(separator: ", ")
    #expect(
      ArgumentLists.shortened("2 unexpected arguments: \(quoted)")
        == "2 unexpected arguments: 'file 1', 'file 2 and 998 more'")
    #expect(ArgumentLists.shortened("Unexpected argument 'x'") == "Unexpected argument 'x'")
  }

  @Test("short ones are left alone")
  func short() {
    let line = ["push"] + Self.many.prefix(50) + ["--to", "desk"]
    #expect(ArgumentLists.folded(Array(line)) == Array(line))
  }
}
