import Foundation

/// A form that was read into memory as a whole.
///
/// ```swift
/// let form = try await body.form(boundary: Boundary(contentType: contentType))
/// print(form["album"]?.text ?? "no album")
/// for photo in form.parts(named: "photo") { print(photo.header.fileName ?? "", photo.bytes.count) }
/// ```
public struct CollectedForm: Sendable, Hashable {
  /// A part with its content.
  public struct Part: Sendable, Hashable {
    /// What the sender says about the part.
    public let header: PartHeader
    /// The content.
    public internal(set) var bytes: [UInt8] = []

    /// The content as UTF-8; invalid bytes become U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// The parts, in their order.
  public internal(set) var parts: [Part] = []

  /// The first part with this name.
  public subscript(name: String) -> Part? { parts.first { $0.header.name == name } }

  /// All parts with this name, in their order.
  public func parts(named name: String) -> [Part] { parts.filter { $0.header.name == name } }

  /// Reads a form that is already in memory.
  ///
  /// - Parameters:
  ///   - bytes: the whole body, for example a `Data`.
  ///   - boundary: from the request's Content-Type: ``Boundary/init(contentType:)``.
  ///   - limits: how much to accept.
  /// - Throws: ``ParserError`` if the form is not accepted.
  public init(
    _ bytes: some DataProtocol, boundary: Boundary, limits: FormLimits = .inMemory
  ) throws(ParserError) {
    var parser = FormParser(boundary: boundary, limits: limits)
    for region in bytes.regions {
      try region.withUnsafeBytes { buffer in
        Result { () throws(ParserError) in try parser.push(buffer) { add($0) } }
      }.get()
    }
    try parser.finish()
  }

  init<Source: AsyncSequence>(
    _ parts: FormParts<Source>, isolation: isolated (any Actor)?
  ) async throws(FormReadError) {
    let iterator = parts.makeAsyncIterator()
    while let part = try await iterator.next(isolation: isolation) {
      // The parser's limits already bound the content.
      let bytes = try await part.bytes(atMost: .max, isolation: isolation)
      self.parts.append(Part(header: part.header, bytes: bytes))
    }
  }

  private mutating func add(_ event: FormParser.Event) {
    switch event {
    case .partBegan(let header): parts.append(Part(header: header))
    case .content(let bytes): parts[parts.count - 1].bytes += bytes
    case .partEnded: break
    }
  }
}

extension AsyncSequence where Element: Sequence<UInt8> {
  /// Reads the form whose bytes are in these buffers into memory.
  ///
  /// - Parameters:
  ///   - boundary: from the request's Content-Type: ``Boundary/init(contentType:)``.
  ///   - limits: how much to accept.
  ///   - isolation: the actor that reads; the caller's own unless given.
  /// - Throws: ``FormReadError``.
  public func form(
    boundary: Boundary, limits: FormLimits = .inMemory,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(FormReadError) -> CollectedForm {
    try await CollectedForm(formParts(boundary: boundary, limits: limits), isolation: isolation)
  }
}

extension AsyncSequence where Element == UInt8 {
  /// Reads the form with these bytes into memory. A sequence of buffers is parsed faster.
  ///
  /// - Parameters:
  ///   - boundary: from the request's Content-Type: ``Boundary/init(contentType:)``.
  ///   - limits: how much to accept.
  ///   - isolation: the actor that reads; the caller's own unless given.
  /// - Throws: ``FormReadError``.
  public func form(
    boundary: Boundary, limits: FormLimits = .inMemory,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(FormReadError) -> CollectedForm {
    try await CollectedForm(formParts(boundary: boundary, limits: limits), isolation: isolation)
  }
}
