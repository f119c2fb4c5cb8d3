import Foundation
import ScalarText

/// Asks the person who sits at the terminal.
enum Question {
  /// Whether somebody can be asked.
  static var hasSomebody: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// The answer to a question, trimmed; nil at the end of the input.
  static func ask(_ question: String) -> String? {
    FileHandle.standardError.write(Data("\(question) ".utf8))
    return readLine()?.trimming(\.isWhiteSpace)
  }

  /// Returns after a yes.
  ///
  /// - Parameters:
  ///   - isAgreed: whether the command line says yes already.
  ///   - otherwise: why nothing happens where nobody can be asked.
  ///   - refused: what to say after a no.
  static func agree(
    _ question: String, isAgreed: Bool, otherwise: String, refused: String
  ) throws {
    if isAgreed { return }
    guard hasSomebody else { throw UserError(otherwise) }
    guard ["y", "yes"].contains(ask("\(question) [y/N]")?.lowercased() ?? "") else {
      throw UserError(refused, status: .someFailed)
    }
  }
}
