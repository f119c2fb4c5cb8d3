/// What was made of something, kept until that changes: frames come often, and texts change seldom.
struct Kept<Source: Equatable & Sendable, Made: Sendable>: Sendable {
  private var last: (source: Source, made: Made)?

  /// What `make` makes of `source`, or has made of it.
  func made(of source: Source, by make: (Source) -> Made) -> Made {
    if let last, last.source == source { return last.made }
    return make(source)
  }

  /// Keeps what `make` makes of `source`.
  mutating func keep(_ source: Source, by make: (Source) -> Made) {
    guard last?.source != source else { return }
    last = (source, make(source))
  }
}
