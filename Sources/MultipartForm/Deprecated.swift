// Old names, which the next version removes.

/// A form to send.
@available(*, deprecated, renamed: "FormData")
public typealias Form = FormData

/// One part of a form to send.
@available(*, deprecated, renamed: "FormPart")
public typealias Part = FormPart

/// A header field of a part.
@available(*, deprecated, renamed: "FormPart.Header")
public typealias Header = FormPart.Header

/// How much a parser accepts.
@available(*, deprecated, renamed: "FormLimits")
public typealias Limits = FormLimits

extension FileIdentity {
  /// The identity of the file at a path.
  @available(*, deprecated, renamed: "init(of:)")
  public static func of(_ path: FileLocation) throws(FileError) -> FileIdentity {
    try FileIdentity(of: path)
  }
}

extension FormParser {
  /// Ends the body.
  @available(*, deprecated, message: "finish() calls no handler")
  public mutating func finish(_ handle: (Event) throws -> Void) throws(ParserError) {
    try finish()
  }
}
