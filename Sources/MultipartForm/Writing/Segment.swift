/// A run of a body's bytes that come from one place.
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
}
