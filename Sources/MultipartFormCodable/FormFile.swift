import MultipartForm

/// A file in a form that is encoded or decoded.
///
/// ```swift
/// struct Album: Codable {
///   var title: String
///   var cover: FormFile
/// }
/// ```
///
/// Only ``MultipartFormEncoder`` and ``MultipartFormDecoder`` support it; with any other coder, it throws.
public struct FormFile: Codable, Hashable, Sendable {
  /// Where the file's bytes are.
  public enum Content: Hashable, Sendable {
    /// In memory; a decoded file always is.
    case bytes([UInt8])
    /// In a file, which is read while the form is sent.
    case file(FileLocation)
  }

  /// The file name. If decoded, it comes from the sender: never use it as a path.
  public var fileName: String
  /// The media type; nil if the sender did not give one.
  public var contentType: String?
  /// The content.
  public var content: Content

  /// A file with these bytes.
  public init(
    _ bytes: some Sequence<UInt8>, fileName: String,
    contentType: String = "application/octet-stream"
  ) {
    self.fileName = fileName
    self.contentType = contentType
    content = .bytes(Array(bytes))
  }

  /// A file that is read while the form is sent, so that it may be of any size.
  ///
  /// - Parameters:
  ///   - location: the file; symbolic links are followed.
  ///   - fileName: if nil, the last component of the path.
  ///   - contentType: the file's media type.
  public init(
    at location: FileLocation, fileName: String? = nil,
    contentType: String = "application/octet-stream"
  ) {
    self.fileName = fileName ?? location.lastComponent
    self.contentType = contentType
    content = .file(location)
  }

  /// The file's bytes; nil if they are read only while the form is sent.
  public var bytes: [UInt8]? {
    guard case .bytes(let bytes) = content else { return nil }
    return bytes
  }

  /// Reads a file out of a form.
  ///
  /// - Throws: `DecodingError`, including if the decoder is not a ``MultipartFormDecoder``.
  public init(from decoder: any Decoder) throws {
    guard let field = decoder as? FieldDecoder else {
      throw DecodingError.typeMismatch(
        Self.self,
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "Only MultipartFormDecoder can read a FormFile."))
    }
    self = try field.value(Self.self)
  }

  /// Writes the file into a form.
  ///
  /// - Throws: `EncodingError`, including if the encoder is not a ``MultipartFormEncoder``.
  public func encode(to encoder: any Encoder) throws {
    guard let field = encoder as? FieldEncoder else {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "Only MultipartFormEncoder can write a FormFile."))
    }
    try field.write(self)
  }
}

extension FormFile: FieldValue {
  init(field: FieldDecoder) throws(DecodingError) {
    let part = try field.part(for: Self.self)
    guard part.header.isFile else { throw field.mismatch(Self.self, "is not a file") }
    fileName = part.header.unescapedFileName ?? ""
    contentType = part.header.contentType
    content = .bytes(part.bytes)
  }

  func part(named name: String, by field: FieldEncoder) -> FormPart {
    switch content {
    case .bytes(let bytes):
      .data(name: name, fileName: fileName, contentType: contentType, bytes: bytes)
    case .file(let location):
      .file(
        name: name, at: location, fileName: fileName,
        contentType: contentType ?? "application/octet-stream")
    }
  }
}
