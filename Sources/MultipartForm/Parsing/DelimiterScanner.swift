/// Finds a delimiter in bytes that come in pieces, and keeps none of them.
///
/// The delimiter is CRLF, two dashes and the boundary. CR occurs in it only at its start, so at the
/// end of a piece only the last CR can begin a delimiter, and a failed match can be given back
/// whole: the search never looks at a byte twice. Only a count is carried over between pieces.
struct DelimiterScanner {
  private let delimiter: [UInt8]
  private let search: ByteSearch
  /// How many bytes of the delimiter the last pieces ended with.
  private var held = 0
  /// How many of those came before the bytes that are being searched.
  private var lent = 0

  init(_ boundary: Boundary) {
    delimiter = boundary.delimiter
    search = ByteSearch(for: delimiter)
  }

  /// Takes the line end that came just before as the first two bytes of a delimiter.
  mutating func startOfLine() {
    held = 2
    lent = 2
  }

  /// Looks for the delimiter. What comes before it is passed on; the input is left after it, or
  /// empty.
  ///
  /// - Returns: whether the delimiter was found. The caller may still find that it was not one and
  ///   ask for its bytes with ``giveBack(_:)``.
  mutating func scan(
    _ input: inout UnsafeRawBufferPointer, _ pass: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows -> Bool {
    if held > 0 {
      let count = min(input.count, delimiter.count - held)
      let goesOn = delimiter[held..<(held + count)].withUnsafeBytes {
        $0.isPrefix(of: input)
      }
      if goesOn {
        held += count
        input.skip(count)
        return held == delimiter.count
      }
      try giveBack(pass)
    }

    if let index = search.firstIndex(in: input) {
      if index > 0 { try pass(input.first(index)) }
      held = delimiter.count
      input.skip(index + delimiter.count)
      return true
    }

    held = startOfDelimiter(endingIn: input)
    let certain = input.count - held
    if certain > 0 { try pass(input.first(certain)) }
    input.skip(input.count)
    return false
  }

  /// Passes on what was held back: it was not a delimiter after all.
  mutating func giveBack(_ pass: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let bytes = delimiter[lent..<max(lent, held)]
    forget()
    if !bytes.isEmpty { try bytes.withUnsafeBytes { try pass($0) } }
  }

  /// Drops what was held back: it was a delimiter.
  mutating func forget() {
    held = 0
    lent = 0
  }

  /// How many bytes at the end of a piece are the start of a delimiter.
  private func startOfDelimiter(endingIn piece: UnsafeRawBufferPointer) -> Int {
    let tail = piece.suffix(delimiter.count - 1)
    guard let start = tail.lastIndex(of: ASCII.carriageReturn) else { return 0 }
    let count = piece.count - start
    let end = UnsafeRawBufferPointer(rebasing: piece[start...])
    return delimiter[..<count].withUnsafeBytes { $0.isPrefix(of: end) } ? count : 0
  }
}

extension UnsafeRawBufferPointer {
  func first(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[..<count])
  }

  mutating func skip(_ count: Int) {
    self = UnsafeRawBufferPointer(rebasing: self[count...])
  }
}
