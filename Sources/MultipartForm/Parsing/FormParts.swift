/// The parts of a form, parsed while its bytes arrive.
///
/// Make one with `formParts(boundary:limits:)` on any async sequence of bytes or of buffers of bytes:
///
/// ```swift
/// for try await part in body.formParts(boundary: try Boundary(contentType: contentType)) {
///   print(part.header.fileName ?? part.header.name)
///   for try await bytes in part.content { try file.write(contentsOf: bytes) }
/// }
/// ```
///
/// The parts come in order, each before its content has arrived. Content that you do not read is skipped when you ask
/// for the next part.
///
/// The next buffer is requested only when all of the last one has been handed out, so a slow reader slows the sender
/// down, and no more than one buffer and the headers of one part are in memory.
///
/// Everything before a fault is handed out before the ``FormReadError`` is thrown: ``FormReadError/form(_:)`` if the
/// form is not accepted, or ``FormReadError/interrupted(_:)`` with the source's own error, or with `CancellationError`
/// if the task was cancelled when the next buffer was due. After an error there are no more parts.
public struct FormParts<Source: AsyncSequence>: AsyncSequence
where Source.Element: Sequence<UInt8> {
  /// A part of the form.
  public typealias Element = Part

  /// A part, whose content may not have arrived yet.
  public struct Part {
    /// What the sender says about the part.
    public let header: PartHeader
    /// The part's content, to be read once and before the next part.
    public let content: Content

    /// All of the part's content.
    ///
    /// - Parameters:
    ///   - limit: the most bytes to hold in memory.
    ///   - isolation: the actor that reads; the caller's own unless given.
    /// - Throws: ``FormReadError``, with ``ParserError/fieldTooLong(part:limit:)`` or
    ///   ``ParserError/fileTooLong(part:limit:)`` if the content is longer.
    public func bytes(
      atMost limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws(FormReadError) -> [UInt8] {
      var bytes: [UInt8] = []
      let content = content.makeAsyncIterator()
      while let piece = try await content.next(isolation: isolation) {
        guard piece.count <= limit - bytes.count else {
          throw .form(
            header.isFile
              ? .fileTooLong(part: header.index, limit: Int64(limit))
              : .fieldTooLong(part: header.index, limit: Int64(limit)))
        }
        bytes += piece
      }
      return bytes
    }

    /// All of the part's content as UTF-8; invalid bytes become U+FFFD.
    ///
    /// - Parameters:
    ///   - limit: the most bytes to hold in memory.
    ///   - isolation: the actor that reads; the caller's own unless given.
    /// - Throws: what ``bytes(atMost:isolation:)`` throws.
    public func text(
      atMost limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws(FormReadError) -> String {
      String(decoding: try await bytes(atMost: limit, isolation: isolation), as: UTF8.self)
    }
  }

  /// The content of a part, in pieces of at least one byte.
  public struct Content: AsyncSequence {
    /// A piece of content.
    public typealias Element = ArraySlice<UInt8>

    let stream: PartStream<Source.AsyncIterator>
    let part: Int

    /// Continues where the last iterator stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream, part: part) }

    /// Reads the content of a part.
    public struct AsyncIterator: AsyncIteratorProtocol {
      let stream: PartStream<Source.AsyncIterator>
      let part: Int

      /// The next piece; nil at the part's end.
      ///
      /// - Throws: ``FormReadError``, with ``ParserError/partPassed`` if the next part was asked for in the meantime.
      public func next(
        isolation: isolated (any Actor)?
      ) async throws(FormReadError) -> ArraySlice<UInt8>? {
        try await stream.nextContent(of: part, isolation: isolation)
      }
    }
  }

  private let source: Source
  private let boundary: Boundary
  private let limits: FormLimits

  init(_ source: Source, boundary: Boundary, limits: FormLimits) {
    self.source = source
    self.boundary = boundary
    self.limits = limits
  }

  /// Begins to read the source.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      stream: PartStream(
        source.makeAsyncIterator(), parser: FormParser(boundary: boundary, limits: limits)))
  }

  /// Reads the parts of a form.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: PartStream<Source.AsyncIterator>

    /// Skips the rest of the last part and returns the next one; nil after the last.
    ///
    /// - Throws: ``FormReadError``.
    public func next(isolation: isolated (any Actor)?) async throws(FormReadError) -> Part? {
      guard let header = try await stream.nextPart(isolation: isolation) else { return nil }
      return Part(header: header, content: Content(stream: stream, part: header.index))
    }
  }
}

extension FormParts: Sendable where Source: Sendable {}

extension AsyncSequence where Element: Sequence<UInt8> {
  /// The parts of the form whose bytes are in these buffers. Buffers may have any size.
  ///
  /// - Parameters:
  ///   - boundary: from the request's Content-Type: ``Boundary/init(contentType:)``.
  ///   - limits: how much to accept.
  public func formParts(boundary: Boundary, limits: FormLimits = FormLimits()) -> FormParts<Self> {
    FormParts(self, boundary: boundary, limits: limits)
  }
}

extension AsyncSequence where Element == UInt8 {
  /// The parts of the form with these bytes. A sequence of buffers is parsed faster.
  ///
  /// - Parameters:
  ///   - boundary: from the request's Content-Type: ``Boundary/init(contentType:)``.
  ///   - limits: how much to accept.
  public func formParts(
    boundary: Boundary, limits: FormLimits = FormLimits()
  ) -> FormParts<AsyncMapSequence<Self, CollectionOfOne<UInt8>>> {
    map { CollectionOfOne($0) }.formParts(boundary: boundary, limits: limits)
  }
}
