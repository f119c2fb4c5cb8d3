/// One line of text being typed.
struct TextField: Hashable, Sendable {
  private(set) var characters: [Character] = []
  /// How many characters stand before the cursor.
  private(set) var cursor = 0

  init(_ text: String = "") { set(text) }

  var text: String { String(characters) }
  /// The text before the cursor, which is what completion works on.
  var head: String { String(characters[..<cursor]) }

  mutating func set(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  /// Puts `text` in place of everything before the cursor.
  mutating func replaceHead(with text: String) {
    let head = Array(text)
    characters.replaceSubrange(..<cursor, with: head)
    cursor = head.count
  }

  mutating func insert(_ text: String) {
    // Joined to its neighbours, a character may become one with them: count anew.
    let tail = String(characters[cursor...])
    let head = Array(self.head + text)
    characters = Array(String(head) + tail)
    cursor = min(head.count, characters.count)
  }

  mutating func deleteBack() {
    guard cursor > 0 else { return }
    cursor -= 1
    characters.remove(at: cursor)
  }

  mutating func deleteForward() {
    guard cursor < characters.count else { return }
    characters.remove(at: cursor)
  }

  /// Deletes back to the slash or space before the last part.
  mutating func deleteWord() {
    var start = cursor
    while start > 0, Self.isBreak(characters[start - 1]) { start -= 1 }
    while start > 0, !Self.isBreak(characters[start - 1]) { start -= 1 }
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  mutating func deleteToStart() {
    characters.removeSubrange(..<cursor)
    cursor = 0
  }

  mutating func move(by step: Int) { cursor = min(max(0, cursor + step), characters.count) }
  mutating func moveToStart() { cursor = 0 }
  mutating func moveToEnd() { cursor = characters.count }

  private static func isBreak(_ character: Character) -> Bool {
    character == "/" || character == " "
  }
}
