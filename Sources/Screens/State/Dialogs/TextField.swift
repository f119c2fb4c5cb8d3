/// One line of text being typed.
struct TextField: Hashable, Sendable {
  private(set) var characters: [Character] = []
  /// How many characters are before the cursor.
  private(set) var cursor = 0

  init(_ text: String = "") { set(text) }

  var text: String { String(characters) }
  /// The same field with a star in the place of each character.
  var hidden: TextField {
    var field = self
    field.characters = characters.map { _ in "*" }
    return field
  }
  /// The text before the cursor, which completion works on.
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
    // A character may combine with its neighbours, so count anew.
    let tail = String(characters[cursor...])
    let head = Array(self.head + text)
    characters = Array(String(head) + tail)
    cursor = min(head.count, characters.count)
  }

  mutating func edit(_ name: Action.Name) {
    switch name {
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(cursor + 1, characters.count)
    case .lineStart: cursor = 0
    case .lineEnd: cursor = characters.count
    case .deleteBack: delete(from: max(0, cursor - 1))
    case .deleteForward where cursor < characters.count: characters.remove(at: cursor)
    case .deleteWord: delete(from: startOfWord)
    case .deleteLine: delete(from: 0)
    default: break
    }
  }

  private mutating func delete(from start: Int) {
    characters.removeSubrange(start..<cursor)
    cursor = start
  }

  /// The start of the word or path component before the cursor.
  private var startOfWord: Int {
    var start = cursor
    while start > 0, Self.isBreak(characters[start - 1]) { start -= 1 }
    while start > 0, !Self.isBreak(characters[start - 1]) { start -= 1 }
    return start
  }

  private static func isBreak(_ character: Character) -> Bool {
    character == "/" || character == " "
  }
}
