import Foundation
import MultipartForm
import Synchronization

/// The body of a form as the stream that URLSession reads. Nothing of it is in memory but one buffer.
final class FormStream: InputStream {
  private let reader: BodyReader
  private let length: Int64
  private let failure: FailureBox
  private var status = Status.notOpen

  /// - Parameter failure: takes the reason if a file changes or cannot be read. URLSession itself only says
  ///   that the stream failed.
  init(_ body: FormBody, failure: FailureBox) {
    reader = body.makeReader()
    length = body.contentLength
    self.failure = failure
    super.init(data: Data())
  }

  override func open() { status = .open }

  override func close() {
    reader.close()
    status = .closed
  }

  override var streamStatus: Status { status }
  override var streamError: (any Error)? { failure.error }
  override var hasBytesAvailable: Bool { reader.offset < length }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
    do throws(BodyError) {
      return try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
    } catch {
      failure.error = error
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

  override func property(forKey key: Stream.PropertyKey) -> Property? { nil }
  override func setProperty(_ property: Property?, forKey key: Stream.PropertyKey) -> Bool { false }
}

typealias Property = AnyObject

/// Why a form could not be read, told from URLSession's thread to ours.
final class FailureBox: Sendable {
  private let value = Mutex<BodyError?>(nil)

  var error: BodyError? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
