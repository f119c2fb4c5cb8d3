import Foundation

/// A state that did not come about in time.
public struct WaitedInVain: Error, CustomStringConvertible {
  /// What was waited for, and what was there instead.
  public let description: String

  /// With these words.
  public init(description: String) { self.description = description }
}

/// Asks again and again until `state` gives a value, and returns that.
///
/// The limit is there so that a state that never comes fails a test and does not hang it. It is long,
/// for the machine may have other things to do.
///
/// - Parameters:
///   - what: names the state, for the failure.
///   - seconds: how long to go on asking.
///   - otherwise: describes what is there instead, for the failure.
@discardableResult
public func wait<Value>(
  for what: String, seconds: Double = 60, otherwise: () -> String = { "" },
  isolation: isolated (any Actor)? = #isolation, _ state: () async throws -> Value?
) async throws -> Value {
  let clock = ContinuousClock()
  let limit = clock.now + .seconds(seconds)
  while true {
    if let value = try await state() { return value }
    guard clock.now < limit else {
      throw WaitedInVain(
        description: "waited \(Int(seconds)) seconds in vain for \(what)\n\(otherwise())")
    }
    try await Task.sleep(for: .milliseconds(20))
  }
}
