import Dispatch
import HTTPTransport
import MultipartForm
import Scheduling
import UploadModel

extension UploadEngine {
  /// An upload that the engine knows.
  final class Job {
    private(set) var upload: UploadJob
    /// Where the upload is sent, and with whose credentials.
    var route: Route { upload.destination.route }
    var machine = JobMachine()
    /// The attempt under way, until it has ended for this upload.
    var attempt: Attempt?
    var timer: TimeSource.Timer?
    /// When the first attempt began.
    var begin: Instant?
    /// The token that the last request carried.
    var token: BearerToken?
    /// The number of the claim with which the engine asked its owner whether the upload may start, until it starts. An
    /// upload that leaves its lane before the answer does not start.
    var claim: UInt32?
    /// The upload's request, if it was made while the claim was being written.
    var draft: Attempt.Draft?
    /// Whether the upload waits until `update` or `retry` says how to send it.
    var isHeld = false
    /// Whether the upload waits until it is known what another process has done with it.
    var isSetAside = false
    /// The name under which it is sent, if its target checks names.
    @Rare var naming: Naming?
    /// Whether the upload was resent with a newer token.
    var wasAuthorizedAgain = false
    /// The cookies of the upload, if it does not belong to a run, until it is over.
    var cookies: CookieJar {
      if let ownCookies { return ownCookies }
      let jar = CookieJar()
      ownCookies = jar
      return jar
    }
    private var ownCookies: CookieJar?
    /// Where the upload can resume.
    @Rare var resumePoint: ResumePoint?
    /// The most bytes of the upload that the server has had at any time since the user asked for it to be sent.
    var furthest: Int64 = 0
    /// What the clock was last told about the upload; nil if it has ended.
    var phase: SendingClock.Phase?
    /// The offset at which the first attempt began to send; nil if it sent the whole content.
    @Rare var sentFrom: Int64?
    /// The file, if it is sent in several requests, or grows: all requests send the same open file.
    var file: HeldFile?
    /// Whether the file stays open while the upload waits for another attempt.
    var holdsFileOpen = false
    /// Whether its server is being asked if it has finished with the file.
    var isAsked = false
    /// Whether the file has grown since it was queued, or while it was sent.
    private(set) var isGrowing = false
    /// Whether to forget the upload as soon as its transfer ends.
    var isRemoved = false
    /// An upload that was submitted under the same identifier after this one was removed.
    @Rare var successor: UploadJob?

    /// `waitsForServers` says whether the upload waits for its server, however long that takes.
    init(_ upload: UploadJob, waitsForServers: Bool) {
      self.upload = upload
      resumePoint = upload.item.resumePoint
      machine = JobMachine(
        mayHaveLeftRemnant: upload.item.wasInterrupted || upload.item.record.mayHaveLeftRemnant)
      if case .processing(let processing) = upload.item.state { machine = JobMachine(processing) }
      machine.waitsForServers = waitsForServers
    }

    var id: ItemID { upload.item.id }

    /// Changes how the upload is sent.
    func update(_ upload: UploadJob) {
      self.upload = upload
      (isHeld, isSetAside) = (false, false)
    }

    /// Has the next attempt go by a plan that has replaced the upload's.
    func replacePlan(with plan: SendPlan) {
      upload = UploadJob(item: upload.item, destination: plan)
      wasAuthorizedAgain = false
    }

    /// Resets the upload's history because the user wants it sent again.
    func renew(_ upload: UploadJob) {
      update(upload)
      (begin, token, wasAuthorizedAgain, furthest) = (nil, nil, false, 0)
      isGrowing = false
      forgetCookies()
      resumePoint = upload.item.resumePoint ?? resumePoint
    }

    /// Forgets the cookies of an upload that is over: with what libcurl needs to keep them, they take more room than
    /// all the rest of the job.
    func forgetCookies() { ownCookies = nil }

    /// Opens a file that is known to grow, to send what it has now. Returns whether it did.
    func openGrowing() -> Bool {
      guard isGrowing, file == nil, resumePoint == nil,
        let opened = try? HeldFile(upload.item.location, mayGrow: true)
      else { return false }
      file = opened
      (upload.item.identity, upload.item.size) = (opened.identity, opened.identity.size)
      (upload.item.digests, upload.item.digestMoment) = (nil, nil)
      return true
    }

