import Foundation

/// One part of a form: its name, its content, and what the receiver is told about the content.
///
/// Names need not be unique: several files under one name are several parts with that name
/// (RFC 7578 §4.3).
public struct FormPart: Sendable {
  enum Content: Sendable {
    case text([UInt8])
    case memory([UInt8])
    case file(FileLocation, range: Range<Int64>?, expected: FileIdentity?)
    case held(HeldFile, range: Range<Int64>?)
  }

  /// The name of the form's field. Bytes that are not UTF-8 become U+FFFD here, but are sent as they are.
  public var name: String { String(decoding: nameBytes, as: UTF8.self) }
  /// The file name that the receiver is told; nil for a part that is not a file. Bytes that are not UTF-8 become U+FFFD
  /// here, but are sent as they are.
  public var fileName: String? { fileNameBytes.map { String(decoding: $0, as: UTF8.self) } }
  /// The value of the part's Content-Type; nil when none is sent.
  public let contentType: String?
  /// Further headers, written after Content-Disposition and Content-Type.
  public let headers: [Header]
  let nameBytes: [UInt8]
  let fileNameBytes: [UInt8]?
  let content: Content

  init(
    nameBytes: [UInt8], fileNameBytes: [UInt8]?, contentType: String?, headers: [Header],
    content: Content
  ) {
    (self.nameBytes, self.fileNameBytes) = (nameBytes, fileNameBytes)
    (self.contentType, self.headers, self.content) = (contentType, headers, content)
  }

  /// A text field. Its line breaks are sent as CRLF, as browsers do (WHATWG HTML,
  /// "multipart/form-data encoding algorithm"); use ``data(name:fileName:contentType:bytes:headers:)``
  /// for bytes that must stay as they are.
  ///
  /// - Parameters:
  ///   - name: the name of the form's field.
  ///   - value: the text, sent as UTF-8.
  ///   - contentType: if nil, none is sent, since text is UTF-8 by RFC 7578 §5.1.2 and WHATWG.
  ///   - headers: further headers of the part.
  public static func text(
    name: String, value: String, contentType: String? = nil, headers: [Header] = []
  ) -> FormPart {
    FormPart(
      nameBytes: Array(name.utf8), fileNameBytes: nil, contentType: contentType, headers: headers,
      content: .text(Array(value.utf8)))
  }

  /// A part from bytes in memory, sent unchanged.
  ///
  /// - Parameters:
  ///   - name: the name of the form's field.
  ///   - fileName: if given, receivers treat the part as a file.
  ///   - contentType: if nil, a part with a file name gets `application/octet-stream`, because some receivers treat a
  ///     file without a type as a text field.
  ///   - bytes: the content.
  ///   - headers: further headers of the part.
  public static func data(
    name: String, fileName: String? = nil, contentType: String? = nil,
    bytes: some Sequence<UInt8>, headers: [Header] = []
  ) -> FormPart {
    FormPart(
      nameBytes: Array(name.utf8), fileNameBytes: fileName.map { Array($0.utf8) },
      contentType: contentType ?? fileName.map { _ in "application/octet-stream" },
      headers: headers, content: .memory(Array(bytes)))
  }

  /// A part with a JSON value, `Content-Type: application/json`, written by the given encoder.
  ///
  /// - Throws: what the encoder throws.
  public static func json(
    name: String, value: some Encodable, encoder: JSONEncoder = JSONEncoder(),
    headers: [Header] = []
  ) throws -> FormPart {
    .data(
      name: name, contentType: "application/json", bytes: try encoder.encode(value),
      headers: headers)
  }

  /// A part whose content is a file, or a range of its bytes, read while the body is sent.
  ///
  /// A ``FileLocation`` is made from a string or a `URL`: `.file(name: "photo", at: "photo.jpg")`, or
  /// `.file(name: "photo", at: try FileLocation(url))`.
  ///
  /// - Parameters:
  ///   - name: the name of the form's field.
  ///   - location: the file; symbolic links are followed.
  ///   - fileName: if nil, the last component of the path, byte for byte. Directories in a given name are sent as they are.
  ///   - contentType: the file's media type.
  ///   - range: the bytes to send, within the file; all of them when nil.
  ///   - expected: the identity that the file had when it was chosen. If the file has changed when the body is made, a
  ///     ``FileError`` says how.
  ///   - headers: further headers of the part.
  public static func file(
    name: String, at location: FileLocation, fileName: String? = nil,
    contentType: String = "application/octet-stream", range: Range<Int64>? = nil,
    expecting expected: FileIdentity? = nil, headers: [Header] = []
  ) -> FormPart {
    FormPart(
      nameBytes: Array(name.utf8),
      fileNameBytes: fileName.map { Array($0.utf8) } ?? Array(location.lastComponentBytes),
      contentType: contentType, headers: headers,
      content: .file(location, range: range, expected: expected))
  }

  /// A text field whose name and value need not be UTF-8. Its line breaks are sent as CRLF.
  package static func text(
    nameBytes: [UInt8], valueBytes: [UInt8], contentType: String?
  ) -> FormPart {
    FormPart(
      nameBytes: nameBytes, fileNameBytes: nil, contentType: contentType, headers: [],
      content: .text(valueBytes))
  }

  /// A part whose content is a file. Neither its name nor the file's need be UTF-8.
  package static func file(
    nameBytes: [UInt8], at location: FileLocation, fileNameBytes: [UInt8], contentType: String,
    expecting expected: FileIdentity?
  ) -> FormPart {
    FormPart(
      nameBytes: nameBytes, fileNameBytes: fileNameBytes, contentType: contentType, headers: [],
      content: .file(location, range: nil, expected: expected))
  }

  /// A part whose content is a held file, or a range of its bytes clamped to the file, so that several bodies show the
  /// file at one moment. Neither its name nor the file's need be UTF-8.
  package static func file(
    nameBytes: [UInt8], held file: HeldFile, range: Range<Int64>?, fileNameBytes: [UInt8],
    contentType: String
  ) -> FormPart {
    FormPart(
      nameBytes: nameBytes, fileNameBytes: fileNameBytes, contentType: contentType, headers: [],
      content: .held(file, range: range))
  }

  /// The field `_charset_`, which tells the receiver that the form's text is UTF-8 (RFC 7578 §4.6). Text parts are
  /// always UTF-8, so it has no other value.
  public static let charset = text(name: charsetName, value: "UTF-8")

  /// The name of the field that gives the charset of the other fields (RFC 7578 §4.6).
  public static let charsetName = "_charset_"
}
