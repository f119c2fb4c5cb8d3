import Foundation
import MultipartForm
import Synchronization
import UploadModel

/// Hands a form's body to URLSession, piece by piece as libcurl asks for it.
///
/// URLSession reads a subclass of `InputStream` directly, on its own queue. A stream that ends early
/// hangs the request and one that goes on desynchronises the connection; this one delivers exactly
/// the promised length or fails. The session has no room for the reason, so it is kept in `fate`.
final class BodyStream: InputStream {
  private let reader: BodyReader
  private let length: Int64
  private let fate: BodyFate
  private let now: @Sendable () -> Moment
  private var pace = Pace()
  private var status: Stream.Status = .notOpen

  init(_ body: FormBody, fate: BodyFate, now: @escaping @Sendable () -> Moment) {
    reader = body.makeReader()
    length = body.contentLength
    self.fate = fate
    self.now = now
    super.init(data: Data())
  }

  override func open() { status = .open }

  override func close() {
    status = .closed
    reader.close()
  }

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { fate.error }
  override var hasBytesAvailable: Bool { reader.offset < length && status != .error }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    do {
      let count = try reader.read(
        into: UnsafeMutableRawBufferPointer(
          start: buffer, count: Backlog.bound(pace.next(at: now(), limit: maxLength))))
      Backlog.note(count)
      if reader.offset == length { status = .atEnd }
      return count
    } catch {
      fate.note(error)
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
}

/// Why a body could not be read to its end, if so: written on URLSession's queue, read on the
/// engine's.
final class BodyFate: Sendable {
  private let first = Mutex<BodyError?>(nil)

  var error: BodyError? { first.withLock { $0 } }

  func note(_ error: BodyError) {
    first.withLock { if $0 == nil { $0 = error } }
  }
}
