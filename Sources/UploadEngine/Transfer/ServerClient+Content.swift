import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

extension ServerClient {
  /// The most bytes of a file that are read from a server to compare them.
  private static let mostCompared: Int64 = 64 << 20
  private static let slice: Int64 = 4 << 20

  /// Whether a server gives, byte for byte, the content of a file; nil if that cannot be found out.
  func hasContent(
    of file: HeldFile, by call: Call, _ values: Template.Values
  ) async throws(Failure) -> Bool? {
    let size = file.identity.size
    guard size <= Self.mostCompared else { return nil }
    let asked = try request(call, values)
    var offset: Int64 = 0
    while offset < size {
      let range = offset..<min(offset + Self.slice, size)
      var exchange = try await exchange(for: asked, values, mostReply: Int(range.count))
      exchange.headers.append(("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
      exchange.cookies = cookies
      let (end, _) = await UploadSession.shared.end(
        of: exchange, stallTimeout: target.stallTimeout, time: time)
      guard let end, end.trouble == nil, let status = end.head?.status,
        status == 206 || status == 200 && Int64(range.count) == size,
        end.reply.count == range.count
      else { return nil }
      var ours = [UInt8](repeating: 0, count: range.count)
      let isRead = ours.withUnsafeMutableBytes { bytes in
        (try? file.peek(into: bytes, at: range.lowerBound)) == range.count
      }
      guard isRead else { return nil }
      if !end.reply.elementsEqual(ours) { return false }
      offset = range.upperBound
    }
    return true
  }
}
