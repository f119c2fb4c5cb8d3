import MultipartForm

extension FormBody {
  /// All bytes of the body, read into a buffer of the given size again and again.
  func bytes(bufferSize: Int = 65_536) throws -> [UInt8] {
    let reader = makeReader()
    return try reader.rest(bufferSize: bufferSize)
  }

  func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}

extension BodyReader {
  func rest(bufferSize: Int = 65_536) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: bufferSize)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      result += buffer[..<count]
      if count < bufferSize { return result }
    }
  }
}

/// A part as a parser's events tell it.
struct ParsedPart: Equatable {
  var header: PartHeader
  var content: [UInt8] = []
  var ended = false
}

/// What a parser made of a body: its parts as far as they came, and how it ended.
struct Parsed: Equatable {
  var parts: [ParsedPart] = []
  var error: ParserError?

  /// Pushes the body in pieces of the sizes that `next` gives.
  init(
    _ body: [UInt8], boundary: Boundary, limits: Limits = Limits(), next: () -> Int = { .max }
  ) {
    var parser = FormParser(boundary: boundary, limits: limits)
    var parts: [ParsedPart] = []
    do {
      try body.withUnsafeBytes { body in
        var offset = 0
        while offset < body.count {
          let size = min(max(next(), 1), body.count - offset)
          let piece = UnsafeRawBufferPointer(rebasing: body[offset..<(offset + size)])
          offset += size
          try parser.push(piece) { event in
            switch event {
            case .partBegan(let header): parts.append(ParsedPart(header: header))
            case .content(let bytes): parts[parts.count - 1].content += bytes
            case .partEnded: parts[parts.count - 1].ended = true
            }
          }
        }
      }
      try parser.finish()
    } catch let error as ParserError {
      self.error = error
    } catch {
      preconditionFailure("the parser threw \(error)")
    }
    self.parts = parts
  }
}
