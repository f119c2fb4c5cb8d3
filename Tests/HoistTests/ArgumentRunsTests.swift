import Testing

@testable import hoist

@Suite("Long command lines")
struct ArgumentRunsTests {
  private static let many = (1...1_000).map { "file \($0)" }

  @Test("come out of the fold as they went in, in order")
  func order() {
    let line =
      ["push", "first"] + Self.many + ["--json", "maybe a value"] + Self.many + [
        "-q", "last", "--",
      ]
      + ["-dash"] + Self.many
    let folded = ArgumentRuns.folded(line)
    #expect(folded.count == 9, "\(folded)")
    #expect(folded[0] == "push" && folded[1].hasPrefix("\0"))
    #expect(ArgumentRuns.unfolded(folded) == line)
  }

  @Test("options and their values stay where they can be seen")
  func options() {
    let folded = ArgumentRuns.folded(
      ["push"] + Self.many + ["--to", "desk"] + Self.many + ["-", "x"])
    #expect(folded.count == 5 && folded[0] == "push" && folded[2...3] == ["--to", "desk"])
  }

  @Test("short ones are left alone")
  func short() {
    let line = ["push"] + Self.many.prefix(50) + ["--to", "desk"]
    #expect(ArgumentRuns.folded(Array(line)) == Array(line))
  }
}
