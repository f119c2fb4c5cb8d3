/// Parses a `multipart/form-data` body while its bytes arrive (RFC 7578, RFC 2046 §5.1.1).
///
/// Push the bytes in pieces of any size: the events do not depend on how the body is cut. Content is passed as pointers
/// into the pieces, so only the headers of one part are kept in memory.
///
/// It accepts a preamble and an epilogue, blanks after a delimiter, a line that starts like a delimiter and continues
/// with other text (which is content), a missing line end after the final delimiter, folded headers, parameters with
/// and without quotes, and a missing Content-Type.
///
/// It refuses line ends without CR, also in front of a delimiter, a missing final delimiter, a delimiter after the final one, a part with no
/// Content-Disposition or name or with two of them, and the encodings base64 and quoted-printable.
///
/// A nested `multipart/mixed`, which RFC 7578 §4.3 abolished, is treated as content.
public struct FormParser: Sendable {
  /// Something found in the body. Content is a pointer, valid only during the call, into the pushed bytes, or into a
  /// copy of the delimiter that they resembled.
  public enum Event {
    /// A part's headers are complete.
    case partBegan(PartHeader)
    /// The next bytes of the part's content, at least one. An empty part causes no such event.
    case content(UnsafeRawBufferPointer)
    /// The part's content is complete.
    case partEnded
  }

  private enum State: Sendable {
    /// Within the region, up to the next delimiter.
    case region
    case header
    /// After `--boundary`.
    case delimiterLine(DelimiterLine)
    /// After `--boundary--`.
    case finalLine(afterReturn: Bool)
    case stopped
  }

  /// What has been read after `--boundary`.
  private enum DelimiterLine {
    case nothing, dash, carriageReturn, blanks, blanksAndCarriageReturn
  }

  /// The region that the next delimiter ends.
  private enum Region { case preamble, content, epilogue }

  private var scanner: DelimiterScanner
  private var watch: BareDelimiterWatch
  private var state = State.region
  private var region = Region.preamble
  private var headerBlock: [UInt8] = []
  /// Where the current line starts in the block.
  private var lineStart = 0
  private var meter: LimitCounter

  /// A parser for one body.
  public init(boundary: Boundary, limits: FormLimits = FormLimits()) {
    scanner = DelimiterScanner(boundary)
    watch = BareDelimiterWatch(boundary)
    // The first delimiter may be at the very start, as if a line had just ended.
    scanner.startOfLine()
    meter = LimitCounter(limits: limits)
  }

  /// Parses the next bytes of the body, and calls the handler for each event.
  ///
  /// - Throws: ``ParserError``. Afterwards every call throws ``ParserError/stopped``.
  public mutating func push(
    _ bytes: UnsafeRawBufferPointer, _ handle: (Event) -> Void
  ) throws(ParserError) {
    do { try parse(bytes, handle) } catch {
      // `parse` throws only `ParserError` here, because the handler does not throw.
      throw error as? ParserError ?? .stopped
    }
  }

  /// Parses the next bytes of the body, and calls the handler for each event until it throws.
  ///
  /// - Throws: ``FormReadError``; an error from the handler becomes ``FormReadError/interrupted(_:)``. Afterwards every
  ///   call throws ``ParserError/stopped``.
  public mutating func push(
    _ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void
  ) throws(FormReadError) {
    do { try parse(bytes, handle) } catch { throw FormReadError(error) }
  }

  private mutating func parse(
    _ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void
  ) throws {
    if case .stopped = state { throw ParserError.stopped }
    do {
      let allowed = meter.admit(bytes.count)
      try consume(bytes.first(allowed), handle)
      if allowed < bytes.count { throw ParserError.bodyTooLong(limit: meter.limits.bodyBytes) }
    } catch {
      state = .stopped
      throw error
    }
  }

  /// Ends the body.
  ///
  /// - Throws: ``ParserError/truncated(in:)`` if the final delimiter has not arrived, ``ParserError/delimiterAfterEnd``
  ///   if there is another delimiter at the very end, ``ParserError/stopped`` after an error or an earlier call.
  public mutating func finish() throws(ParserError) {
    defer { state = .stopped }
    switch (state, region) {
    case (.finalLine, _): break
    // An incomplete delimiter hides no part; `delimiterLine` handles a complete one.
    case (.region, .epilogue): break
    case (.region, .preamble): throw .truncated(in: .preamble)
    case (.region, .content): throw .truncated(in: .content)
    case (.header, _): throw .truncated(in: .header)
    case (.delimiterLine, .epilogue): throw .delimiterAfterEnd
    case (.delimiterLine, _): throw .truncated(in: .delimiter)
    case (.stopped, _): throw .stopped
    }
  }

  private mutating func consume(
    _ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void
  ) throws {
    var input = bytes
    while !input.isEmpty {
      switch state {
      case .region where region != .content:
        var watch = watch
        let found = try scanner.scan(&input) { try Self.pass($0, &watch) { _ in } }
        self.watch = watch
        if found { state = .delimiterLine(.nothing) }
      case .region:
        // Copied, because the call changes these and the scanner.
        var (meter, watch) = (meter, watch)
        let found = try scanner.scan(&input) { bytes in
          try Self.pass(bytes, &watch) { try meter.pass($0, handle) }
        }
        (self.meter, self.watch) = (meter, watch)
        if found { state = .delimiterLine(.nothing) }
      case .delimiterLine(let read):
        try delimiterLine(read, &input, handle)
      case .header:
        try header(&input, handle)
      case .finalLine(let afterReturn):
        try finalLine(afterReturn, &input)
      case .stopped:
        throw ParserError.stopped
      }
    }
  }

