import Testing

@testable import Screens

/// The columns of the help.
@Suite struct HelpColumnsTests {
  /// The role of the text in each column of a line of the help.
  private static func roles(_ line: TextLine, width: Int, gap: Int) -> [Int: Role] {
    var (roles, place) = ([Int: Role](), 0)
    for span in line.spans {
      let isBlank = span.glyphs.allSatisfy { $0.text == " " }
      if !isBlank, roles[place / (width + gap)] == nil { roles[place / (width + gap)] = span.role }
      place += Glyphs.width(span.glyphs)
    }
    return roles
  }

  @Test(
    "a heading is in the same column as what it is about", arguments: [115, 120, 130, 174, 200])
  func headings(_ width: Int) {
    let columns = min(3, width / 56)
    let one = (width - (columns - 1) * 3) / columns
    for filter in ["", "pause", "send", "file", "open", "close", "delete", "mark", "a", "e", "re"] {
      var help = Help()
      (help.isWhole, help.filter) = (true, filter)
      let lines = HelpText.lines(help, of: Fixture.empty(), width: width)
      var last: [Int: Role] = [:]
      for line in lines { last.merge(Self.roles(line, width: one, gap: 3)) { $1 } }
      #expect(!last.values.contains(.heading), "\(filter) in \(width) columns")
      #expect(last.count <= columns)
    }
  }
}
