import Foundation

/// Why a form was not read to its end.
public enum FormReadError: Error, Sendable {
  /// The form was refused, which is its sender's fault.
  case form(ParserError)
  /// The source of the bytes or the handler of the events threw this error. It is `CancellationError` if the task was
  /// cancelled.
  case interrupted(any Error)

  /// The underlying error.
  public var cause: any Error {
    switch self {
    case .form(let error): error
    case .interrupted(let error): error
    }
  }

  init(_ error: any Error) {
    self =
      switch error {
      case let error as FormReadError: error
      case let error as ParserError: .form(error)
      default: .interrupted(error)
      }
  }
}

extension FormReadError: CustomStringConvertible, LocalizedError {
  /// What is wrong with the form, or what interrupted its reading.
  public var description: String {
    switch self {
    case .form(let error): error.description
    case .interrupted(let error): "The form was not read to its end: \(error)"
    }
  }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}