  /// Passes bytes on, unless a delimiter after a bare LF is among them. However the body is cut, the same bytes before
  /// that are passed.
  private static func pass(
    _ bytes: UnsafeRawBufferPointer, _ watch: inout BareDelimiterWatch,
    _ pass: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let end = watch.firstIndex(in: bytes) else { return try pass(bytes) }
    if end > 0 { try pass(bytes.first(end)) }
    throw ParserError.bareLineFeed(in: .delimiter)
  }

  /// Continues after `--boundary`. That was a delimiter if the line ends there, apart from blanks, or if two more
  /// dashes follow. Otherwise it was content that resembles one.
  private mutating func delimiterLine(
    _ read: DelimiterLine, _ input: inout UnsafeRawBufferPointer,
    _ handle: (Event) throws -> Void
  ) throws {
    let byte = input[0]
    switch (read, byte) {
    case (.nothing, ASCII.dash): state = .delimiterLine(.dash)
    case (.nothing, ASCII.carriageReturn): state = .delimiterLine(.carriageReturn)
    case (.nothing, ASCII.space), (.nothing, ASCII.tab), (.blanks, ASCII.space),
      (.blanks, ASCII.tab):
      state = .delimiterLine(.blanks)
    case (.blanks, ASCII.carriageReturn): state = .delimiterLine(.blanksAndCarriageReturn)
    case (.nothing, ASCII.lineFeed), (.blanks, ASCII.lineFeed):
      throw ParserError.bareLineFeed(in: .delimiter)
    case (.dash, ASCII.dash):
      try endRegion(handle)
      state = .finalLine(afterReturn: false)
    case (.carriageReturn, ASCII.lineFeed), (.blanksAndCarriageReturn, ASCII.lineFeed):
      try endRegion(handle)
      try meter.beginPart()
      headerBlock.removeAll(keepingCapacity: true)
      lineStart = 0
      state = .header
    case (.blanks, _), (.blanksAndCarriageReturn, _):
      throw ParserError.malformedDelimiter(byte)
    case (.nothing, _), (.dash, _), (.carriageReturn, _):
      // The byte is content too, but is left for the scanner, since it may be a CR that starts a delimiter.
      return try resumeBehindLookAlike(read, handle)
    }
    input.skip(1)
  }

  /// Completes the region before a confirmed delimiter.
  private mutating func endRegion(_ handle: (Event) throws -> Void) throws {
    switch region {
    case .preamble: break
    case .content: try handle(.partEnded)
    case .epilogue: throw ParserError.delimiterAfterEnd
    }
    scanner.forget()
    watch.restart()
  }

  private mutating func resumeBehindLookAlike(
    _ read: DelimiterLine, _ handle: (Event) throws -> Void
  ) throws {
    state = .region
    watch.restart()
    guard region == .content else { return scanner.forget() }
    try scanner.giveBack { try meter.pass($0, handle) }
    switch read {
    case .dash: try [ASCII.dash].withUnsafeBytes { try meter.pass($0, handle) }
    case .carriageReturn: try [ASCII.carriageReturn].withUnsafeBytes { try meter.pass($0, handle) }
    case .nothing, .blanks, .blanksAndCarriageReturn: break
    }
  }

  /// Reads one line of a header block, or as much of it as has arrived.
  private mutating func header(
    _ input: inout UnsafeRawBufferPointer, _ handle: (Event) throws -> Void
  ) throws {
    let lineEnd = input.firstIndex(ofByte: ASCII.lineFeed)
    let count = lineEnd.map { $0 + 1 } ?? input.count
    guard headerBlock.count + count <= meter.limits.headerBytes else {
      throw ParserError.headerTooLong(part: meter.part, limit: meter.limits.headerBytes)
    }
    headerBlock += input.first(count)
    input.skip(count)
    guard lineEnd != nil else { return }

    let line = headerBlock[lineStart...]
    guard line.dropLast().last == ASCII.carriageReturn else {
      throw ParserError.bareLineFeed(in: .header)
    }
    guard line.count == 2 else {
      lineStart = headerBlock.count
      return
    }
    let header: PartHeader
    do {
      header = try PartHeader(HeaderBlock(headerBlock[..<lineStart]), index: meter.part)
    } catch {
      throw ParserError.header(error, part: meter.part)
    }
    try meter.beginContent(isFile: header.isFile, headerBytes: headerBlock.count)
    try handle(.partBegan(header))
    region = .content
    state = .region
    // In a part without content, the delimiter may share the headers' last line end (RFC 2046 §5.1.1, body-part).
    scanner.startOfLine()
  }

  /// Continues after `--boundary--`, where only blanks and a line end, or the end of the body, may follow.
  private mutating func finalLine(
    _ afterReturn: Bool, _ input: inout UnsafeRawBufferPointer
  ) throws {
    let byte = input[0]
    input.skip(1)
    switch byte {
    case ASCII.space where !afterReturn, ASCII.tab where !afterReturn: break
    case ASCII.carriageReturn where !afterReturn: state = .finalLine(afterReturn: true)
    case ASCII.lineFeed where afterReturn:
      region = .epilogue
      state = .region
      scanner.startOfLine()
    case ASCII.lineFeed: throw ParserError.bareLineFeed(in: .delimiter)
    default: throw ParserError.malformedDelimiter(byte)
    }
  }
}
