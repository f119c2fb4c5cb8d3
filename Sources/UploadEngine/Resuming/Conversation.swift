import Foundation
import MultipartForm
import UploadModel

extension UploadEngine {
  /// A conversation under way: the requests of one attempt at a resumable upload.
  struct Conversation {
    var machine: any ResumeMachine
    let how: Sending
    /// The whole file.
    let file: HeldFile
    let start: Instant
    /// The attempt's assumption about the server, if it comes only from an earlier run; otherwise nil.
    let recalled: ResumeServer?
    /// What to do instead of ending the attempt, once its last request has ended.
    var restart: Restart?
    /// How many bytes have been reported as sent, if the pieces are sent in any order.
    var told: Int64 = 0

    /// Whether requests other than the current one are under way, or one has failed.
    var isWide: Bool { machine.width > 1 || machine.isBreakingOff }
  }

  /// How an attempt is sent.
  struct Sending {
    /// The URL that the attempt is started with.
    let url: URL
    let attempt: Int
    /// Whether the requests may carry the target's credentials: false after a redirect to another origin.
    let keepsCredentials: Bool
  }

  /// What to do about an upload whose attempt does not count: send it again when its server can be reached, or with a
  /// newer token.
  enum Restart {
    /// Once the server can be reached.
    case wait
    /// With another token. The refusal is how the upload has failed if there will be no other attempt.
    case authorize(Failure)
  }
}
