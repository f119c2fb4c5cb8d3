/// A value that is large and the same for many: they hold it in common, and a copy costs a reference.
///
/// A target takes up a kilobyte; the files that go there can be a hundred thousand.
public struct Boxed<Value: Sendable>: Sendable {
  private final class Content: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
  private let content: Content

  /// Shares `value` from now on among the copies of this.
  public init(_ value: Value) { content = Content(value) }

  /// The value, in place: looking at a part of it copies nothing else.
  public var value: Value {
    _read { yield content.value }
  }

  /// Whether both are copies of one; equal values that were made apart are not.
  public func isSame(as other: Self) -> Bool { content === other.content }
}

extension Boxed: Equatable where Value: Equatable {
  /// Whether both hold the same value, or equal ones.
  public static func == (one: Self, other: Self) -> Bool {
    one.content === other.content || one.value == other.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  /// Values that are equal have the same hash, wherever they lie.
  public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
