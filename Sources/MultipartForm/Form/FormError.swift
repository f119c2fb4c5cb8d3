import Foundation

/// Why a form cannot be written or a `Content-Type` cannot be used. No file has been touched.
@nonexhaustive
public enum FormError: Error, Hashable, Sendable {
  /// What is wrong with a boundary (RFC 2046 §5.1.1).
  @nonexhaustive
  public enum BoundaryFault: Hashable, Sendable {
    /// It has no characters.
    case empty
    /// It has this many bytes, more than 70.
    case tooLong(Int)
    /// It has this byte, which is not one of `bchars`.
    case illegalByte(UInt8)
    /// Its last character is a space.
    case endsWithSpace
  }

  /// The place in a part where an illegal character was found.
  @nonexhaustive
  public enum Place: Hashable, Sendable {
    /// The part's name.
    case name
    /// The part's file name.
    case fileName
    /// The part's content type.
    case contentType
    /// A custom header's name, which is the associated value.
    case headerName(String)
    /// The value of a custom header, whose name is the associated value.
    case headerValue(String)
    /// The value of a text part.
    case value
  }

  /// The boundary breaks RFC 2046.
  case invalidBoundary(String, BoundaryFault)
  /// The Content-Type is not `multipart/form-data`.
  case notMultipartForm(String)
  /// The Content-Type has no boundary parameter, or more than one.
  case missingBoundary(String)
  /// The part with this index has a byte that cannot be sent in that place: a line break or another control character
  /// in a header, or, in strict mode, one that would need an escape.
  case illegalByte(UInt8, in: Place, part: Int)
  /// The part with this index has a custom header without a name.
  case emptyHeaderName(part: Int)
  /// The part with this index has a custom header with a name that the form writes itself.
  case reservedHeader(String, part: Int)
  /// The part with this index contains the delimiter, so a receiver would end the part early.
  case boundaryInContent(part: Int)
  /// The body would be longer than `Int64.max` bytes.
  case tooLong

  /// The index of the part that the error is about; nil if it is about the whole form.
  public var part: Int? {
    switch self {
    case .illegalByte(_, _, let part), .emptyHeaderName(let part), .reservedHeader(_, let part),
      .boundaryInContent(let part):
      part
    case .invalidBoundary, .notMultipartForm, .missingBoundary, .tooLong: nil
    }
  }
}

extension FormError: CustomStringConvertible, LocalizedError {
  /// What failed, what it concerns, and what to do about it.
  public var description: String {
    switch self {
    case .invalidBoundary(let text, .empty):
      "The boundary \"\(text)\" is empty: RFC 2046 asks for 1 to 70 characters."
    case .invalidBoundary(_, .tooLong(let length)):
      "The boundary has \(length) characters: RFC 2046 allows at most 70."
    case .invalidBoundary(let text, .illegalByte(let byte)):
      "The boundary \"\(text)\" has the byte \(hex(byte)): "
        + "use letters, digits, spaces and '()+_,-./:=?."
    case .invalidBoundary(let text, .endsWithSpace):
      "The boundary \"\(text)\" ends with a space: RFC 2046 forbids that."
    case .notMultipartForm(let type):
      "The content type \"\(type)\" is not multipart/form-data."
    case .missingBoundary(let type):
      "The content type \"\(type)\" must have exactly one boundary parameter."
    case .illegalByte(let byte, let place, let part):
      "Part \(part + 1) cannot be sent: \(place) has the byte \(hex(byte)). "
        + "Take it out or replace it."
    case .emptyHeaderName(let part):
      "Part \(part + 1) has a header without a name: name the header or leave it out."
    case .reservedHeader(let name, let part):
      "Part \(part + 1) has the header \(name), which the form writes itself: leave it out."
    case .boundaryInContent(let part):
      "Part \(part + 1) contains the boundary, so a receiver would cut it short: "
        + "choose another boundary."
    case .tooLong:
      "The body would be longer than 2^63 - 1 bytes: send fewer files in one request."
    }
  }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension FormError.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .name: "its name"
    case .fileName: "its file name"
    case .contentType: "its content type"
    case .headerName(let name): "the name of its header \(name.debugDescription)"
    case .headerValue(let name): "the value of its header \(name.debugDescription)"
    case .value: "its text"
    }
  }
}

func hex(_ byte: UInt8) -> String {
  "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}
