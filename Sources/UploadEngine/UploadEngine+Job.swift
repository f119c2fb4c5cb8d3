import Dispatch
import UploadModel

extension UploadEngine {
  /// An upload that the engine knows of.
  final class Job {
    var upload: UploadJob
    /// Where it is sent to, and with whose credentials.
    private(set) var door: Door.Key
    var machine: JobMachine
    var task: Int?
    var timer: DispatchWorkItem?
    /// With whom it goes, once that is settled.
    var company: Company?
    /// When its first attempt began.
    var begin: Moment?
    /// The token that its last request went with.
    var token: BearerToken?
    /// Whether it was sent again with a newer token.
    var wasRefusedEntry = false
    /// Whether it is to be forgotten as soon as its transfer is over.
    var isRemoved = false
    /// What was submitted under its name since it was removed.
    var successor: UploadJob?

    init(_ upload: UploadJob, machine: JobMachine = JobMachine(), timer: DispatchWorkItem? = nil) {
      self.upload = upload
      self.machine = machine
      self.timer = timer
      door = Self.door(of: upload)
    }

    /// Changes how it shall be sent.
    func update(_ upload: UploadJob) {
      // The others of its company may go elsewhere now.
      if upload.destination != self.upload.destination { company = nil }
      self.upload = upload
      door = Self.door(of: upload)
    }

    private static func door(of upload: UploadJob) -> Door.Key {
      Door.Key(target: upload.target.name, origin: Origin(upload.target.url))
    }
  }
}
