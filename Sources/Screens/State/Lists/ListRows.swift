/// The rows of a list: each has an identity, and a name to search for.
protocol ListRows<ID> {
  associatedtype ID: Hashable & Sendable

  var count: Int { get }
  /// Changes whenever rows have come, gone, been replaced or changed their places.
  var version: Int { get }
  func id(at position: Int) -> ID
  func name(at position: Int) -> String
  func position(of id: ID) -> Int?
}
