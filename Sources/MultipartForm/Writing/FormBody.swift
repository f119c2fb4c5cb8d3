/// The bytes of a form, or of one raw file, fixed but not yet read.
///
/// Making a body looks at every file once: it must be regular, readable and, if an identity was expected, unchanged.
/// From then on the length is exact. A ``BodyReader`` reads exactly these bytes, as often as you like, or says which
/// file has changed.
public struct FormBody: Sendable {
  /// The value for the request's `Content-Type`.
  public let contentType: String
  /// The length of the body in bytes, for `Content-Length`.
  public let contentLength: Int64
  /// For each part, in order, the range of the body that is its content.
  public let contentRanges: [Range<Int64>]
  let segments: [Segment]

  /// Fixes the bytes of a form.
  ///
  /// - Throws: ``BodyError/form(_:)`` if a name, type or header cannot be sent;
  ///   ``BodyError/file(_:)`` if a file cannot be read or is not the one that was expected.
  public init(_ form: FormData) throws(BodyError) {
    let delimiter = form.boundary.delimiter
    // The first delimiter has no line to end.
    var opening = Array(delimiter.dropFirst(2))
    var segments: [Segment] = []
    var contentRanges: [Range<Int64>] = []
    var length: Int64 = 0
    var isTooLong = false
    func append(_ segment: Segment) {
      let (sum, overflow) = length.addingReportingOverflow(segment.length)
      if overflow { isTooLong = true } else { length = sum }
      segments.append(segment)
    }
    for (index, part) in form.parts.enumerated() {
      let encoding = PartEncoding(part: part, index: index, strictness: form.strictness)
      opening += "\r\n".utf8
      try encoding.writeHeader(to: &opening)
      append(.memory(opening))
      let start = length
      try append(Self.content(encoding, apartFrom: form.boundary))
      contentRanges.append(start..<length)
      opening = delimiter
    }
    append(.memory(opening + "--\r\n".utf8))
    // Only now, so that a later part's own error comes first.
    guard !isTooLong else { throw .form(.tooLong) }
    contentType = form.boundary.contentType
    contentLength = length
    self.contentRanges = contentRanges
    self.segments = segments
  }

  /// A body that is one file, or a range of it, without a form around it, for example for PUT. It counts as one part
  /// without a header.
  ///
  /// - Parameters:
  ///   - location: the file; symbolic links are followed.
  ///   - contentType: the value for the request's `Content-Type`.
  ///   - range: the bytes to send, within the file; all of them when nil.
  ///   - expected: the identity that the file had when it was chosen.
  /// - Throws: ``BodyError/file(_:)`` when the file cannot be read or is not the one expected,
  ///   ``BodyError/form(_:)`` when the content type cannot be a header's value.
  public init(
    rawFile location: FileLocation, contentType: String = "application/octet-stream",
    range: Range<Int64>? = nil, expecting expected: FileIdentity? = nil
  ) throws(BodyError) {
    try self.init(contentType) { () throws(FileError) in
      try FileRange(location, range: range, expecting: expected)
    }
  }

  /// A body that is one held file without a form around it. All slices show the file's content at a single moment.
  package init(
    rawFile file: HeldFile, contentType: String = "application/octet-stream"
  ) throws(BodyError) {
    try self.init(contentType) { () throws(FileError) in try FileRange(file) }
  }

  private init(
    _ contentType: String, _ makeRange: () throws(FileError) -> FileRange
  ) throws(BodyError) {
    if let bad = contentType.utf8.first(where: { !ASCII.isFieldValue($0) }) {
      throw .form(.illegalByte(bad, in: .contentType, part: 0))
    }
    let range: FileRange
    do throws(FileError) { range = try makeRange() } catch { throw .file(error) }
    self.contentType = contentType
    contentLength = range.length
    contentRanges = [0..<range.length]
    segments = [.file(range)]
  }

  /// The bytes of this body from one offset to another, as a body of its own, for protocols that send a body in
  /// several requests. Offsets outside the body are clamped to it. All slices of a ``HeldFile`` show the file's content
  /// at a single moment; with any other file, slices may show its content at different moments.
  package func slice(_ range: Range<Int64>) -> FormBody { FormBody(slicing: self, range) }

