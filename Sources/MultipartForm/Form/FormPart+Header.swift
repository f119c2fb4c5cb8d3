extension FormPart {
  /// One header field of a part, as in RFC 2045 §3: a name and a value without line breaks.
  ///
  /// Values are checked when a ``FormBody`` is made, so that one error type covers the whole form.
  public struct Header: Sendable, Hashable {
    /// The field name, an RFC 9110 §5.6.2 token. Compared without regard to case.
    public var name: String
    /// The field value, without CR, LF, NUL or other control characters except tab.
    public var value: String

    /// Makes a header field. Nothing is validated before the form becomes a ``FormBody``.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Whether this field has the given name, without regard to ASCII case.
    public func isNamed(_ other: String) -> Bool {
      ASCII.equalIgnoringCase(name.utf8, other.utf8)
    }
  }
}
