import Glibc

/// Text that stands for bytes which need not be UTF-8, such as a file's name.
///
/// Each byte that is not part of valid UTF-8 becomes a scalar for private use (U+10FE80 to U+10FEFF). So two different
/// names never become the same text, and `rawBytes` gives back the bytes. `SafeText` shows such a scalar as U+FFFD.
extension String {
  /// The text for these bytes.
  package init(rawBytes: some Sequence<UInt8>) {
    if let plain = rawBytes.withContiguousStorageIfAvailable(String.init(plain:)), let plain {
      self = plain
      return
    }
    let bytes = Array(rawBytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasRawBytes {
      self = text
      return
    }
    var scalars = String.UnicodeScalarView()
    for piece in UTF8Pieces(bytes) {
      // A name may contain such a scalar itself. Its bytes are then kept one by one.
      if let scalar = piece.scalar, scalar.rawByte == nil {
        scalars.append(scalar)
      } else {
        scalars.append(contentsOf: piece.bytes.compactMap(Unicode.Scalar.init(rawByte:)))
      }
    }
    self = String(scalars)
  }

  /// The text for bytes that are UTF-8 and stand for themselves; nil for any others. A file's name is nearly always like
  /// this, and validating a sequence of any type takes ten times as long.
  private init?(plain bytes: UnsafeBufferPointer<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Whatever is not UTF-8 has become U+FFFD, which is other bytes.
    guard isMade(of: bytes), !hasRawBytes else { return nil }
  }

  private func isMade(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return isEmpty }
    return withBytes { own in
      own.count == bytes.count
        && own.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true
    }
  }

  /// The bytes that the text stands for.
  package var rawBytes: [UInt8] {
    guard hasRawBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      scalar.rawByte.map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// Whether the text stands for bytes that are not UTF-8.
  package var hasRawBytes: Bool {
    // Only scalars of the last planes begin with this byte, and hardly any text has one.
    withBytes { bytes in bytes.baseAddress.flatMap { memchr($0, 0xF4, bytes.count) } != nil }
      && unicodeScalars.contains { $0.rawByte != nil }
  }

  /// The text with U+FFFD for each byte that is not UTF-8, for readers that expect nothing else.
  package var readable: String { String(decoding: rawBytes, as: UTF8.self) }
}

extension Unicode.Scalar {
  private static let firstRaw: UInt32 = 0x10FE00

  /// The scalar that stands for a byte of no UTF-8 sequence, which is 0x80 or more.
  fileprivate init?(rawByte: UInt8) { self.init(Self.firstRaw + UInt32(rawByte)) }

  /// The byte that the scalar stands for; nil if it stands for itself.
  fileprivate var rawByte: UInt8? {
    (Self.firstRaw + 0x80...Self.firstRaw + 0xFF).contains(value)
      ? UInt8(truncatingIfNeeded: value) : nil
  }
}
