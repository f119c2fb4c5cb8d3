import TestSupport
import Testing

@testable import Screens

/// Marks after quotes, backslashes and blanks make no two paths of one, and no other one.
@Suite struct MarkedPathTests {
  @Test(arguments: CombiningMarks.variants(of: "/a b/c'd\"e\\f\tg$h`i"))
  func escapedPathsAreReadBack(_ path: String) {
    let word = PastedPaths.escaped(path)
    let read = PastedPaths.shellWords(word)
    #expect(read?.count == 1 && read?.first?.utf8.elementsEqual(path.utf8) == true, "\(word)")
    #expect(PastedPaths.unescaped(word).utf8.elementsEqual(path.utf8))
  }

  @Test func quotesAndBlanksEndWhereTheyAre() {
    for mark in CombiningMarks.all {
      let words = PastedPaths.shellWords("'/a b'\(mark) \(mark)/c \"/d\"\(mark)")
      #expect(
        words?.map { Array($0.utf8) }
          == ["/a b\(mark)", "\(mark)/c", "/d\(mark)"].map { Array($0.utf8) })
      let urls = PastedPaths.parse("file:///a%20b/\(mark)c")
      #expect(urls?.count == 1)
    }
  }
}
