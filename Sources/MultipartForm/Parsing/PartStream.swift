/// The state that the iterators of ``FormParts`` share: the source, the parser, and the events of the last buffer.
///
/// Not `Sendable`, so one task at a time reads a form.
final class PartStream<Source: AsyncIteratorProtocol> where Source.Element: Sequence<UInt8> {
  private enum Event {
    case began(PartHeader)
    case content(ArraySlice<UInt8>)
    case ended
  }

  private var source: Source
  private var parser: FormParser
  /// The events of the last buffer, and how many of them were handed out.
  private var events: [Event] = []
  private var position = 0
  /// Thrown once all events are handed out.
  private var failure: FormReadError?
  private var isOver = false
  /// The part whose content comes next; nil between parts.
  private var current: Int?
  private var lastBegun = -1

  init(_ source: Source, parser: FormParser) {
    self.source = source
    self.parser = parser
  }

  /// Skips to the next part; nil after the last.
  func nextPart(isolation: isolated (any Actor)?) async throws(FormReadError) -> PartHeader? {
    while let event = try await nextEvent(isolation: isolation) {
      if case .began(let header) = event { return header }
    }
    return nil
  }

  /// The next piece of a part's content; nil at its end.
  func nextContent(
    of part: Int, isolation: isolated (any Actor)?
  ) async throws(FormReadError) -> ArraySlice<UInt8>? {
    guard lastBegun == part else { throw .form(.partPassed) }
    guard current == part, case .content(let bytes)? = try await nextEvent(isolation: isolation)
    else { return nil }
    return bytes
  }

  private func nextEvent(
    isolation: isolated (any Actor)?
  ) async throws(FormReadError) -> Event? {
    while position == events.count {
      events.removeAll(keepingCapacity: true)
      position = 0
      if let failure = failure.take() { throw failure }
      guard !isOver else { return nil }
      await fill(isolation: isolation)
    }
    defer { position += 1 }
    switch events[position] {
    case .began(let header): (lastBegun, current) = (header.index, header.index)
    case .content: break
    case .ended: current = nil
    }
    return events[position]
  }

  /// Parses the next buffer, or ends the form. Errors are kept in `failure`.
  private func fill(isolation: isolated (any Actor)?) async {
    do {
      try Task.checkCancellation()
      guard let buffer = try await source.next(isolation: isolation) else {
        // Many sources simply end when their task is cancelled.
        try Task.checkCancellation()
        try parser.finish()
        isOver = true
        return
      }
      try parse(Array(buffer))
    } catch {
      failure = FormReadError(error)
      isOver = true
    }
  }

  private func parse(_ buffer: [UInt8]) throws {
    try buffer.withUnsafeBytes { whole in
      try parser.push(whole) { event in
        switch event {
        case .partBegan(let header): events.append(.began(header))
        case .content(let bytes): events.append(.content(Self.slice(of: buffer, whole, bytes)))
        case .partEnded: events.append(.ended)
        }
      }
    }
  }

  /// Content as a slice of the buffer, not copied unless it resembled a delimiter.
  private static func slice(
    of buffer: [UInt8], _ whole: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer
  ) -> ArraySlice<UInt8> {
    guard let start = whole.baseAddress, let first = bytes.baseAddress, first >= start,
      first + bytes.count <= start + whole.count
    else { return ArraySlice(bytes) }
    let offset = first - start
    return buffer[offset..<(offset + bytes.count)]
  }
}
