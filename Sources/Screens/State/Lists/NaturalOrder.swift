/// The order in which people expect names: the numbers in them are compared as numbers, everything else byte by byte.
enum NaturalOrder {
  static func precedes(_ one: String, _ other: String) -> Bool {
    var (a, b) = (Substring(one).utf8, Substring(other).utf8)
    while let first = a.first, let second = b.first {
      if isDigit(first), isDigit(second) {
        let (x, y) = (takeNumber(&a), takeNumber(&b))
        if x.count != y.count { return x.count < y.count }
        if !x.elementsEqual(y) { return x.lexicographicallyPrecedes(y) }
      } else if first != second {
        return first < second
      } else {
        a.removeFirst()
        b.removeFirst()
      }
    }
    // Numbers that differ only in leading zeros.
    if a.isEmpty, b.isEmpty { return one.utf8.lexicographicallyPrecedes(other.utf8) }
    return a.isEmpty
  }

  /// Takes the digits at the beginning, and returns them without leading zeros.
  private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
    let digits = text.prefix(while: isDigit)
    text = text.dropFirst(digits.count)
    return digits.drop { $0 == UInt8(ascii: "0") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
