import UploadModel

/// What is the case with a sender beyond what its queue says. Both sides keep one: it is told to whoever comes, and
/// outranks what is read in the queue.
public struct SenderStatus: Hashable, Sendable {
  /// What the person has set.
  public private(set) var settings = SenderSettings()
  private var items: [ItemID: ItemState] = [:]
  private var servers: [String: Reachability] = [:]
  private var refusals: Set<String> = []

  /// Nothing is under way.
  public init() {}

  /// Takes news in.
  public mutating func record(_ news: SenderNews) {
    switch news {
    case .item(let id, let state): items[id] = state.isKnownToQueue ? nil : state
    case .server(let address, .away(let failure, let nextTry)):
      servers[address] = .away(failure, nextTry: nextTry)
    case .server(let address, _): servers[address] = nil
    case .refusal(let target, true): refusals.insert(target)
    case .refusal(let target, false): refusals.remove(target)
    case .settings(let settings): self.settings = settings
    case .complete: break
    }
  }

  /// The state of an item that is on its way, or about to be tried again; nil where the queue knows it.
  public func state(of id: ItemID) -> ItemState? { items[id] }

  /// All of it as news, for somebody who knows nothing yet.
  public var news: [SenderNews] {
    [.settings(settings)]
      + servers.sorted { $0.key < $1.key }.map { .server(address: $0.key, news: $0.value) }
      + refusals.sorted().map { .refusal(target: $0, isRefused: true) }
      + items.sorted { $0.key < $1.key }.map { .item(id: $0.key, state: $0.value) }
      + [.complete]
  }

  /// The news that end all of it: its process is gone.
  public var ends: [SenderNews] {
    servers.keys.sorted().map { .server(address: $0, news: .unneeded) }
      + refusals.sorted().map { .refusal(target: $0, isRefused: false) }
      + items.keys.sorted().map { .item(id: $0, state: .waiting) }
  }
}

extension ItemState {
  /// Whether the queue says as much. Of what is on its way it says only that, and nothing of the next attempt.
  fileprivate var isKnownToQueue: Bool {
    switch self {
    case .waiting, .paused, .done, .failed: true
    case .preparing, .sending, .awaitingReply, .retrying: false
    }
  }
}
