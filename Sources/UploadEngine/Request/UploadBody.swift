import HTTPTransport
import MultipartForm

/// A form's body as the transport takes it.
struct UploadBody: ExchangeBody {
  let form: FormBody

  var length: Int64 { form.contentLength }

  func makeReader() -> any ExchangeBodyReader { Reader(form.makeReader()) }

  private final class Reader: ExchangeBodyReader {
    private let reader: BodyReader
    init(_ reader: BodyReader) { self.reader = reader }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      try reader.read(into: buffer)
    }

    func send(to socket: Int32, atMost count: Int) throws -> Int? {
      try reader.send(to: socket, atMost: count)
    }

    var isInDoubt: Bool { reader.isInDoubt }

    func confirm() throws { try reader.confirm() }
  }
}
