import Foundation

@testable import UploadModel

/// Targets that differ in what matters to a scheduler.
enum StoryTarget: String, Sendable, CaseIterable {
  /// Two lanes, and a server of its own.
  case a, b
  /// Two lanes, at the server of `a`.
  case besideA
  /// Gets its token from a command.
  case withCommand
  /// Has no such command, at the server of `withCommand`.
  case besideCommand
  /// Takes three files in one request.
  case inBatches
  /// 64 lanes.
  case wide

  private static let plans = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, SendPlan($0.made)) })

  var name: String { rawValue }
  var plan: SendPlan { Self.plans[self] ?? SendPlan(made) }
  var route: Route { plan.route }

  init?(_ name: String) { self.init(rawValue: name) }

  /// The first target at this server.
  init?(at origin: Origin) {
    guard let first = Self.allCases.first(where: { $0.plan.target.origin == origin }) else {
      return nil
    }
    self = first
  }

  private var host: String {
    switch self {
    case .a, .besideA: "a"
    case .b: "b"
    case .withCommand, .besideCommand: "k"
    case .inBatches: "m"
    case .wide: "z"
    }
  }

  private var made: Target {
    let url = URL(string: "http://\(host).example/") ?? URL(fileURLWithPath: "/")
    var target = Target(name: name, url: url)
    target.concurrency = self == .wide ? 64 : 2
    target.retry = RetryPolicy(attempts: 2, base: 4, cap: 60)
    if self == .withCommand { target.tokenCommand = TokenCommand(["k"]) }
    if self == .inBatches { target.batch = BatchRule(maxFiles: 3) }
    return target
  }
}
