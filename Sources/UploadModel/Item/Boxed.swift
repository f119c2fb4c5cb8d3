/// A reference to a large value that many owners share, so that a copy costs only a reference. Changing a shared
/// value copies it first.
///
/// A hundred thousand files can have such a value. The box also saves code: without it, each type that contains a large
/// value copies all parts of the value, in functions of up to 100 kB.
@propertyWrapper @usableFromInline package struct Boxed<Value: Sendable>: Sendable {
  /// Neither `Sendable` nor exclusive access is checked. That is safe, since a box writes to the content only if it is
  /// the sole owner and is itself being changed.
  @usableFromInline final class Content: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var value: Value
    @inlinable init(_ value: Value) { self.value = value }
  }
  @usableFromInline var content: Content

  @inlinable package init(_ value: Value) { content = Content(value) }

  @inlinable package init(wrappedValue: Value) { content = Content(wrappedValue) }

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
}

extension Boxed: Equatable where Value: Equatable {
  @usableFromInline package static func == (one: Self, other: Self) -> Bool {
    one.content === other.content || one.value == other.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  @usableFromInline package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// A value that hardly any owner has, and that takes the room of a reference in the others.
@propertyWrapper @usableFromInline package struct Rare<Value: Sendable>: Sendable {
  @usableFromInline var box: Boxed<Value>?

  @inlinable package init() {}

  @inlinable package init(wrappedValue: Value?) { box = wrappedValue.map(Boxed.init(_:)) }

  @inlinable package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Boxed.init(_:)) }
  }
}

extension Rare: Equatable where Value: Equatable {}

extension Rare: Hashable where Value: Hashable {}
