import MultipartForm

/// The format and size of a picture, from the headers in its file.
struct PictureHeader: Hashable {
  enum Format: String {
    case png = "PNG"
    case jpeg = "JPEG"
    case gif = "GIF"
    case webp = "WebP"
    case bmp = "BMP"
  }

  let format: Format
  let width: Int
  let height: Int

  var words: String { "\(format.rawValue), \(width) × \(height)" }

  /// Nil if the file is not a picture of a known format, or has no pixels.
  init?(_ file: HeldFile, _ start: [UInt8]) {
    guard let (format, size) = Self.read(file, start[...]), let size, size.0 > 0, size.1 > 0 else {
      return nil
    }
    (self.format, width, height) = (format, size.0, size.1)
  }

  private typealias Dimensions = (Int, Int)

  private static func read(_ file: HeldFile, _ head: ArraySlice<UInt8>) -> (Format, Dimensions?)? {
    func begins(_ text: String, at offset: Int = 0) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), begins("IHDR", at: 12) {
      return (.png, both(head.big(16, 4), head.big(20, 4)))
    }
    if begins("GIF87a") || begins("GIF89a") {
      return (.gif, both(head.little(6, 2), head.little(8, 2)))
    }
    if begins("BM"), let kind = head.little(14, 4), kind >= 40 {
      // A negative height means that the rows start at the top.
      let height = head.little(22, 4).map { abs(Int(Int32(truncatingIfNeeded: $0))) }
      return (.bmp, both(head.little(18, 4), height))
    }
    if begins("RIFF"), begins("WEBP", at: 8) { return (.webp, webp(head)) }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return (.jpeg, jpeg(file)) }
    return nil
  }

  private static func both(_ width: Int?, _ height: Int?) -> Dimensions? {
    guard let width, let height else { return nil }
    return (width, height)
  }

  /// The size is in the first chunk, in one of three formats (RFC 9649).
  private static func webp(_ head: ArraySlice<UInt8>) -> Dimensions? {
    switch head.dropFirst(12).prefix(4).map({ $0 }) {
    case Array("VP8X".utf8):
      return both(head.little(24, 3).map { $0 + 1 }, head.little(27, 3).map { $0 + 1 })
    case Array("VP8L".utf8):
      return head.little(21, 4).map { ($0 & 0x3FFF + 1, $0 >> 14 & 0x3FFF + 1) }
    case Array("VP8 ".utf8):
      return both(head.little(26, 2).map { $0 & 0x3FFF }, head.little(28, 2).map { $0 & 0x3FFF })
    default: return nil
    }
  }

  /// The size is in the first frame header, after segments of up to 64 KiB each (ITU-T T.81, B.1).
  private static func jpeg(_ file: HeldFile) -> Dimensions? {
    var offset: Int64 = 2
    // Files seldom have more than a dozen segments.
    for _ in 0..<200 {
      let segment = file.read(at: offset, 9)[...]
      guard segment.first == 0xFF, let length = segment.big(2, 2), length >= 2,
        let marker = segment.big(1, 1)
      else { return nil }
      // The frame headers: all of these markers except DHT, JPG and DAC.
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        return both(segment.big(7, 2), segment.big(5, 2))
      }
      // Fill bytes of 0xFF may precede a marker.
      offset += marker == 0xFF ? 1 : Int64(length) + 2
    }
    return nil
  }
}
