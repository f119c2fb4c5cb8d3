import ArgumentParser
import ProcessContext
import Sessions

extension Handover {
  /// The command of the session that is handed over.
  func command() throws -> ScreenCommand {
    guard let command = try Hoist.parseAsRoot(ArgumentLists.folded(arguments)) as? ScreenCommand
    else {
      throw UserError("--take-over: what was handed over is not the command line of a screen")
    }
    return command
  }
}
