import CNcurses
import Testing

@testable import Terminal

@MainActor
@Suite struct FunctionKeysTests {
  private static let keys: [String: Int32] = [
    "\u{1B}[2~": KEY_IC, "\u{1B}OP": KEY_F0 + 1, "\u{1B}[[A": KEY_F0 + 1, "\u{1B}[1;5A": 600,
    "\u{8}": KEY_BACKSPACE, "\u{1}@\r": KEY_F0 + 2,
  ]
  private static let start = ContinuousClock.now
  private static let delay = Duration.milliseconds(300)

  private static func finder() -> FunctionKeys {
    FunctionKeys(delay: delay) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      return keys[text] ?? (keys.keys.contains { $0.hasPrefix(text) } ? -1 : 0)
    }
  }

  private static func bytes(_ text: some StringProtocol) -> [FunctionKeys.Piece] {
    text.utf8.map { .byte($0) }
  }

  @Test(
    arguments: [
      ("a", [], "a"), ("\u{1B}[2~", [KEY_IC], ""), ("\u{8}", [KEY_BACKSPACE], ""),
      // Two keys, an unknown key, and two keys of which one is the beginning of the other.
      ("\u{1B}j", [], "\u{1B}j"), ("\u{1B}[200~", [], "\u{1B}[200~"), ("\u{1B}é", [], "\u{1B}é"),
      ("\u{1B}[\u{3}", [], "\u{1B}[\u{3}"),
    ] as [(String, [Int32], String)])
  func whatArrivesAtOnce(_ text: String, _ numbers: [Int32], _ rest: String) {
    var keys = Self.finder()
    let pieces = keys.take(Array(text.utf8), at: Self.start)
    #expect(pieces == numbers.map { .key($0) } + Self.bytes(rest))
    #expect(keys.deadline == nil)
  }

  @Test func aKeyMayBeginWhereAnotherBreaksOff() {
    var keys = Self.finder()
    let pieces = keys.take(Array("\u{1B}\u{1B}OP\u{1B}[\u{1B}[2~\u{1}\u{8}".utf8), at: Self.start)
    #expect(
      pieces == Self.bytes("\u{1B}") + [.key(KEY_F0 + 1)] + Self.bytes("\u{1B}[") + [.key(KEY_IC)]
        + Self.bytes("\u{1}") + [.key(KEY_BACKSPACE)])
  }

  /// Each key, cut at each byte.
  @Test func theRestOfAKeyIsWaitedFor() {
    for (key, number) in Self.keys {
      let all = Array(key.utf8)
      for cut in 1..<max(1, all.count) {
        var keys = Self.finder()
        #expect(keys.take(Array(all[..<cut]), at: Self.start).isEmpty)
        #expect(keys.expire(at: Self.start + .milliseconds(299)).isEmpty)
        #expect(
          keys.take(Array(all[cut...]), at: Self.start + .milliseconds(299)) == [.key(number)])
        #expect(keys.deadline == nil)
      }
    }
  }

  /// Then its bytes are what they are.
  @Test func itIsNotWaitedForForEver() {
    for key in Self.keys.keys {
      for cut in 1..<max(1, key.utf8.count) {
        var keys = Self.finder()
        #expect(keys.take(Array(key.utf8.prefix(cut)), at: Self.start).isEmpty)
        #expect(keys.deadline == Self.start + Self.delay)
        let given = keys.expire(at: Self.start + Self.delay)
        #expect(given == Self.bytes(String(decoding: key.utf8.prefix(cut), as: UTF8.self)))
        #expect(keys.deadline == nil)
      }
    }
  }

  /// The wait begins anew with each byte: on a slow line, a key may take longer than it.
  @Test func theWaitIsForTheNextByte() {
    var keys = Self.finder()
    for (number, byte) in "\u{1B}[2".utf8.enumerated() {
      #expect(keys.take([byte], at: Self.start + .milliseconds(299 * number)).isEmpty)
    }
    #expect(keys.expire(at: Self.start + .milliseconds(897)).isEmpty)
    #expect(keys.take(Array("~".utf8), at: Self.start + .milliseconds(897)) == [.key(KEY_IC)])
  }
}