    /// The open file at a location, if it grows.
    func growingFile(at location: FileLocation) -> HeldFile? {
      isGrowing && file?.location == location ? file : nil
    }

    /// Whether an attempt has failed for the first time because its file has grown. It does not count then, and the
    /// next one sends the file as one that grows. Events are large, so they are not copied for this.
    func beginsToGrow(in event: JobMachine.Event) -> Bool {
      guard event.failure?.cause == .changed(.grew), !isGrowing else { return false }
      isGrowing = true
      file = nil
      return true
    }

    func keep(_ digests: ContentDigests, of moment: FileMoment? = nil) {
      upload.item.digests = digests
      upload.item.digestMoment = moment
    }

    /// The upload as the scheduler sees it.
    var entry: Scheduler.File { upload.entry(after: machine.attempts) }

    /// Whether the server has accepted the upload, but has not finished processing it.
    var isProcessed: Bool { if case .processing = machine.state { true } else { false } }

    /// The attempt under way.
    var current: JobMachine.CurrentAttempt? {
      if case .attempting(let current) = machine.state { current } else { nil }
    }

    var isUnderWay: Bool { current != nil }

    /// How many of the content's bytes all attempts have brought to the server, without those of other processes.
    func bytesSent(_ receipt: Receipt) -> Int64 {
      // Only the server's answer was left to wait for.
      if case .processing(let before) = upload.item.state,
        receipt.attempts == before.receipt.attempts
      {
        return 0
      }
      guard let sentFrom, !receipt.wasThere else { return receipt.bytes }
      return max(receipt.bytes, (receipt.sent?.size ?? upload.item.size) - sentFrom)
    }

    /// Whether the user has stopped the attempt under way.
    var isStopped: Bool { current?.stop != nil }

    /// Whether the upload was cancelled, paused or removed while its attempt was under way.
    var isTakenBack: Bool { !isUnderWay || isStopped }

  }
}

/// The file of an upload that can resume.
extension UploadEngine.Job {
  /// The upload with the current identity and size of its file. If the upload has begun and its file has changed since,
  /// that is reported, and the upload starts over. If the upload has not begun, the file must be unchanged since it was
  /// queued.
  func withPresentFile(_ upload: UploadJob) throws(Failure.Cause) -> (UploadJob, HeldFile) {
    let point = resumePoint.flatMap { $0.target == upload.target.name ? $0 : nil }
    // The file held open since the last attempt, or opened now.
    let file =
      if let file, file.location == upload.item.location, file.isCurrent { file } else {
        try upload.item.opened(after: point)
      }
    self.file = file
    guard point != nil else { return (upload, file) }
    var upload = upload
    if upload.item.identity != file.identity { upload.item.digests = nil }
    (upload.item.identity, upload.item.size) = (file.identity, file.identity.size)
    if let refusal = upload.target.limits.refusal(of: upload.item) { throw refusal }
    update(upload)
    return (upload, file)
  }

  /// How to tell that the part of the file that was already sent is unchanged.
  func proof(of file: HeldFile) throws(Failure.Cause) -> HeldFile.Proof {
    // A different file means a different upload, which the machine itself notices.
    guard let point = resumePoint, point.identity == file.identity else { return .same }
    guard point.moment != nil else { return .none }
    do throws(FileError) { return try file.proof(of: point.taken) } catch {
      throw Failure.Cause(error, wasSeen: true)
    }
  }
}

extension UploadJob {
  /// The upload as the scheduler sees it, after this many attempts.
  func entry(after attempts: Int = 0) -> Scheduler.File {
    Scheduler.File(
      id: item.id, bytes: item.size, field: item.field, plan: destination, attempts: attempts)
  }
}

extension UploadItem {
  /// The file, held open. Unless its upload has begun, the file must be unchanged since it was queued.
  func opened(after point: ResumePoint? = nil) throws(Failure.Cause) -> HeldFile {
    do throws(FileError) {
      return try HeldFile(
        location, expecting: point == nil ? identity : nil, resuming: point?.moment, mayGrow: true)
    } catch {
      throw Failure.Cause(error, wasSeen: identity != nil)
    }
  }
}
