import Dispatch
import HTTPTransport
import MultipartForm
import UploadModel

extension UploadEngine {
  /// An upload that the engine knows.
  final class Job {
    private(set) var upload: UploadJob
    /// Where the upload is sent, and with whose credentials.
    private(set) var route: Route
    var machine = JobMachine()
    /// The requests and steps under way: several if the upload is sent in pieces.
    var tasks: Set<Int> = []
    var timer: TimeSource.Timer?
    /// When the first attempt began.
    var begin: Instant?
    /// The token that the last request carried.
    var token: BearerToken?
    /// Whether the upload waits until `update` or `retry` says how to send it.
    var isHeld = false
    /// Whether the upload was resent with a newer token.
    var wasAuthorizedAgain = false
    /// The requests of the current attempt, if it takes several.
    @Rare var conversation: Conversation?
    /// The cookies of the upload, if it does not belong to a run.
    lazy var cookies = CookieJar()
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
    /// Whether the file has grown since it was queued, or while it was sent.
    private var isGrowing = false
    /// Whether to forget the upload as soon as its transfer ends.
    var isRemoved = false
    /// An upload that was submitted under the same identifier after this one was removed.
    @Rare var successor: UploadJob?

    /// `waitsForServers` says whether the upload waits for its server, however long that takes.
    init(_ upload: UploadJob, waitsForServers: Bool) {
      self.upload = upload
      route = Route(to: upload.target)
      resumePoint = upload.item.resumePoint
      if case .processing(let processing) = upload.item.state { machine = JobMachine(processing) }
      machine.waitsForServers = waitsForServers
    }

    /// Changes how the upload is sent.
    func update(_ upload: UploadJob) {
      self.upload = upload
      route = Route(to: upload.target)
      isHeld = false
    }

    /// Resets the upload's history because the user wants it sent again.
    func renew(_ upload: UploadJob) {
      update(upload)
      (begin, token, wasAuthorizedAgain, furthest) = (nil, nil, false, 0)
      isGrowing = false
      cookies = CookieJar()
      resumePoint = upload.item.resumePoint ?? resumePoint
    }

    /// Opens a file that is known to grow, to send what it has now.
    func openGrowing() {
      guard isGrowing, file == nil, resumePoint == nil,
        let opened = try? HeldFile(upload.item.location, mayGrow: true)
      else { return }
      file = opened
      (upload.item.identity, upload.item.size) = (opened.identity, opened.identity.size)
      (upload.item.digests, upload.item.digestMoment) = (nil, nil)
    }

    /// The open file at a location, if it grows.
    func growingFile(at location: FileLocation) -> HeldFile? {
      isGrowing && file?.location == location ? file : nil
    }

    /// Whether an attempt has failed for the first time because its file has grown. It does not count then, and the next
    /// one sends the file as one that grows. Events are large, so they are not copied for this.
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
    var entry: Scheduler.File {
      let item = upload.item
      return Scheduler.File(
        id: item.id, bytes: item.size, field: item.field, target: upload.destination,
        attempts: machine.attempts)
    }

    /// Whether the server has accepted the upload, but has not finished processing it.
    var isProcessed: Bool { if case .processing = machine.state { true } else { false } }

    /// The attempt under way.
    var run: JobMachine.Run? { if case .running(let run) = machine.state { run } else { nil } }

    var isUnderWay: Bool { run != nil }

    /// How many of the content's bytes all attempts have brought to the server.
    func bytesSent(_ receipt: Receipt) -> Int64 {
      guard let sentFrom, !receipt.wasThere else { return receipt.bytes }
      return max(receipt.bytes, (receipt.sent?.size ?? upload.item.size) - sentFrom)
    }

    /// Whether the user has stopped the attempt under way.
    var isStopped: Bool { run?.stop != nil }
  }
}

/// A value that hardly any job has. Unboxed, such values would take more memory than all the others together.
@propertyWrapper struct Rare<Value: Sendable> {
  private var box: Boxed<Value>?

  var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Boxed.init(_:)) }
  }
}