  private init(slicing whole: FormBody, _ wanted: Range<Int64>) {
    let range = wanted.clamped(to: 0..<whole.contentLength)
    var start: Int64 = 0
    segments = whole.segments.compactMap { segment in
      let own = (start..<(start + segment.length)).clamped(to: range)
      defer { start += segment.length }
      return own.isEmpty ? nil : segment.slice((own.lowerBound - start)..<(own.upperBound - start))
    }
    contentType = whole.contentType
    contentLength = Int64(range.count)
    contentRanges = whole.contentRanges.map { content in
      let own = content.clamped(to: range)
      return (own.lowerBound - range.lowerBound)..<(own.upperBound - range.lowerBound)
    }
  }

  /// The same body, which also keeps what is known about each file's last reading, for ``moment(of:)``.
  package func recorded() -> FormBody { FormBody(recording: self) }

  private init(recording body: FormBody) {
    (contentType, contentLength) = (body.contentType, body.contentLength)
    contentRanges = body.contentRanges
    segments = body.segments.map { segment in
      if case .file(let range) = segment { .file(range.recorded()) } else { segment }
    }
  }

  /// The moment whose content was last read completely from a file; nil if it was not read, or not recorded.
  package func moment(of location: FileLocation) -> FileMoment? {
    for case .file(let range) in segments where range.location == location {
      if let moment = range.held?.moment ?? range.record?.moment { return moment }
    }
    return nil
  }

  /// A reader that starts at the first byte. Every reader reads the same bytes.
  public func makeReader() -> BodyReader { BodyReader(self) }

  /// The whole body, in memory. Use ``chunks(of:)`` or a ``BodyReader`` for all but small forms: they need less memory.
  ///
  /// - Throws: ``BodyError/file(_:)`` if a file changed or cannot be read.
  public func bytes() throws(BodyError) -> [UInt8] {
    try makeReader().read(atMost: Int(contentLength))
  }

  /// Checks every file again. Call this if some time passes between reading and sending the body.
  ///
  /// - Throws: ``BodyError/file(_:)`` for the first file that is gone or has changed since the body was made.
  public func checkFiles() throws(BodyError) {
    for segment in segments {
      guard case .file(let range) = segment else { continue }
      do throws(FileError) {
        if let held = range.held {
          try held.checkPlace()
          continue
        }
        let now = try SystemFile.look(at: range.location).identity
        if let change = range.identity.change(to: now) { throw FileError(range.location, change) }
      } catch { throw .file(error) }
    }
  }

  /// The part that the byte at this offset belongs to, so that the progress of a body can be shown as the progress of
  /// each file. Nil outside the body and in the closing delimiter.
  ///
  /// Takes time logarithmic in the number of parts.
  public func part(at offset: Int64) -> PartPosition? {
    guard offset >= 0 else { return nil }
    // The first part whose content ends after the offset.
    var low = 0
    var high = contentRanges.count
    while low < high {
      let middle = (low + high) / 2
      if contentRanges[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    guard low < contentRanges.count else { return nil }
    let content = contentRanges[low]
    return PartPosition(
      part: low, place: offset < content.lowerBound ? .header : .content,
      contentOffset: max(0, offset - content.lowerBound), contentSize: Int64(content.count))
  }

  private static func content(
    _ encoding: PartEncoding, apartFrom boundary: Boundary
  ) throws(BodyError) -> Segment {
    let bytes: [UInt8]
    switch encoding.part.content {
    case .file(let location, let range, let expected):
      do throws(FileError) {
        return .file(try FileRange(location, range: range, expecting: expected))
      } catch { throw .file(error) }
    case .held(let file, let range):
      do throws(FileError) {
        let whole = Segment.file(try FileRange(file))
        return range.map { whole.slice($0.clamped(to: 0..<whole.length)) } ?? whole
      } catch { throw .file(error) }
    case .memory(let content): bytes = content
    case .text(let value): bytes = try encoding.normalized(value, in: .value)
    }
    // Content from memory is searched for the delimiter, which costs little. If it contained one, a receiver would
    // store only a part of the content, without an error.
    var scanner = DelimiterScanner(boundary)
    scanner.startOfLine()
    let found = bytes.withUnsafeBytes {
      var content = $0
      return scanner.scan(&content) { _ in }
    }
    if found { throw .form(.boundaryInContent(part: encoding.index)) }
    return .memory(bytes)
  }
}
