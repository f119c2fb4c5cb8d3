import Testing

@testable import Terminal

@Suite struct OverlayTests {
  @Test @MainActor func putsEachGlyphAtItsOwnPlaceAndLeavesTheCursor() {
    var overlay = Overlay()
    #expect(overlay.sequence() == "")
    overlay.add("हि", row: 0, column: 4, look: "")
    overlay.add("का", row: 11, column: 0, look: ";1;36")
    #expect(
      overlay.sequence()
        == "\u{1B}7\u{1B}[1;5H\u{1B}[0mहि\u{1B}[12;1H\u{1B}[0;1;36mका\u{1B}8")
  }
}
