import UploadModel

/// A list that others are asked for: what is on the server, what was sent before.
public enum Listing<Row: Sendable & Hashable>: Sendable, Hashable {
  /// Nobody has asked.
  case unknown
  /// The answer is awaited.
  case asked
  /// The answer, in the order in which it is shown.
  case rows([Row])
  /// Why there is none, in words for a person.
  case failed(String)

  /// The rows, if they are known.
  public var rows: [Row] {
    if case .rows(let rows) = self { rows } else { [] }
  }
}
