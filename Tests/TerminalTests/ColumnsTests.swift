import CNcurses
import Testing
import UploadModel

@testable import Screens

/// The widths that frames count with against those of the C library, which ncurses counts with.
@Suite struct ColumnsTests {
  @Test func theGridAgreesWithTheCLibrary() throws {
    try #require(setlocale(LC_ALL, "C.UTF-8") != nil, "the locale C.UTF-8 is missing")
    var wrong: [String] = []
    var compared = 0
    for value in UInt32(0x20)..<0x40000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for glyph in Glyphs.of(String(scalar), ascii: false) where !glyph.isFlexible {
        let base = curses_columns(wchar_t(bitPattern: glyph.base.value))
        // The C library may not know the newest characters: the terminal puts "?" for them.
        if base != -1, base != Int32(glyph.width) {
          wrong.append("U+\(String(value, radix: 16)): \(glyph.width), not \(base)")
        }
        let mark = glyph.mark == "\0" ? 0 : curses_columns(wchar_t(bitPattern: glyph.mark.value))
        if mark > 0 { wrong.append("U+\(String(value, radix: 16)): a mark of \(mark)") }
        compared += 1
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(30))")
    #expect(compared > 200_000)
  }
}
