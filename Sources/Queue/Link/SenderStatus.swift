import Scheduling
import UploadModel

/// The part of a sender's state that the queue does not record. Both sides keep a copy. It is sent to every new
/// listener, and takes precedence over the queue.
package struct SenderStatus: Hashable, Sendable {
  private var settings = SenderSettings()
  private var figures = SendingFigures()
  private var lanes: [String: SenderNews] = [:]
  private var items: [ItemID: ItemState] = [:]
  private var servers: [String: Reachability] = [:]
  private var waits: [String: Reachability] = [:]
  private var refusals: [String: CredentialTrouble] = [:]
  private var paces: [String: Instant] = [:]
  private var runs: [String: RunNews] = [:]

  /// An empty status: nothing is under way.
  package init() {}

  package mutating func record(_ news: SenderNews) {
    switch news {
    case .item(let id, let state):
      // The queue records that an item is being sent, but not its progress or its next attempt, nor that this sender
      // cannot use its target.
      items[id] = state.takesLane || state.isRetrying || state.lacksTarget ? state : nil
    case .server(let address, let news):
      switch news {
      case .away: servers[address] = news
      case .back: servers[address] = nil
      case .asksToWait: waits[address] = news
      case .unneeded: (servers[address], waits[address]) = (nil, nil)
      }
    case .refusal(let target, let trouble): refusals[target] = trouble
    case .pace(let target, let until): paces[target] = until
    case .settings(let settings): self.settings = settings
    case .figures(let figures): self.figures = figures
    case .lanes(_, let target, _): lanes[target] = news
    case .run(let target, let news): runs[target] = news.isTrouble ? news : nil
    case .resumed, .speeds, .runsHaveEnded, .complete: break
    }
  }

  /// Whether the sender continues in the background for a screen that was left.
  package var isInBackground: Bool { settings.isHandedOver }

  /// The state of an item that is being sent or about to be retried; nil if its state is in the queue.
  package func state(of id: ItemID) -> ItemState? { items[id] }

  /// The whole status as news, for a new listener.
  package var news: [SenderNews] {
    [.settings(settings), .figures(figures)]
      + lanes.sorted { $0.key < $1.key }.map(\.value)
      + [servers, waits].flatMap { news in
        news.sorted { $0.key < $1.key }.map { .server(address: $0.key, news: $0.value) }
      }
      + refusals.sorted { $0.key < $1.key }.map { .refusal(target: $0.key, $0.value) }
      + paces.sorted { $0.key < $1.key }.map { .pace(target: $0.key, until: $0.value) }
      + runs.sorted { $0.key < $1.key }.map { .run(target: $0.key, $0.value) }
      + items.sorted { $0.key < $1.key }.map { .item(id: $0.key, state: $0.value) }
  }

  /// The news that resets everything but the settings, for when the sender's process is gone.
  package var ends: [SenderNews] {
    Set(servers.keys).union(waits.keys).sorted().map { .server(address: $0, news: .unneeded) }
      + refusals.keys.sorted().map { .refusal(target: $0, nil) }
      + paces.keys.sorted().map { .pace(target: $0, until: nil) }
      + items.keys.sorted().map { .item(id: $0, state: .waiting) }
  }
}

extension ItemState {
  fileprivate var lacksTarget: Bool {
    if case .unsendable? = failure?.cause { true } else { false }
  }
}
