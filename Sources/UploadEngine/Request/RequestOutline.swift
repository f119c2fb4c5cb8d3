import Foundation
import Resuming
import UploadModel

/// A request as it would be sent, made from the current files. Nothing is sent, and secrets are shown as `$NAME`.
package struct RequestOutline: Hashable, Sendable {
  /// Method, address and header fields, without secrets.
  package struct Head: Hashable, Sendable {
    package var method: String
    /// The URL; nil if only a ticket determines it.
    package var url: String?
    /// The header fields that hoist writes, sorted by name.
    package var headers: [Header]
    /// The body, if it is text from the configuration.
    package var body: String?

    init(_ head: RequestHead, of target: Target, more: [Header] = []) {
      method = head.method
      url = head.address?.shown
      var own = head.headers
      if let keys = target.sigV4, let address = head.address?.written,
        Origin(text: address) == target.origin
      {
        own += keys.shownHeaders
      }
      headers = own.map { Header(name: $0.name, value: $0.value.shown) } + more
      headers.sort { $0.name < $1.name }
    }

    /// A request that the configuration describes, with the values for the call and for the target's header fields; nil
    /// if there is no such call.
    init?(
      _ call: Call?, of plan: SendPlan, call own: Template.Values,
      target values: Template.Values, accept: String = "*/*"
    ) throws(Failure.Cause) {
      guard let call else { return nil }
      let request = try ResumeRequest(call, of: plan.target, own)
      self.init(try request.shownHead(of: plan, values, accept: accept), of: plan.target)
      body = request.described?.text?.shown
    }

    /// A small request to a server, whose reply hoist reads.
    init?(
      _ call: Call?, of plan: SendPlan, _ values: Template.Values
    ) throws(Failure.Cause) {
      try self.init(
        call, of: plan, call: values, target: values, accept: RequestHead.json)
    }
  }

  /// A header field, without secrets in its value.
  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  /// A part of the form.
  package struct Part: Hashable, Sendable {
    /// The form field.
    package var name: String
    /// The file name that is sent; nil for a part that is not a file.
    package var fileName: String?
    /// The media type; nil if none is sent.
    package var type: String?
    /// The size of the content in bytes.
    package var bytes: Int64
  }

  /// The request that asks whether the server already has the file; nil if the server is not asked.
  package var existence: Head?
  /// The requests that make the folders on the way, sent only if the server lacks them.
  package var folders: [Head] = []
  /// The request, sent afterwards, that asks whether the server has finished processing the file; nil if the server is
  /// not asked.
  package var wait: Head?
  /// The request for a ticket, sent first; nil if the target needs no ticket.
  package var ticket: Head?
  /// The request that asks whether the name is taken; nil if no request of its own does.
  package var nameCheck: Head?
  /// The request before another attempt that removes a remnant; nil if there is none.
  package var removal: Head?
  package var head: Head
  /// The parts of the form; empty if the body is the bare file. A ticket may add more.
  package var parts: [Part]
  /// The length of the body in bytes.
  package var length: Int64
  /// The requests before and after this one if the file is sent in pieces; nil if it is sent whole.
  package var pieces: Pieces?

  /// The other requests of an upload in pieces. The outlined request itself carries the first piece.
  package struct Pieces: Hashable, Sendable {
    /// The size in bytes of each piece but the last.
    package var size: Int64
    /// The number of pieces.
    package var count: Int
    /// The most pieces that are sent at once.
    package var parallel: Int
    /// The request that begins the upload, if the target has one.
    package var begin: Head?
    /// The request before each piece, if the target has one.
    package var ticket: Head?
    /// The request that finishes the upload, if the target has one.
    package var finish: Head?
  }

  /// The request for uploads that are sent together, or why some of them cannot be sent.
  package static func of(
    _ uploads: [UploadJob], now: Date
  ) -> (preview: RequestOutline?, faults: [(item: ItemID, cause: Failure.Cause)]) {
    guard let first = uploads.first else { return (nil, []) }
    let target = first.target
    let occasion = Occasion.shown(of: target)
    var outline: RequestOutline?
    var faults: [(item: ItemID, cause: Failure.Cause)] = []
    do throws(Failure.Cause) {
      if target.resume.createsFirst {
        outline = try RequestOutline(beginning: first, on: occasion, now: now)
      } else if let rules = target.resume.pieces, rules.holds(for: first.item.size) {
        outline = try RequestOutline(rules, first, on: occasion, now: now)
      } else {
        let (made, found) = UploadRequest.makeFirst(of: uploads) {
          jobs throws(UploadRequest.Fault) in try RequestOutline(jobs, on: occasion, now: now)
        }
        faults = found.flatMap { fault in fault.items.map { ($0, fault.cause) } }
        guard made != nil else { return (nil, faults) }
        outline = made
      }
      var values = Preparation.values(for: first, on: occasion, now: now)
      outline?.existence = try Head(
        target.exists?.call, of: first.destination, target.exists?.values(of: [values]) ?? values)
      if target.checksNames {
        let call: Call? =
          switch target.nameCheck {
          case .address: target.look("HEAD")
          case .list: target.server.list?.call
          case .exists, .reply, nil: nil
          }
        outline?.nameCheck = try Head(call, of: first.destination, values)
      }
      outline?.folders = try ResumeRequest.folders(of: first.destination, values).map {
        request throws(Failure.Cause) in
        Head(try request.shownHead(of: first.destination, values), of: target)
      }
      values.gaps = .ofReplies
      outline?.removal = try Head(target.beforeRetry, of: first.destination, values)
      var asked = target.wait?.call
      // A reply names only addresses on the target's own server.
      if target.wait?.place != nil {
        asked?.address = .own(Template(literal: target.url.absoluteString))
      }
      outline?.wait = try Head(asked, of: first.destination, values)
      if let place = target.wait?.place { outline?.wait?.url = "the \(place.words) of the reply" }
    } catch {
      return (nil, faults + [(first.item.id, error)])
    }
    return (outline, faults)
  }

  /// The requests before the first file of a run and after its last.
  package struct Run: Hashable, Sendable {
    /// The request before the first file, if the target has one.
    package let open: Head?
    /// The request after the last file, if the target has one.
    package let close: Head?

    package init(of plan: SendPlan, now: Date) throws(Failure.Cause) {
      let rules = plan.target.run
      open = try Head(rules.open, of: plan, Occasion.shown(isInRun: false).values(now: now))
      close = try Head(rules.close?.call, of: plan, Occasion.shown().values(now: now))
    }
  }

  /// The request that begins a resumable upload. The reply determines where the file is sent.
  private init(
    beginning upload: UploadJob, on occasion: Occasion, now: Date
  ) throws(Failure.Cause) {
    let target = upload.target
    let values = Preparation.values(for: upload, on: occasion, now: now)
    let request = TusMachine.creation(
      at: try UploadRequest.creation(of: upload.destination, at: target.url, values),
      size: try upload.item.opened().identity.size,
      metadata: target.resume.metadataHeader(with: values))
    let plan = try RequestHead(
      request, of: upload.destination, credentials: .all(token: target.tokenPlaceholder),
      values: values)
    head = Head(plan, of: target, more: [Header(name: "Content-Length", value: "0")])
    head.url = upload.destination.address(with: values).shown
    (parts, length) = ([], 0)
  }

  /// The requests that send a file in pieces.
  private init(
    _ rules: PieceRules, _ upload: UploadJob, on occasion: Occasion, now: Date
  ) throws(Failure.Cause) {
    let (target, file) = (upload.target, try upload.item.opened())
    let values = Preparation.values(for: upload, on: occasion, now: now)
    let (digests, whole) = (rules.digests, file.identity.size)
    let size = try rules.size(for: whole)
    let (count, range) = (PieceRules.count(of: size, for: whole), 0..<min(size, whole))
    let (call, shown) = rules.preview(
      of: whole, in: size,
      digests: digests.isEmpty ? nil : FileDigest.digests(digests, of: file, in: range), values)
    pieces = Pieces(
      size: size, count: count, parallel: min(rules.mostAtOnce, target.concurrency.most, count),
      begin: try Head(rules.begin, of: upload.destination, call: shown, target: values),
      ticket: try Head(rules.ticket, of: upload.destination, call: shown, target: values),
      finish: try Head(rules.finish, of: upload.destination, call: shown, target: values))
    var piece = try ResumeRequest(call, of: target, shown)
    piece.content = range
    piece.described?.isForm = call.body == .multipart
    // An outline is only shown, so nothing is signed.
    var unsigned = piece
    unsigned.staysAway = true
    let made = try UploadRequest(
      unsigned, of: upload, on: occasion, file, values, credentials: .none, now: now)
    length = made.body.contentLength
    let first = try piece.shownHead(of: upload.destination, values)
    var more = [Header(name: "Content-Length", value: "\(length)")]
    if !first.has("Content-Type") {
      more += made.exchange.headers.filter { $0.name == "Content-Type" }.map(Header.init)
    }
    head = Head(first, of: target, more: more)
    parts = []
  }

  private init(
    _ jobs: [UploadJob], on occasion: Occasion, now: Date
  ) throws(UploadRequest.Fault) {
    let target = jobs[0].target
    let all = RequestHead.Credentials.all(token: target.tokenPlaceholder)
    // A ticket may lead anywhere, and another origin gets no credentials.
    let plan = try UploadRequest.plan(
      jobs, on: occasion, at: target.ticket == nil ? .target : .ticket,
      credentials: target.ticket == nil ? all : .none, now: now)
    let request = try UploadRequest(
      plan, jobs, on: occasion, to: target.url, mayExpect: true, hidesCredentials: true, now: now)
    do throws(Failure.Cause) {
      ticket = try Head(
        target.ticket?.call, of: jobs[0].destination,
        Preparation.values(for: jobs[0], on: occasion, now: now))
    } catch {
      throw UploadRequest.Fault(cause: error, items: jobs.map(\.item.id))
    }
    length = request.body.contentLength
    var more = [Header(name: "Content-Length", value: "\(length)")]
    if request.expectsContinue { more.append(Header(name: "Expect", value: "100-continue")) }
    if case .form = plan.content {
      more.append(Header(name: "Content-Type", value: request.body.contentType))
    }
    if target.resume.holds(for: jobs[0].item.size) {
      let creation = HTTPResumeMachine.creation(at: target.url, length: length, isWhole: true)
      more += creation.headers.map { Header(name: $0.name, value: $0.value.shown) }
    }
    head = Head(plan.head, of: target, more: more)
    parts = zip(plan.parts, request.body.contentRanges).map { part, range in
      Part(
        name: part.name, fileName: part.file?.name, type: part.type,
        bytes: range.upperBound - range.lowerBound)
    }
  }
}
