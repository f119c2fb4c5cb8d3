import Foundation
import ProcessContext
import Scheduling
import UploadModel

/// What a session knows beyond the queue and passes on to the process that continues in the background. It may contain
/// secrets, so it goes only through a pipe.
package struct Handover: Codable, Equatable {
  /// The arguments that the session was started with. The target is made from them again.
  package var arguments: [String]
  package var settings: SenderSettings
  /// The last item before those that belong to the session.
  package var floor: ItemID
  /// The targets that have refused the credentials, and why.
  package var refused: [String: CredentialTrouble]

  /// The descriptor that holds the queue's lock. The handover itself arrives on standard input; errors go to standard
  /// error.
  package static let lockDescriptor: Int32 = 3

  /// Written to standard error once the queue has been taken over.
  static let word = "ready\n"

  /// Receives what the previous process passes on to this one.
  package static func receive(in context: Context) throws -> Handover {
    guard !context.input.isTerminal, fcntl(lockDescriptor, F_GETFD) >= 0,
      let data = try FileHandle.standardInput.readToEnd(),
      let handover = try? JSONDecoder().decode(Handover.self, from: data)
    else {
      throw UserError("--take-over: is for hoist's own use; run hoist send instead")
    }
    return handover
  }

  /// Tells the previous process that it may end, and closes everything that belongs to its terminal.
  package static func confirm() {
    _ = word.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    for descriptor in 0...2 where nothing >= 0 { dup2(nothing, Int32(descriptor)) }
    if nothing > 2 { close(nothing) }
  }
}
