/// The name of a field as the keys that lead to its value.
enum FieldName {
  private static let open = UInt8(ascii: "[")
  private static let close = UInt8(ascii: "]")

  /// The keys in a name: `a[b][]` is `a`, `b` and an empty key. A name in any other format is a single key.
  static func keys(of name: String) -> [[UInt8]] {
    let bytes = Array(name.utf8)
    let head = bytes.prefix { $0 != open }
    guard !head.isEmpty else { return [bytes] }
    var keys = [Array(head)]
    var rest = bytes[head.endIndex...]
    while let first = rest.popFirst() {
      guard first == open, let end = rest.firstIndex(where: { $0 == open || $0 == close }),
        rest[end] == close
      else { return [bytes] }
      keys.append(Array(rest[..<end]))
      rest = rest[(end + 1)...]
    }
    return keys
  }

  /// Whether a key can be part of a name and be read back from it.
  static func canHold(_ key: String) -> Bool {
    !key.isEmpty && !key.utf8.contains { $0 == open || $0 == close }
  }

  /// The name of the value that these keys lead to.
  static func text(_ path: [any CodingKey]) -> String {
    let keys = path.map { ($0 as? Key)?.intValue.map(String.init) ?? $0.stringValue }
    return keys.dropFirst().reduce(keys.first ?? "") { "\($0)[\($1)]" }
  }

  /// The key of an array's element, or of a superclass.
  struct Key: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init?(intValue: Int) { self.init(index: intValue) }

    static let superclass = Key(stringValue: "super")
  }
}
