/// Finds a delimiter in bytes that arrive in pieces, and keeps none of them.
///
/// The delimiter is CRLF, two dashes and the boundary. CR occurs in it only at its start, so at the end of a piece only
/// the last CR can start a delimiter, and a failed match is passed on as a whole: the search never looks at a byte
/// twice. Only a count is carried over between pieces.
struct DelimiterScanner {
  private let delimiter: [UInt8]
  private let search: ByteSearch
  /// How many bytes of the delimiter have been matched at the end of the input so far.
  private var held = 0
  /// How many of those are not content, but the line end before the searched bytes.
  private var lent = 0

  init(_ boundary: Boundary) {
    delimiter = boundary.delimiter
    search = ByteSearch(for: delimiter)
  }

  /// Treats the line end before the next byte as the first two bytes of a delimiter.
  mutating func startOfLine() { (held, lent) = (2, 2) }

  /// Looks for the delimiter and returns whether it was found. Passes on the bytes before it, and advances the input
  /// past it, or to the input's end if it is not found. If what follows shows that it was not a delimiter, the caller
  /// gets its bytes from ``giveBack(_:)``.
  mutating func scan(
    _ input: inout UnsafeRawBufferPointer, _ pass: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows -> Bool {
    if held > 0 {
      let count = min(input.count, delimiter.count - held)
      if input.starts(with: delimiter[held..<(held + count)]) {
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

  /// Passes on the bytes that were held back, which were not a delimiter after all.
  mutating func giveBack(_ pass: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let bytes = delimiter[lent..<max(lent, held)]
    forget()
    if !bytes.isEmpty { try bytes.withUnsafeBytes { try pass($0) } }
  }

  /// Drops the bytes that were held back, which were a delimiter.
  mutating func forget() { (held, lent) = (0, 0) }

  /// How many bytes at the end of a piece are the start of a delimiter.
  private func startOfDelimiter(endingIn piece: UnsafeRawBufferPointer) -> Int {
    let tail = piece.suffix(delimiter.count - 1)
    guard let start = tail.lastIndex(of: ASCII.carriageReturn),
      delimiter.starts(with: tail[start...])
    else { return 0 }
    return piece.count - start
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
