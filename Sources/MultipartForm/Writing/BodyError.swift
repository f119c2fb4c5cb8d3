import Foundation

/// Why a body cannot be made, or cannot be read any further.
public enum BodyError: Error, Hashable, Sendable {
  /// The form itself cannot be sent.
  case form(FormError)
  /// One of its files cannot be sent, or has changed since the body was made.
  case file(FileError)
}

extension BodyError: CustomStringConvertible, LocalizedError {
  /// What failed, what it concerns, why, and what to do about it.
  public var description: String {
    switch self {
    case .form(let error): error.description
    case .file(let error): error.description
    }
  }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}
