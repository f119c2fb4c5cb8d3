/// Finds a text in names, ignoring the case of ASCII letters.
///
/// It compares bytes, so that a hundred thousand names can be searched between two keys.
struct Matcher: Hashable, Sendable {
  private let needle: [UInt8]

  init(_ text: String) { needle = text.utf8.map(Self.lower) }

  var isEmpty: Bool { needle.isEmpty }

  func matches(_ text: String) -> Bool {
    if needle.isEmpty { return true }
    return text.utf8.withContiguousStorageIfAvailable(contains) ?? contains(Array(text.utf8)[...])
  }

  private func contains(_ text: some RandomAccessCollection<UInt8>) -> Bool {
    guard text.count >= needle.count, let first = needle.first else { return false }
    var start = text.startIndex
    let last = text.index(text.endIndex, offsetBy: -needle.count)
    while start <= last {
      if Self.lower(text[start]) == first, isHere(text, at: start) { return true }
      text.formIndex(after: &start)
    }
    return false
  }

  private func isHere<Text: RandomAccessCollection<UInt8>>(_ text: Text, at start: Text.Index)
    -> Bool
  {
    var index = start
    for byte in needle {
      if Self.lower(text[index]) != byte { return false }
      text.formIndex(after: &index)
    }
    return true
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
