/// How much a ``FormParser`` takes before it refuses. Each limit has its own ``ParserError``.
///
/// The parser itself holds at most ``headerBytes`` and a delimiter; the other limits protect
/// the code that stores what it finds.
public struct Limits: Sendable, Hashable {
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
  public var totalBytes: Int64

  /// Limits that suit a receiver of files: 16 KiB of headers a part, 10,000 parts, 1 MiB a field,
  /// 16 MiB of fields and headers, 64 GiB a file and 256 GiB in all, unless given otherwise.
  public init(
    headerBytes: Int = 16 << 10, parts: Int = 10_000, fieldBytes: Int64 = 1 << 20,
    allFieldBytes: Int64 = 16 << 20, fileBytes: Int64 = 64 << 30, totalBytes: Int64 = 256 << 30
  ) {
    self.headerBytes = headerBytes
    self.parts = parts
    self.fieldBytes = fieldBytes
    self.allFieldBytes = allFieldBytes
    self.fileBytes = fileBytes
    self.totalBytes = totalBytes
  }
}
