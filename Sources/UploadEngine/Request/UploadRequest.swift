import Foundation
import HTTPTransport
import MultipartForm
import ScalarText
import UploadModel

/// The request that carries one or more uploads, with its body made from the current files.
struct UploadRequest {
  let destination: SendPlan
  var target: Target { _read { yield destination.target } }
  /// What its run and its ticket add.
  let occasion: Occasion
  /// The request that the transport is given.
  let exchange: ExchangeRequest
  let body: FormBody
  /// The files in the request, and the range of each one's bytes in the body.
  let files: [(item: UploadItem, content: Range<Int64>)]
  /// The files as the request describes them to the server; empty if it does not describe them.
  let sent: [SentFile]
  /// The files that the body is made of: those of the items, and those that go with them.
  let sources: [RequestPlan.File]
  /// Whether the server is asked before the body is sent.
  let expectsContinue: Bool
  /// The position of the body in its file, if the body is a piece of a file.
  var piece: Piece?
  /// The request's number, which distinguishes it from its upload's other requests under way.
  var number = 0
  /// Whether it is the last request of an upload in pieces, whose reply may take long.
  var endsUpload = false

  /// A part of a file that is sent on its own.
  struct Piece {
    /// The offset of its first byte in the file.
    let start: Int64
    /// The size of the whole file; nil if the request carries none of its bytes.
    let size: Int64?
  }

  /// Like curl, hoist sends `Expect: 100-continue` with bodies of more than this many bytes.
  private static let expectThreshold: Int64 = 1 << 20

  /// Why a request cannot be made, and which of its files are at fault: all of them if no single file is.
  struct Fault: Error {
    let cause: Failure.Cause
    let items: [ItemID]
  }

  /// The request for the uploads that can be sent, and why the others cannot. All have the same target. `files` are
  /// those that are open already. The URL is the target's own, or where a ticket or a redirect leads.
  static func make(
    _ jobs: [UploadJob], on occasion: Occasion = Occasion(), from files: [ItemID: HeldFile] = [:],
    to url: URL, token: BearerToken?, hidesCredentials: Bool, mayExpect: Bool, now: Date
  ) -> (UploadRequest?, [Fault]) {
    let credentials: RequestHead.Credentials = hidesCredentials ? .none : .all(token: token?.secret)
    return makeFirst(of: jobs) { jobs throws(Fault) in
      let plan = try plan(
        jobs, on: occasion, at: url == jobs[0].destination.url ? .target : .other(url),
        credentials: credentials, now: now)
      return try UploadRequest(
        plan, jobs, on: occasion, from: files, to: url, mayExpect: mayExpect,
        hidesCredentials: hidesCredentials,
        now: now)
    }
  }

  /// The result of `make` for the uploads, leaving out those that it finds at fault.
  static func makeFirst<Made>(
    of jobs: [UploadJob], _ make: ([UploadJob]) throws(Fault) -> Made
  ) -> (Made?, [Fault]) {
    var (jobs, faults) = (jobs, [Fault]())
    while !jobs.isEmpty {
      do throws(Fault) { return (try make(jobs), faults) } catch {
        faults.append(error)
        jobs.removeAll { error.items.contains($0.item.id) }
      }
    }
    return (nil, faults)
  }

  /// The plan for uploads that are sent together.
  static func plan(
    _ jobs: [UploadJob], on occasion: Occasion, at destination: RequestPlan.Destination,
    credentials: RequestHead.Credentials, now: Date
  ) throws(Fault) -> RequestPlan {
    let first = jobs[0]
    let target = first.target
    if let same = target.sameName(in: jobs.map(\.item), on: occasion, now: now) {
      throw Fault(cause: same.cause, items: [same.item.id])
    }
    let companions = try companions(of: jobs)
    let key = RequestKey.of(jobs.map { $0.item.uuid }) ?? first.item.uuid
    do throws(Failure.Cause) {
      return try RequestPlan(
        jobs.map(\.item), with: companions, to: first.destination, on: occasion, at: destination,
        credentials: credentials,
        target.values(of: first.item, on: occasion, now: now, uuid: key))
    } catch {
      throw Fault(cause: error, items: jobs.map(\.item.id))
    }
  }

  /// The current companions of each upload, which are sent with it.
  static func companions(of jobs: [UploadJob]) throws(Fault) -> [ItemID: [Companion]] {
    var companions: [ItemID: [Companion]] = Dictionary()
    for job in jobs where !job.target.companions.isEmpty {
      do throws(FileError) {
        companions[job.item.id] = try job.target.companions.companions(
          of: job.item.location, CompanionSight.init(at:))
      } catch {
        throw Fault(cause: Companion.cause(of: error), items: [job.item.id])
      }
    }
    return companions
  }

