import Foundation
import MultipartForm
import Synchronization
import UploadModel

/// Hands a form's body to URLSession, piece by piece as libcurl asks for it.
///
/// URLSession reads a subclass of `InputStream` directly, on its own queue. A stream that ends early
/// hangs the request and one that goes on desynchronises the connection; this one delivers exactly
/// the promised length or fails. The session has no room for the reason, so it is kept in `fate`.
///
/// A body that was given whole is given again only if its fate allows it: see `BodyFate`. Where reading
/// fails on a connection that was kept, libcurl takes the connection for dead, tries the next one and
/// asks the same stream again: it has to fail as often as it is asked, and never be at its end.
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

  override var streamStatus: Stream.Status { fate.error == nil ? status : .error }
  override var streamError: (any Error)? { fate.error }
  override var hasBytesAvailable: Bool { reader.offset < length }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    guard fate.error == nil else { return -1 }
    guard !fate.isOver || reader.offset > 0 else {
      fate.noteAskedAgain()
      return -1
    }
    do {
      let count = try reader.read(
        into: UnsafeMutableRawBufferPointer(
          start: buffer, count: Backlog.bound(pace.next(at: now(), limit: maxLength))))
      Backlog.note(count)
      if reader.offset == length {
        status = .atEnd
        fate.noteSpent()
      }
      return count
    } catch {
      fate.note(error)
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

/// What became of a body: why it could not be read to its end, or that it was. Written on URLSession's
/// queue, read on the engine's.
///
/// A server may close a connection that it kept, and send no reply to what came over it. libcurl sends
/// the same request over another one then, and nobody knows whether the first was obeyed. Where a
/// second copy does harm, a body that has been handed over to its last byte is over.
final class BodyFate: Sendable {
  private struct Content {
    var error: BodyError?
    var isSpent = false
    var wasAskedAgain = false
  }
  private let content = Mutex(Content())
  private let mayRepeat: Bool

  init(mayRepeat: Bool) { self.mayRepeat = mayRepeat }

  var error: BodyError? { content.withLock { $0.error } }

  /// Whether the body was asked for again, and not given.
  var wasAskedAgain: Bool { content.withLock { $0.wasAskedAgain } }

  /// Whether the body may not be given again.
  var isOver: Bool { !mayRepeat && content.withLock { $0.isSpent } }

  func note(_ error: BodyError) {
    content.withLock { if $0.error == nil { $0.error = error } }
  }

  func noteSpent() { content.withLock { $0.isSpent = true } }

  func noteAskedAgain() { content.withLock { $0.wasAskedAgain = true } }
}
