import MultipartForm

/// A part as a parser's events tell it.
public struct ParsedPart: Equatable, Sendable {
  /// What the part's headers say.
  public var header: PartHeader
  /// All content that came.
  public var content: [UInt8] = []
  /// Whether the part's end came.
  public var ended = false

  /// A part that has just begun.
  public init(header: PartHeader) { self.header = header }
}

/// What a parser made of a body: its parts as far as they came, and how it ended.
public struct Parsed: Equatable, Sendable {
  /// The parts, the last one perhaps incomplete.
  public var parts: [ParsedPart] = []
  /// Why the body was refused; nil when it was accepted.
  public var error: ParserError?

  /// Pushes the body in pieces of the sizes that `next` gives, 1 byte at least.
  public init(
    _ body: [UInt8], boundary: Boundary, limits: FormLimits = FormLimits(),
    next: () -> Int = { .max }
  ) {
    var parser = FormParser(boundary: boundary, limits: limits)
    do {
      try body.withUnsafeBytes { body in
        var offset = 0
        while offset < body.count {
          let size = min(max(next(), 1), body.count - offset)
          try parser.push(UnsafeRawBufferPointer(rebasing: body[offset..<(offset + size)])) {
            apply($0)
          }
          offset += size
        }
      }
      try parser.finish()
    } catch let error as ParserError {
      self.error = error
    } catch {
      preconditionFailure("the parser threw \(error)")
    }
  }

  private mutating func apply(_ event: FormParser.Event) {
    switch event {
    case .partBegan(let header):
      precondition(parts.last?.ended != false, "a part began inside another")
      precondition(header.index == parts.count, "parts are counted wrong")
      parts.append(ParsedPart(header: header))
    case .content(let bytes):
      precondition(!bytes.isEmpty, "an event without content")
      precondition(parts.last?.ended == false, "content outside a part")
      parts[parts.count - 1].content += bytes
    case .partEnded:
      precondition(parts.last?.ended == false, "an end outside a part")
      parts[parts.count - 1].ended = true
    }
  }
}
