/// A run of a body's bytes from one source.
struct Segment: Sendable {
  enum Source: Sendable {
    case memory([UInt8])
    case file(FileRange)
  }

  let source: Source
  /// In bytes.
  let length: Int64

  init(_ bytes: [UInt8]) {
    source = .memory(bytes)
    length = Int64(bytes.count)
  }

  init(_ file: FileRange) {
    source = .file(file)
    length = file.length
  }

  func slice(_ range: Range<Int64>) -> Segment {
    switch source {
    case .memory(let bytes): Segment(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    case .file(let file): Segment(FileRange(file, range))
    }
  }
}
