import Foundation

/// Why a body is refused. Parts are counted from 0.
@nonexhaustive
public enum ParserError: Error, Hashable, Sendable {
  /// Where in the body the error is.
  @nonexhaustive
  public enum Place: String, Hashable, Sendable {
    /// Before the first delimiter.
    case preamble
    /// In a delimiter's line.
    case delimiter
    /// In a part's headers.
    case header
    /// In a part's content.
    case content
  }

  /// What is wrong with a part's headers.
  @nonexhaustive
  public enum HeaderFault: Error, Hashable, Sendable {
    /// A line has no colon, or no name in front of it, or a name that is not a token.
    case notAHeader
    /// A header contains this control character: NUL, or a CR without LF.
    case illegalByte(UInt8)
    /// There is no Content-Disposition.
    case missingDisposition
    /// There is more than one header with this name, and only one is allowed.
    case duplicate(String)
    /// The Content-Disposition cannot be parsed.
    case malformedDisposition
    /// The Content-Disposition is not `form-data`.
    case notFormData
    /// The Content-Disposition has no `name`.
    case missingName
    /// The Content-Disposition has this parameter more than once.
    case duplicateParameter(String)
    /// The content is in an encoding that forms do not use (RFC 7578 §4.7), such as base64.
    case transferEncoding(String)
  }

  /// A part's headers are longer than ``FormLimits/headerBytes``.
  case headerTooLong(part: Int, limit: Int)
  /// There are more parts than ``FormLimits/parts``.
  case tooManyParts(limit: Int)
  /// A part that is not a file is longer than ``FormLimits/fieldBytes``.
  case fieldTooLong(part: Int, limit: Int64)
  /// The parts that are not files and the headers of all parts are together longer than ``FormLimits/allFieldBytes``.
  case fieldsTooLong(limit: Int64)
  /// A file is longer than ``FormLimits/fileBytes``.
  case fileTooLong(part: Int, limit: Int64)
  /// The body is longer than ``FormLimits/bodyBytes``.
  case bodyTooLong(limit: Int64)
  /// The body ended without its final delimiter.
  case truncated(in: Place)
  /// A part's headers cannot be accepted.
  case header(HeaderFault, part: Int)
  /// A line ends with LF alone instead of CRLF (RFC 2046 §4.1.1).
  case bareLineFeed(in: Place)
  /// A delimiter is followed by this byte instead of the end of its line.
  case malformedDelimiter(UInt8)
  /// There is another delimiter after the final one, so a part of the body would be lost.
  case delimiterAfterEnd
  /// An earlier call failed, or the input was finished.
  case stopped
  /// The content of a part of ``FormParts`` was requested after the next part had begun.
  case partPassed
}

extension ParserError: CustomStringConvertible, LocalizedError {
  /// What is wrong with the body, and where.
  public var description: String {
    switch self {
    case .headerTooLong(let part, let limit):
      "The headers of part \(part + 1) are longer than \(limit) bytes."
    case .tooManyParts(let limit): "The form has more than \(limit) parts."
    case .fieldTooLong(let part, let limit):
      "The field in part \(part + 1) is longer than \(limit) bytes."
    case .fieldsTooLong(let limit):
      "The form's fields and headers are longer than \(limit) bytes in all."
    case .fileTooLong(let part, let limit):
      "The file in part \(part + 1) is longer than \(limit) bytes."
    case .bodyTooLong(let limit): "The body is longer than \(limit) bytes."
    case .truncated(.preamble):
      "The body ended before the first boundary, which its Content-Type names."
    case .truncated(let place):
      "The body ended within \(place), before its final boundary."
    case .header(let fault, let part):
      "The headers of part \(part + 1) cannot be accepted: \(fault)."
    case .bareLineFeed(let place):
      "A line of \(place) ends with LF alone: CRLF is needed."
    case .malformedDelimiter(let byte):
      "A boundary is followed by the byte \(hex(byte)), not by the end of its line."
    case .delimiterAfterEnd:
      "There is another boundary after the final one: some part's content contains the boundary."
    case .stopped: "The body was already refused or finished."
    case .partPassed: "The content of a part has to be read before the next part."
    }
  }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension ParserError.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .preamble: "the preamble"
    case .delimiter: "a boundary line"
    case .header: "a part's headers"
    case .content: "a part's content"
    }
  }
}

extension ParserError.HeaderFault: CustomStringConvertible {
  /// The fault in words.
  public var description: String {
    switch self {
    case .notAHeader: "a line does not consist of a name, a colon and a value"
    case .illegalByte(let byte): "a line has the byte \(hex(byte))"
    case .missingDisposition: "there is no Content-Disposition"
    case .duplicate(let name): "there is more than one \(name)"
    case .malformedDisposition: "the Content-Disposition is malformed"
    case .notFormData: "the Content-Disposition is not form-data"
    case .missingName: "the Content-Disposition has no name"
    case .duplicateParameter(let name): "the Content-Disposition has more than one \(name)"
    case .transferEncoding(let name):
      "the transfer encoding \(name.debugDescription) is not one that forms use"
    }
  }
}
