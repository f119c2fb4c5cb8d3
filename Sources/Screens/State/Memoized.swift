/// The last result of a computation, for as long as its input stays the same. Frames are drawn often, but texts seldom
/// change.
struct Memoized<Input: Equatable & Sendable, Value: Sendable>: Sendable {
  private var last: (input: Input, value: Value)?

  /// The stored result for `input`, or a new one, which is not stored.
  func value(for input: Input, compute: (Input) -> Value) -> Value {
    if let last, last.input == input { return last.value }
    return compute(input)
  }

  /// Stores the result for `input`.
  mutating func update(for input: Input, compute: (Input) -> Value) {
    guard last?.input != input else { return }
    last = (input, compute(input))
  }
}
