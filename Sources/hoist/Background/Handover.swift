import ArgumentParser
import Foundation
import UploadModel

/// What a session knows beside the queue and passes on to the process that goes on in the background. It may hold
/// secrets, and goes through a pipe only.
struct Handover: Codable, Equatable {
  /// The arguments that the session was started with. Their target is made of them again.
  var arguments: [String]
  /// The limit on the total, in bytes a second.
  var limit: Int64?
  /// How many requests go to targets at once, as the person has said.
  var lanes: [String: Int]
  /// The last item that is none of the session's concern.
  var floor: ItemID

  /// The descriptor with the queue's lock. Standard input has the rest; complaints go to standard error.
  static let lockDescriptor: Int32 = 3

  /// The last word on standard error, once the queue has been taken over.
  static let word = "ready\n"

  /// What the process before passes on to this one.
  ///
  /// - Throws: `UserError` where that is nothing.
  static func receive(in context: Context) throws -> Handover {
    guard !context.input.isTerminal, fcntl(lockDescriptor, F_GETFD) >= 0,
      let data = try FileHandle.standardInput.readToEnd(),
      let handover = try? JSONDecoder().decode(Handover.self, from: data)
    else {
      throw UserError("--take-over: is how a screen that is left starts this; use hoist send")
    }
    return handover
  }

  /// The command that the arguments mean.
  func command() throws -> ScreenCommand {
    guard let command = try Hoist.parseAsRoot(ArgumentRuns.folded(arguments)) as? ScreenCommand
    else {
      throw UserError("--take-over: what was handed over is not the command line of a screen")
    }
    return command
  }

  /// Tells the process before that it may go. Nothing of its terminal is left open here.
  static func confirm() {
    _ = word.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    for descriptor in 0...2 where nothing >= 0 { dup2(nothing, Int32(descriptor)) }
    if nothing > 2 { close(nothing) }
  }
}
