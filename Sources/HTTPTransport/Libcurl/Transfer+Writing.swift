import CCurl
import Foundation

/// What a transfer does that does not leave all of the body to libcurl.
extension Transfer {
  /// How many bytes of the body libcurl sends.
  var curlsLength: Int64 { writer == nil ? length : SocketWriter.share }

  /// Whether libcurl has sent what it is to send of a body that it does not send alone.
  var isWritersTurn: Bool {
    given >= curlsLength && hoist_info_size(easy, CURLINFO_SIZE_UPLOAD_T) >= curlsLength
  }

  /// Whether the writer is done.
  var isWritten: Bool { hasGivenAll && writer?.unwritten == 0 }

  /// Whether it keeps a socket that libcurl wants to close: a server may answer before it has everything, and
  /// read on. For libcurl the request is over then.
  func keeps(_ descriptor: Int32) -> Bool {
    guard descriptor == socket, let writer, !writer.isBroken, !isWritten, isWritersTurn,
      let head = parser.head, head.status < 300
    else { return false }
    isFinishing = true
    return true
  }

  /// Writes on, where that is not libcurl's to do.
  func write() throws {
    // libcurl, too, stops at a reply that does not take the body.
    guard let writer, let reader, let socket, !isWritten, isWritersTurn,
      parser.head.map({ $0.status < 300 }) != false
    else {
      writer?.rest()
      return
    }
    try writer.write(self, to: socket, from: reader)
    if writer.isBroken { giveBack(writer.unwritten) }
    if isWritten { setReuse(true) }
  }

  /// Whether the connection may be kept. Not before all is written: libcurl takes the request for complete, and would
  /// use the connection again after an early reply.
  func setReuse(_ isAllowed: Bool) {
    guard !request.closesConnection else { return }
    _ = hoist_set_long(easy, CURLOPT_FORBID_REUSE, isAllowed ? 0 : 1)
  }

  /// So many of the bytes that were handed over never left.
  private func giveBack(_ count: Int64) {
    writer?.rest()
    given -= count
    try? recordHandedOver(given)
  }
}
