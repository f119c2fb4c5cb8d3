import Foundation

/// The body as the stream that URLSession reads, on a thread of its own.
final class BodyStream: InputStream {
  private let reader: BodyReader
  private let length: Int64
  private let onFailure: @Sendable (BodyError) -> Void
  private var status = Status.notOpen
  private var failure: BodyError?

  init(_ body: FormBody, onFailure: @escaping @Sendable (BodyError) -> Void) {
    reader = body.makeReader()
    length = body.contentLength
    self.onFailure = onFailure
    super.init(data: Data())
  }

  override func open() { status = .open }

  override func close() {
    reader.close()
    status = .closed
  }

  override var streamStatus: Status { status == .open && !hasBytesAvailable ? .atEnd : status }
  override var streamError: (any Error)? { failure }
  override var hasBytesAvailable: Bool { reader.offset < length }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
    do throws(BodyError) {
      return try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    } catch {
      if failure == nil { onFailure(error) }
      failure = error
      status = .error
      return -1
    }
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
    length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var delegate: (any StreamDelegate)? {
    get { nil }
    set {}
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    false
  }
}

extension FormBody {
  /// A stream that starts at the first byte, for `URLRequest.httpBodyStream` and for a delegate's `needNewBodyStream`.
  /// Only the bytes that URLSession requests are in memory.
  ///
  /// - Parameter onFailure: called when a file has changed or cannot be read, on the thread that reads. URLSession
  ///   itself only says that the stream failed.
  public func makeInputStream(
    onFailure: @escaping @Sendable (BodyError) -> Void = { _ in }
  ) -> InputStream {
    BodyStream(self, onFailure: onFailure)
  }
}
