import ScalarText

/// Asks the user at the terminal.
struct Question {
  let context: Context

  /// Whether there is somebody to ask.
  var hasSomebody: Bool { context.input.isTerminal && context.output.errorsAreTerminal }

  /// The answer to a question, trimmed; nil at the end of the input.
  func ask(_ question: String) -> String? {
    context.output.errorBytes("\(question) ")
    return context.input.line()?.trimming(\.isWhiteSpace)
  }

  /// Returns once the user agrees; otherwise throws.
  ///
  /// - Parameters:
  ///   - isAgreed: whether the command line already says yes.
  ///   - otherwise: the error if nobody can be asked.
  ///   - refused: the error if the user does not agree.
  func agree(_ question: String, isAgreed: Bool, otherwise: String, refused: String) throws {
    if isAgreed { return }
    guard hasSomebody else { throw UserError(otherwise) }
    guard ["y", "yes"].contains(ask("\(question) [y/N]")?.lowercased() ?? "") else {
      throw UserError(refused, status: .someFailed)
    }
  }
}
