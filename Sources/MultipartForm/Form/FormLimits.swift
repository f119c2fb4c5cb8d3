/// How much a ``FormParser`` accepts before it refuses. Each limit has its own ``ParserError``.
///
/// The parser itself keeps at most ``headerBytes`` bytes and a delimiter in memory; the other limits protect the code
/// that stores the content.
public struct FormLimits: Sendable, Hashable {
  /// The headers of one part, line ends included, in bytes.
  public var headerBytes: Int
  /// The number of parts.
  public var parts: Int
  /// The content of one part that is not a file, in bytes: such parts tend to be held in memory.
  public var fieldBytes: Int64
  /// The content of all parts that are not files, and the headers of all parts, in bytes: both tend to
  /// be held in memory.
  public var allFieldBytes: Int64
  /// The content of one file, in bytes.
  public var fileBytes: Int64
  /// The whole body with its preamble, headers and delimiters, in bytes.
  public var bodyBytes: Int64

  /// Limits for a form that is held in memory: 1,000 parts, 1 MiB a field, and 16 MiB in all, including files.
  public static let inMemory = FormLimits(fileBytes: 16 << 20, bodyBytes: 16 << 20)

  /// Limits that suit a server that stores files: 16 KiB of headers a part, 1,000 parts, 1 MiB a field, 4 MiB of
  /// fields and headers, 100 MiB a file and 1 GiB in all, unless given otherwise.
  public init(
    headerBytes: Int = 16 << 10, parts: Int = 1_000, fieldBytes: Int64 = 1 << 20,
    allFieldBytes: Int64 = 4 << 20, fileBytes: Int64 = 100 << 20, bodyBytes: Int64 = 1 << 30
  ) {
    self.headerBytes = headerBytes
    self.parts = parts
    self.fieldBytes = fieldBytes
    self.allFieldBytes = allFieldBytes
    self.fileBytes = fileBytes
    self.bodyBytes = bodyBytes
  }
}
