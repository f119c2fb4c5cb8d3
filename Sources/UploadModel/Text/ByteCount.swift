import ScalarText

/// Reads sizes and speeds as people write them.
package enum ByteCount {
  private static let units: [String: Double] = [
    "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12,
    "tb": 1e12, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
  ]

  /// The number of bytes in a size such as "64 MiB", "2.5MB" or "300"; rounded to whole bytes. Nil if it is not a size,
  /// is less than one byte, or is larger than any file can be.
  package static func size(_ text: String) -> Int64? {
    let text = text.lowercased().filter { $0 != " " }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), let unit = units[String(text.dropFirst(digits.count))]
    else { return nil }
    let bytes = (number * unit).rounded()
    return bytes >= 1 && bytes < 9e18 ? Int64(bytes) : nil
  }

  /// The bytes per second in a speed such as "2 MB/s" or "500k"; nil if it is not a speed. A number needs its unit, since
  /// "2" may be meant in megabytes.
  package static func speed(_ text: String) -> Int64? {
    var text = text.lowercased().filter { $0 != " " }
    if let suffix = ["/s", "ps"].first(where: { text.hasSuffix(scalars: $0) }) {
      text = String(text.dropLast(suffix.count))
    }
    return Double(text) == nil ? size(text) : nil
  }
}
