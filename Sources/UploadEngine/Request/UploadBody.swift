import HTTPTransport
import MultipartForm

/// Adapts a form's body to the transport.
struct UploadBody: ExchangeBody {
  let form: FormBody
  /// The whole body, if it was read ahead.
  private var bytes: [UInt8]?

  init(_ form: FormBody) { self.form = form }

  /// A body of this many bytes or more is not read ahead, since each one that waits is kept in memory.
  private static let large: Int64 = 64 << 10

  /// The same body, read now if it is small. Before the body is sent, its files are checked again, but not read again.
  func readAhead() -> UploadBody {
    guard length < Self.large, let count = Int(exactly: length) else { return self }
    var ahead = self
    // If a file cannot be read, the attempt to send it reports why.
    ahead.bytes = try? [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = try form.makeReader().read(into: UnsafeMutableRawBufferPointer(room))
    }
    return ahead
  }

  var length: Int64 { form.contentLength }

  func makeReader() -> any ExchangeBodyReader {
    if let bytes { AheadReader(form, bytes) } else { Reader(form.makeReader()) }
  }

  private final class Reader: ExchangeBodyReader {
    private let reader: BodyReader
    init(_ reader: BodyReader) { self.reader = reader }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      try reader.read(into: buffer)
    }
  }

  private final class AheadReader: ExchangeBodyReader {
    private let form: FormBody
    private var left: ArraySlice<UInt8>
    private var isChecked = false

    init(_ form: FormBody, _ bytes: [UInt8]) { (self.form, left) = (form, bytes[...]) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      if !isChecked { try form.checkFiles() }
      isChecked = true
      let piece = left.prefix(buffer.count)
      piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
      left = left.dropFirst(piece.count)
      return piece.count
    }
  }
}
