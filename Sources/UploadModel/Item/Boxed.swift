/// A reference to a large value that many owners share, so that a copy costs only a reference. Changing a shared
/// value copies it first.
///
/// A target takes up a kilobyte, and a hundred thousand files can go to it. As a property wrapper, it also saves code:
/// each type that contains a large value copies all parts of it, in functions of up to 100 kB.
@propertyWrapper package struct Boxed<Value: Sendable>: Sendable {
  /// Unchecked, as is exclusive access: only a box that is the sole owner of the content, and is itself being changed,
  /// writes to it.
  @usableFromInline final class Content: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var value: Value
    @usableFromInline init(_ value: Value) { self.value = value }
  }
  @usableFromInline var content: Content

  /// Boxes `value`; copies share it.
  package init(_ value: Value) { content = Content(value) }

  package init(wrappedValue: Value) { content = Content(wrappedValue) }

  /// The value, accessed in place: reading a part of it copies nothing else.
  @inlinable package var value: Value {
    _read { yield content.value }
    _modify {
      if !isKnownUniquelyReferenced(&content) { content = Content(content.value) }
      yield &content.value
    }
  }

  @inlinable package var wrappedValue: Value {
    _read { yield value }
    _modify { yield &value }
  }

  /// Whether both are copies of the same box. Equal values in different boxes are not the same.
  package func isSame(as other: Self) -> Bool { content === other.content }
}

extension Boxed: Equatable where Value: Equatable {
  /// Whether both contain the same value, or equal ones.
  package static func == (one: Self, other: Self) -> Bool {
    one.content === other.content || one.value == other.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  /// Equal values have the same hash, whatever box they are in.
  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
