import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

extension UploadRequest {
  /// One request of an upload that can go on.
  ///
  /// - Parameters:
  ///   - asked: what the protocol wants.
  ///   - size: the size of the file; nil where the request is not about its content, and the file need not be
  ///     there.
  init(
    _ asked: ResumeRequest, of upload: UploadJob, size: Int64?, _ values: Template.Values,
    credentials: RequestHead.Credentials
  ) throws(Failure.Cause) {
    let item = upload.item
    target = upload.target
    expectsContinue = false
    let head = try RequestHead(asked, of: target, credentials: credentials, values: values)
    do throws(BodyError) {
      // Also where nothing of it goes along: what has changed is not to be gone on with.
      body =
        size == nil
        ? try FormBody(Form(parts: []))
        : try FormBody(
          rawFile: item.location, range: asked.content ?? 0..<0, expecting: item.identity)
    } catch {
      throw Failure.Cause(error, wasSeen: item.identity != nil)
    }
    files = [(item, size == nil ? 0..<0 : body.contentRanges[0])]
    let content: (any ExchangeBody)? =
      if asked.content != nil { UploadBody(form: body) } else if asked.method == "POST" {
        // What changes something says that it has no content (RFC 9110 §8.6).
        MemoryBody(Data())
      } else { nil }
    var exchange = ExchangeRequest(
      url: asked.url, method: head.method,
      headers: head.headers.map { (name: $0.name, value: $0.value.written) }, body: content)
    // What went with content may have moved the server on, and is to be asked about first.
    exchange.mayRepeat = asked.content == nil
    try exchange.obey(target)
    self.exchange = exchange
    piece = Piece(start: asked.content?.lowerBound ?? 0, size: asked.content == nil ? nil : size)
  }

  /// Where the target's uploads are made.
  static func creation(
    of target: Target, at url: URL, _ values: Template.Values
  ) throws(Failure.Cause) -> URL {
    try self.url(target.addressStretches(with: values).written, at: url, of: target)
  }
}
