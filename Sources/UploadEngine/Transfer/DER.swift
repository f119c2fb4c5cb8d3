import Foundation

/// Reads DER elements one after another (ITU-T X.690 §8.1), and nothing beyond the given bytes.
struct DER {
  struct Element {
    let tag: UInt8
    let content: DER
    /// The element with its tag and length.
    let whole: ArraySlice<UInt8>
  }

  private(set) var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The tag of the next element.
  var tag: UInt8? { bytes.first }

  /// Takes the next element; nil at the end, if the element is cut off, or if its tag is not `tag`.
  mutating func next(_ tag: UInt8? = nil) -> Element? {
    guard let first = bytes.first, tag == nil || first == tag else { return nil }
    var rest = bytes.dropFirst()
    guard let short = rest.popFirst() else { return nil }
    var length = Int(short)
    if short >= 0x80 {
      let count = Int(short & 0x7F)
      guard (1...4).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard length <= rest.count else { return nil }
    let content = rest.prefix(length)
    defer { bytes = rest.dropFirst(length) }
    return Element(
      tag: first, content: DER(content), whole: bytes[bytes.startIndex..<content.endIndex])
  }
}
