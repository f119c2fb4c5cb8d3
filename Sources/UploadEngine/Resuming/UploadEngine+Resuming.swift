import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

/// Uploads that go on where they were broken off: an attempt is a conversation of several requests, which
/// `TusMachine` leads. It lasts until the file is there or the line is not.
extension UploadEngine {
  /// Is told on the engine's queue where an upload can go on, before another byte of it leaves; nil where
  /// it cannot any more.
  public typealias Keeping = @Sendable (_ item: ItemID, _ point: ResumePoint?) -> Void

  /// A conversation under way.
  struct Conversation {
    var machine: TusMachine
    let attempt: Int
    let creation: URL
    /// Whether the requests may carry the target's credentials as far as it depends on redirects.
    let keepsCredentials: Bool
    let start: Instant
    /// What the person and the target say of the file, for the header fields.
    let values: Template.Values
  }

  /// Begins an attempt.
  func converse(
    about upload: UploadJob, at url: URL, attempt: Int, keepsCredentials: Bool
  ) {
    let (item, target) = (upload.item, upload.target)
    guard let job = jobs[item.id] else { return }
    let values = Preparation.values(for: upload, now: time.date())
    do throws(Failure.Cause) {
      let identity = try item.presentIdentity()
      let creation = try UploadRequest.creation(of: target, at: url, values)
      let conversation = Conversation(
        machine: TusMachine(
          target: target, identity: identity, creation: creation,
          metadata: target.resume.metadataHeader(with: values), point: job.resumePoint,
          server: tusServers[creation]),
        attempt: attempt, creation: creation, keepsCredentials: keepsCredentials,
        start: time.now(), values: values)
      job.conversation = conversation
      goOn(item.id) { $0.start(now: time.date()) }
    } catch {
      leaveOut([item.id], error, url)
    }
  }

  /// Takes in the end of one of a conversation's requests.
  func goOn(_ id: ItemID, after end: TransferEnd, of transfer: Transfer) {
    goOn(id, transfer) { $0.handle(end, now: time.date()) }
  }

  private func goOn(
    _ id: ItemID, _ transfer: Transfer? = nil,
    _ body: (inout TusMachine) -> [TusMachine.Action]
  ) {
    guard let job = jobs[id], var conversation = job.conversation else { return }
    let actions = body(&conversation.machine)
    job.conversation = conversation
    for action in actions {
      switch action {
      case .send(let request): send(request, of: id, conversation)
      case .keep(let point):
        job.resumePoint = point
        keeping(id, point)
      case .forget:
        job.resumePoint = nil
        keeping(id, nil)
      case .learn(let server): tusServers[conversation.creation] = server
      case .end(let end): conclude(conversation, end, of: id, transfer)
      }
    }
  }

  private func send(_ request: ResumeRequest, of id: ItemID, _ conversation: Conversation) {
    guard let job = jobs[id] else { return }
    let item = job.upload.item
    if let content = request.content, content.lowerBound > 0 {
      tell([
        (
          id,
          .sending(
            attempt: conversation.attempt, sent: content.lowerBound,
            total: conversation.machine.size)
        )
      ])
    }
    // The person may have taken it back between two requests.
    if case .running(let run) = job.machine.state, run.stop != nil {
      return broken(.cancelled, id, conversation, request.url)
    }
    guard let algorithm = request.checksum, let content = request.content else {
      return send(request, sum: nil, of: id, conversation)
    }
    step(for: [id]) { engine, number in
      let sum = FileDigest.sum(algorithm, of: item.location, in: content)
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        engine.send(request, sum: sum, of: id, conversation)
      }
    }
  }

  private func send(
    _ request: ResumeRequest, sum: [UInt8]?, of id: ItemID, _ conversation: Conversation
  ) {
    guard let job = jobs[id], let home = job.route.origin else { return }
    if case .running(let run) = job.machine.state, run.stop != nil {
      return broken(.cancelled, id, conversation, request.url)
    }
    let origin = Origin(request.url)
    guard let authorization = authorization(of: [id], to: origin) else { return }
    let mayShowThem = conversation.keepsCredentials && origin == home
    var asked = request
    if let sum, let algorithm = request.checksum {
      asked.addChecksum(algorithm, sum)
    }
    do throws(Failure.Cause) {
      let made = try UploadRequest(
        asked, of: job.upload, size: conversation.machine.size, conversation.values,
        credentials: mayShowThem ? .all(token: authorization.token?.secret) : .none)
      begin(
        made, to: request.url, attempt: conversation.attempt, authorization: authorization)
    } catch {
      broken(error, id, conversation, request.url)
    }
  }

  /// Ends an attempt that could not go on.
  private func broken(
    _ cause: Failure.Cause, _ id: ItemID, _ conversation: Conversation, _ url: URL
  ) {
    var end = TransferEnd(url: url, trouble: cause, sentAll: false)
    end.hasAdvanced = conversation.machine.hasAdvanced
    conclude(conversation, end, of: id, nil)
  }

  private func conclude(
    _ conversation: Conversation, _ end: TransferEnd, of id: ItemID, _ transfer: Transfer?
  ) {
    guard let job = jobs[id] else { return }
    job.conversation = nil
    var end = end
    end.seconds = time.now() - conversation.start
    // Told with the reply, for as long as the row is looked at.
    let files = [BatchEnd.File(id: id, bytes: end.bytes, cause: transfer?.files.first?.cause)]
    let (target, attempt, judged) = (job.upload.target, conversation.attempt, end)
    guard let transfer,
      makesRecords(
        of: transfer, end,
        then: { engine, failures in
          engine.conclude(judged, of: files, attempt, to: target, withoutRecord: failures)
        })
    else { return conclude(end, of: files, attempt, to: target) }
  }

  // MARK: Taking back

  /// Has servers forget what they have of uploads that nobody wants any more. What is under way is broken off
  /// by whoever removes it.
  public nonisolated func terminate(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        guard upload.target.resume.isOn else { continue }
        let job = engine.jobs[upload.item.id]
        guard let point = job?.resumePoint ?? upload.item.resumePoint,
          point.target == upload.target.name
        else { continue }
        job?.resumePoint = nil
        engine.terminate(point, of: upload)
      }
    }
  }

  private func terminate(_ point: ResumePoint, of upload: UploadJob) {
    let target = upload.target
    let isHome = Origin(point.url) == Origin(target.url)
    guard isHome || Origin(point.url).map(target.redirectOrigins.contains) == true,
      let request = try? UploadRequest(
        TusMachine.termination(of: point.url), of: upload, size: nil,
        Preparation.values(for: upload, now: time.date()),
        credentials: isHome ? .all(token: tokens[Route(to: target)]?.secret) : .none)
    else { return }
    let (transport, exchange, timeout) = (transport, request.exchange, target.stallTimeout)
    // Whatever becomes of it, the server's own expiry does the same later.
    Task.detached { _ = await transport.end(of: exchange, stallTimeout: timeout) }
  }
}

extension UploadItem {
  /// The file as it is now, which has to be as it was when it was queued.
  func presentIdentity() throws(Failure.Cause) -> FileIdentity {
    do throws(BodyError) {
      // Says in which way it is another one now.
      _ = try FormBody(rawFile: location, range: 0..<0, expecting: identity)
      do throws(FileError) { return try FileIdentity.of(location) } catch { throw .file(error) }
    } catch {
      throw Failure.Cause(error, wasSeen: identity != nil)
    }
  }
}
