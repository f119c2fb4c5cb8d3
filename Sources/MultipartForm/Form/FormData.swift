/// A form to send: its parts in order, and the boundary between them.
///
/// A form is only a description. ``FormBody`` looks at the files and fixes every byte.
public struct FormData: Sendable {
  /// What to do with a character that cannot be sent as it is.
  ///
  /// In both cases, NUL and other bytes that would break a header are refused if the WHATWG
  /// algorithm has no escape for them.
  public enum Strictness: Sendable {
    /// Escapes and normalises as browsers do: `"`, CR and LF in names become `%22`, `%0D` and
    /// `%0A`; line breaks in names and in text values become CRLF first.
    case browser
    /// Refuses what would not arrive unchanged: `"`, CR and LF in names and file names, and
    /// line breaks other than CRLF in text values.
    case strict
  }

  /// The parts, in the order in which they are sent.
  public var parts: [FormPart]
  /// The boundary. A form that is sent twice may keep its boundary, but two forms should not share one.
  public var boundary: Boundary
  /// Whether characters that cannot be sent are escaped or refused.
  public var strictness: Strictness

  /// Makes a form; the boundary is new and random unless given.
  public init(
    parts: [FormPart], boundary: Boundary = .random(), strictness: Strictness = .browser
  ) {
    self.parts = parts
    self.boundary = boundary
    self.strictness = strictness
  }
}
