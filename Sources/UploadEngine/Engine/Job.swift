import Dispatch
import MultipartForm
import UploadModel

extension UploadEngine {
  /// An upload that the engine knows.
  final class Job {
    private(set) var upload: UploadJob
    /// Where it is sent, and with whose credentials.
    private(set) var route: Route
    var machine = JobMachine()
    /// Its requests and steps under way: several if it goes in pieces.
    var tasks: Set<Int> = []
    var timer: TimeSource.Timer?
    /// When its first attempt began.
    var begin: Instant?
    /// The token that its last request carried.
    var token: BearerToken?
    /// Whether it waits until `update` or `retry` says how to send it.
    var isHeld = false
    /// Whether it was sent again with a newer token.
    var wasAuthorizedAgain = false
    /// The requests of the current attempt, if it takes several.
    var conversation: Conversation? {
      get { boxedConversation?.value }
      set { boxedConversation = newValue.map(Boxed.init(_:)) }
    }
    /// Where it can resume.
    var resumePoint: ResumePoint? {
      get { boxedPoint?.value }
      set { boxedPoint = newValue.map(Boxed.init(_:)) }
    }
    /// The most bytes of it that the server has had at any time since the user asked for it to be sent.
    var furthest: Int64 = 0
    /// Its file, if it goes in several requests: all of them send the file as it was when it was opened.
    var file: HeldFile?
    // Hardly any job has these, and they take more memory than all the rest.
    private var boxedConversation: Boxed<Conversation>?
    private var boxedPoint: Boxed<ResumePoint>?
    private var boxedSuccessor: Boxed<UploadJob>?
    /// Whether to forget it as soon as its transfer ends.
    var isRemoved = false
    /// An upload submitted under its identifier after it was removed.
    var successor: UploadJob? {
      get { boxedSuccessor?.value }
      set { boxedSuccessor = newValue.map(Boxed.init(_:)) }
    }

    init(_ upload: UploadJob) {
      self.upload = upload
      route = Route(to: upload.target)
      resumePoint = upload.item.resumePoint
      if case .processing(let processing) = upload.item.state { machine = JobMachine(processing) }
    }

    /// Changes how it is sent.
    func update(_ upload: UploadJob) {
      self.upload = upload
      route = Route(to: upload.target)
      isHeld = false
    }

    /// Makes it belong to a run, whose values the target has.
    func belong(to target: Boxed<Target>) {
      upload = UploadJob(item: upload.item, destination: target)
    }

    /// Resets its history because the user wants it sent again.
    func renew(_ upload: UploadJob) {
      update(upload)
      (begin, token, wasAuthorizedAgain, furthest) = (nil, nil, false, 0)
      resumePoint = upload.item.resumePoint ?? resumePoint
    }

    func keep(_ digests: ContentDigests) { upload.item.digests = digests }

    /// What the scheduler has to know about it.
    var entry: Scheduler.File {
      let item = upload.item
      return Scheduler.File(
        id: item.id, bytes: item.size, field: item.field, target: upload.destination,
        attempts: machine.attempts)
    }

    /// Whether the server has accepted it, but has not finished with it.
    var isProcessed: Bool { if case .processing = machine.state { true } else { false } }

    var isUnderWay: Bool { if case .running = machine.state { true } else { false } }
  }
}
