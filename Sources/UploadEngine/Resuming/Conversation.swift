import Foundation
import MultipartForm
import UploadModel

extension UploadEngine {
  /// A conversation under way.
  struct Conversation {
    var machine: any ResumeMachine
    let attempt: Int
    /// Where the attempt was told to go.
    let url: URL
    /// The file, from the first byte to the last.
    let file: HeldFile
    /// Whether the requests may carry the target's credentials: false after a redirect to another origin.
    let keepsCredentials: Bool
    let start: Instant
    /// What the attempt assumed about the server, if only an earlier run vouches for it; otherwise nil.
    let recalled: ResumeServer?
    /// What to do instead of ending the attempt, once its last request has ended.
    var restart: Restart?
    /// How many bytes have been reported as sent, if the pieces go in any order.
    var told: Int64 = 0

    /// Whether more than the request at hand is under way, or has failed.
    var isWide: Bool { machine.width > 1 || machine.isBreakingOff }
  }

  /// What to do about an upload whose attempt does not count.
  enum Restart { case wait, authorize }
}