  /// The request that a plan for these uploads describes.
  init(
    _ plan: RequestPlan, _ jobs: [UploadJob], on occasion: Occasion,
    from open: [ItemID: HeldFile] = [:], to url: URL, mayExpect: Bool, hidesCredentials: Bool,
    now: Date
  ) throws(Fault) {
    destination = jobs[0].destination
    self.occasion = occasion
    let target = destination.target
    var pool = PooledRandomNumberGenerator()
    do {
      let body = try FormBody(plan.content, boundary: .random(using: &pool), of: open)
      self.body = target.after.way == nil ? body : body.recorded()
    } catch {
      throw Self.fault(error, plan, jobs)
    }
    files = zip(jobs, body.contentRanges.suffix(jobs.count)).map { ($0.item, $1) }
    (sent, sources) = (plan.sentFiles, plan.files)
    var headers = plan.head.headers.map { (name: $0.name, value: $0.value.written) }
    var sha256: String?
    switch plan.content {
    case .form: headers.append(("Content-Type", body.contentType))
    case .file: sha256 = jobs[0].item.digests?[.sha256]
    }
    expectsContinue = mayExpect && Self.isWorthAsking(body, of: target)
    do throws(Failure.Cause) {
      var exchange = ExchangeRequest(
        url: try Self.url(plan.head.address?.written, at: url, of: target),
        method: plan.head.method, headers: headers, body: UploadBody(form: body))
      exchange.expectsContinue = expectsContinue
      // The repetition would find what the first one has left.
      exchange.mayRepeat = target.isIdempotent(at: url) && !occasion.keepsOthers
      try exchange.apply(target, showsCredentials: !hidesCredentials, sha256: sha256, at: now)
      self.exchange = exchange
    } catch {
      throw Fault(cause: error, items: jobs.map(\.item.id))
    }
  }

  /// Whether to ask the server before the body is sent.
  static func isWorthAsking(_ body: FormBody, of target: Target) -> Bool {
    // Over HTTP/2, servers such as nginx leave the question unanswered, and a reply can come at any time anyway.
    target.http != .http2 && body.contentLength > expectThreshold
  }

  /// The fault, with the uploads that keep the body from being made.
  private static func fault(_ error: BodyError, _ plan: RequestPlan, _ jobs: [UploadJob]) -> Fault {
    var culprits = jobs
    switch error {
    case .file(let error):
      let files = plan.files.filter { $0.location == error.file }
      guard let file = files.first else { break }
      return Fault(
        cause: file.cause(of: error, wasSeen: file.identity != nil),
        items: files.filter { $0.isCompanion == file.isCompanion }.map(\.owner))
    case .form(let error):
      let part = error.part.flatMap { plan.parts.indices.contains($0) ? plan.parts[$0] : nil }
      if let file = part?.file { culprits = jobs.filter { $0.item.id == file.owner } }
    }
    return Fault(
      cause: Failure.Cause(error, wasSeen: culprits.first?.item.identity != nil),
      items: culprits.map(\.item.id))
  }

  /// The complete URL of a request to `url`: the target's own address can have placeholders and a query. `written` is
  /// that address with its placeholders filled in.
  static func url(_ written: String?, at url: URL, of target: Target) throws(Failure.Cause) -> URL {
    guard url == target.url, target.address != nil || !target.query.isEmpty, let text = written
    else { return url }
    // The values are percent-encoded, but dots could still lead elsewhere.
    guard let whole = URL(written: text), Origin(whole) == target.origin,
      target.address == nil
        || !whole.pathComponents.contains(where: { $0 == ".." || $0 == "." })
    else {
      throw .unsendable("with its placeholders filled in, the URL is invalid or leads elsewhere")
    }
    return whole
  }
}

extension FormBody {
  /// The form, or the bare file. `files` are those that are open already. If the file is sent in several requests,
  /// `range` says which bytes to send; nil for all.
  init(
    _ content: RequestPlan.Content, boundary: Boundary, of files: [ItemID: HeldFile],
    in range: Range<Int64>? = nil
  ) throws(BodyError) {
    switch content {
    case .form(let parts):
      try self.init(
        FormData(parts: parts.map { FormPart($0, of: files, in: range) }, boundary: boundary))
    case .file(let file):
      if let held = files[file.owner] {
        let whole = try FormBody(rawFile: held, contentType: file.type)
        self = range.map(whole.slice) ?? whole
        return
      }
      try self.init(rawFile: file.location, contentType: file.type, expecting: file.identity)
    }
  }
}

extension FormPart {
  fileprivate init(
    _ part: RequestPlan.Part, of files: [ItemID: HeldFile], in range: Range<Int64>?
  ) {
    let name = part.name.rawBytes
    switch part.value {
    case .text(let text, let type):
      self = .text(nameBytes: name, valueBytes: text.written.rawBytes, contentType: type)
    case .file(let file):
      let held = file.isCompanion ? nil : files[file.owner]
      self =
        if let held {
          .file(
            nameBytes: name, held: held, range: range, fileNameBytes: file.name.rawBytes,
            contentType: file.type)
        } else {
          .file(
            nameBytes: name, at: file.location, fileNameBytes: file.name.rawBytes,
            contentType: file.type, expecting: file.identity)
        }
    }
  }
}
