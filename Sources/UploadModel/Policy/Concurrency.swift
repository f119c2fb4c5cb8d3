/// How many requests are sent to a target at once.
package enum Concurrency: Hashable, Sendable {
  case fixed(Int)
  /// A number in this range that hoist finds.
  case auto(ClosedRange<Int>)

  /// The numbers that are allowed.
  package static let range = 1...64
  /// The default.
  package static let automatic = Concurrency.auto(1...32)

  /// The most requests at once.
  package var most: Int {
    switch self {
    case .fixed(let count): count
    case .auto(let range): range.upperBound
    }
  }

  /// The number that `auto` begins with, if its range allows that.
  package static let start = 4

  /// The number to begin with.
  package var first: Int {
    switch self {
    case .fixed(let count): count
    case .auto(let range): min(max(Self.start, range.lowerBound), range.upperBound)
    }
  }

  package var isAuto: Bool { if case .auto = self { true } else { false } }

  /// Whether its numbers are allowed.
  package var isValid: Bool {
    switch self {
    case .fixed(let count): Self.range.contains(count)
    case .auto(let range):
      Self.range.contains(range.lowerBound) && Self.range.contains(range.upperBound)
    }
  }
}

extension Concurrency: ExpressibleByIntegerLiteral {
  package init(integerLiteral count: Int) { self = .fixed(count) }
}

extension Concurrency: Codable {
  /// A number, or the least and the most.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let count = try? container.decode(Int.self) {
      self = .fixed(count)
      return
    }
    let ends = try container.decode([Int].self)
    guard ends.count == 2, ends[0] <= ends[1] else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected the least and the most")
    }
    self = .auto(ends[0]...ends[1])
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .fixed(let count): try container.encode(count)
    case .auto(let range): try container.encode([range.lowerBound, range.upperBound])
    }
  }
}
