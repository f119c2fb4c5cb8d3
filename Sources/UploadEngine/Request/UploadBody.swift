import HTTPTransport
import MultipartForm

extension BodyReader: ExchangeBodyReader {}

/// Adapts a form's body to the transport.
struct UploadBody: ExchangeBody {
  let form: FormBody

  /// A body of this many bytes or more is not read ahead, since each one that waits is kept in memory.
  private static let large: Int64 = 64 << 10

  /// The same body, read now if it is small. Before the body is sent, its files are checked again, but not read again.
  func readAhead() -> any ExchangeBody {
    guard length < Self.large, let count = Int(exactly: length) else { return self }
    // If a file cannot be read, the attempt to send it reports why.
    let bytes = try? [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = try form.makeReader().read(into: UnsafeMutableRawBufferPointer(room))
    }
    guard let bytes, bytes.count == count else { return self }
    return MemoryBody(bytes, check: form.checkFiles)
  }

  var length: Int64 { form.contentLength }

  func makeReader() -> any ExchangeBodyReader { form.makeReader() }
}
