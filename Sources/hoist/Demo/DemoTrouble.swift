import Receiver
import Synchronization

/// Trouble that every user meets one day: one path refuses what it gets, one is busy the first time, and one
/// accepts everything and never answers. Nothing is stored.
final class DemoTrouble: ReceiverEndpoint {
  private let isBusy = Atomic(true)

  /// The names of the paths, which are also the demo's targets.
  static let names = ["strict", "busy", "silent"]

  func methods(at path: String) -> [String]? {
    Self.names.contains { path == "/\($0)" } ? ["POST"] : nil
  }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    while try await request.nextBytes() != nil {}
    switch request.path {
    case "/strict": throw Refusal(413, "no more than 1 MB, please")
    case "/busy" where isBusy.exchange(false, ordering: .relaxed):
      throw Refusal(503, "busy, come back in a moment", headers: [("Retry-After", "5")])
    case "/silent":
      // Longer than the target waits, which is at most three times its time-out.
      try await Task.sleep(for: .seconds(7))
    default: break
    }
    return .json([String: String](), status: 201)
  }
}
