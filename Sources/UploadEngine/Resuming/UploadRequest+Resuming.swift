import Foundation
import HTTPTransport
import MultipartForm
import ScalarText
import UploadModel

extension UploadRequest {
  /// A request about a resumable upload that carries none of its content. The file need not exist.
  init(
    _ asked: ResumeRequest, of upload: UploadJob, on occasion: Occasion, _ values: Template.Values,
    credentials: RequestHead.Credentials, now: Date
  ) throws(Failure.Cause) {
    let head = try RequestHead(
      asked, of: upload.destination, on: occasion, credentials: credentials, values: values)
    let nothing: FormBody
    do throws(BodyError) { nothing = try FormBody(FormData(parts: [])).slice(0..<0) } catch {
      throw Failure.Cause(error, wasSeen: false)
    }
    try self.init(
      asked, of: upload, on: occasion, head, nothing, piece: Piece(start: 0, size: nil), sent: [],
      now: now)
  }

  /// A request of an upload whose file is sent without a form around all of it. Earlier requests of the upload sent
  /// from the same open file.
  init(
    _ asked: ResumeRequest, of upload: UploadJob, on occasion: Occasion, _ file: HeldFile,
    _ values: Template.Values, credentials: RequestHead.Credentials, sha256: String? = nil,
    now: Date
  ) throws(Failure.Cause) {
    let item = upload.item
    var head = try RequestHead(
      asked, of: upload.destination, on: occasion, credentials: credentials, values: values)
    let content: RequestPlan.Content
    if asked.described?.isForm == true {
      do throws(Fault) {
        content = try Self.plan(
          [upload], on: occasion, at: .target, credentials: credentials, now: values.now
        ).content
      } catch { throw error.cause }
    } else {
      content = .file(RequestPlan.File(item))
    }
    let body: FormBody
    do throws(BodyError) {
      // The body is made even if no content is sent, since this detects a changed file, whose upload must not resume.
      body = try FormBody(
        content, boundary: .random(), of: [item.id: file], in: asked.content ?? 0..<0)
    } catch {
      throw Failure.Cause(error, wasSeen: item.identity != nil)
    }
    if case .form = content {
      head.set("Content-Type", body.contentType)
    } else if asked.described != nil, asked.content != nil, !head.has("Content-Type") {
      head.set("Content-Type", upload.target.sentType(of: item))
    }
    try self.init(
      asked, of: upload, on: occasion, head, body,
      piece: Piece(
        start: asked.content?.lowerBound ?? 0, size: asked.content == nil ? nil : file.identity.size
      ),
      sent: [upload.target.resume.sentFile(item, values)],
      sha256: asked.described?.isForm == true ? nil : sha256, now: now)
  }

  /// A request that carries part of a representation, or asks about it.
  init(
    _ asked: ResumeRequest, of upload: UploadJob, on occasion: Occasion, _ whole: Representation,
    _ values: Template.Values, credentials: RequestHead.Credentials, mayExpect: Bool,
    sha256: String? = nil, now: Date
  ) throws(Failure.Cause) {
    var asked = asked
    var head: RequestHead
    if asked.isTargetsOwn {
      head = whole.plan.head
      asked.method = head.method
      head.add(asked.headers)
      if whole.form == nil {
        head.addName(upload.item.fileName)
      } else {
        head.set("Content-Type", whole.body.contentType)
      }
    } else {
      head = try RequestHead(
        asked, of: upload.destination, on: occasion, credentials: credentials, values: values)
    }
    let range = asked.content ?? 0..<0
    let isEmpty = range.isEmpty && whole.body.contentLength > 0
    try self.init(
      asked, of: upload, on: occasion, head, whole.body.slice(range),
      piece: Piece(
        start: min(max(0, range.lowerBound - whole.lead), upload.item.size),
        size: isEmpty ? nil : upload.item.size),
      sent: whole.plan.sentFiles, asks: asked.isTargetsOwn && mayExpect,
      sha256: whole.form == nil ? sha256 : nil, now: now)
  }

  private init(
    _ asked: ResumeRequest, of upload: UploadJob, on occasion: Occasion, _ head: RequestHead,
    _ body: FormBody, piece: Piece, sent: [SentFile], asks: Bool = false, sha256: String? = nil,
    now: Date
  ) throws(Failure.Cause) {
    let target = upload.target
    (destination, self.occasion) = (upload.destination, occasion)
    (self.body, self.piece) = (body, piece)
    (self.sent, number, endsUpload) = (sent, asked.number, asked.endsUpload)
    expectsContinue = asks && Self.isWorthAsking(body, of: target)
    files = [(upload.item, body.contentRanges.last ?? 0..<0)]
    sources = [RequestPlan.File(upload.item)]
    let content: (any ExchangeBody)? =
      if asked.content != nil {
        UploadBody(form: body)
      } else if let text = asked.described?.text?.written {
        MemoryBody(text.rawBytes)
      } else if asked.method == "POST" || asked.described != nil && asked.method == "PUT" {
        // A request that changes something must state that it has no content (RFC 9110 §8.6).
        MemoryBody([UInt8]())
      } else { nil }
    var exchange = ExchangeRequest(
      url: asked.url, method: asked.method,
      headers: head.headers.map { (name: $0.name, value: $0.value.written) }, body: content)
    exchange.expectsContinue = expectsContinue
    exchange.waitsAfterInterim = asked.isTargetsOwn
    exchange.holdsEnd = asked.holdsEnd
    // A request with content may have taken effect, so the server must be asked before it is repeated. The same applies
    // to requests that the configuration describes.
    exchange.mayRepeat =
      asked.isTargetsOwn
      ? target.isIdempotent(at: asked.url)
      : asked.content == nil && (asked.described == nil || asked.method == "GET")
    try exchange.apply(target, showsCredentials: !asked.staysAway, sha256: sha256, at: now)
    self.exchange = exchange
  }

  /// Where uploads to the target are created.
  static func creation(
    of plan: SendPlan, at url: URL, _ values: Template.Values
  ) throws(Failure.Cause) -> URL {
    try self.url(plan.address(with: values).written, at: url, of: plan.target)
  }
}
