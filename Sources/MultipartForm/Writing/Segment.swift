/// A stretch of a body's bytes from one source.
enum Segment: Sendable {
  case memory([UInt8])
  case file(FileRange)

  /// In bytes.
  var length: Int64 {
    switch self {
    case .memory(let bytes): Int64(bytes.count)
    case .file(let file): file.length
    }
  }

  func slice(_ range: Range<Int64>) -> Segment {
    switch self {
    case .memory(let bytes): .memory(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    case .file(let file): .file(FileRange(file, range))
    }
  }
}
