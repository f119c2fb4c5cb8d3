import Synchronization

/// The last result of a computation, for as long as its input stays the same. Frames are drawn often, but texts seldom
/// change. Copies share the result, which depends on nothing but the input.
final class Memoized<Input: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(input: Input, value: Value)?>(nil)

  /// The stored result for `input`, or a new one, which replaces it.
  func value(for input: Input, compute: (Input) -> Value) -> Value {
    last.withLock { last in
      if let last, last.input == input { return last.value }
      let value = compute(input)
      last = (input, value)
      return value
    }
  }
}
