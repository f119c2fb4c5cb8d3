import Foundation
import ScalarText

/// Asks the user at the terminal.
package struct Question {
  private let context: Context

  package init(context: Context) { self.context = context }

  /// Whether there is somebody to ask.
  package var hasSomebody: Bool { context.input.isTerminal && context.output.errorsAreTerminal }

  /// The answer to a question, trimmed; nil at the end of the input.
  package func ask(_ question: String) -> String? {
    context.output.errorBytes("\(question) ")
    return context.input.line()?.trimming(\.isWhiteSpace)
  }

  /// The answer to a question, which the terminal does not show while it is typed; nil at the end of the input.
  package func askHidden(_ question: String) -> String? {
    var usual = termios()
    guard tcgetattr(context.input.descriptor, &usual) == 0 else { return ask(question) }
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(context.input.descriptor, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(context.input.descriptor, TCSAFLUSH, &usual)
      context.output.error("")
    }
    return ask(question)
  }

  /// Returns once the user agrees, or at once if the command line already says yes. Otherwise throws an error that says
  /// what was `refused`; if nobody can be asked, also how to say yes on the command line.
  package func agree(_ question: String, isAgreed: Bool, refused: String, hint: String) throws {
    if isAgreed { return }
    guard hasSomebody else {
      throw UserError(
        "\(refused): standard input is not a terminal, so nobody can confirm; \(hint)")
    }
    guard ["y", "yes"].contains(ask("\(question) [y/N]")?.lowercased() ?? "") else {
      throw UserError(refused, status: .someFailed)
    }
  }
}
