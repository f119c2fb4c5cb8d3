/// Counts the bytes and parts that a parser has found, and compares them with the limits.
///
/// Content is passed on right up to a limit, so that the events before an error do not depend on how the body was cut
/// into pieces.
struct LimitCounter {
  let limits: FormLimits
  /// The index of the part being read.
  private(set) var part = -1
  private var total: Int64 = 0
  private var fields: Int64 = 0
  private var content: Int64 = 0
  private var isFile = false

  init(limits: FormLimits) { self.limits = limits }

  /// How many of the next bytes of the body are within the limit.
  mutating func admit(_ count: Int) -> Int {
    let allowed = Int(min(Int64(count), max(0, limits.bodyBytes - total)))
    total += Int64(allowed)
    return allowed
  }

  mutating func beginPart() throws(ParserError) {
    guard part + 1 < limits.parts else { throw .tooManyParts(limit: limits.parts) }
    part += 1
  }

  mutating func beginContent(isFile: Bool, headerBytes: Int) throws(ParserError) {
    self.isFile = isFile
    content = 0
    fields += Int64(headerBytes)
    guard fields <= limits.allFieldBytes else { throw .fieldsTooLong(limit: limits.allFieldBytes) }
  }

  /// Passes on bytes of the current part's content as far as the limits allow.
  mutating func pass(
    _ bytes: UnsafeRawBufferPointer, _ handle: (FormParser.Event) throws -> Void
  ) throws {
    let own = isFile ? limits.fileBytes : limits.fieldBytes
    let room = max(0, isFile ? own - content : min(own - content, limits.allFieldBytes - fields))
    let allowed = Int(min(Int64(bytes.count), room))
    content += Int64(allowed)
    if !isFile { fields += Int64(allowed) }
    if allowed > 0 { try handle(.content(bytes.first(allowed))) }
    guard allowed < bytes.count else { return }
    if isFile { throw ParserError.fileTooLong(part: part, limit: own) }
    if content >= own { throw ParserError.fieldTooLong(part: part, limit: own) }
    throw ParserError.fieldsTooLong(limit: limits.allFieldBytes)
  }
}
