/// What the main part of the screen shows.
public enum Pane: Int, Hashable, Sendable, CaseIterable {
  case queue, server, history, log

  /// Its name in the row of tabs.
  public var title: String {
    switch self {
    case .queue: "Queue"
    case .server: "Server"
    case .history: "History"
    case .log: "Log"
    }
  }

  var mode: Mode { Mode.panes[rawValue] }

  /// The action that shows it.
  var action: Action.Name {
    switch self {
    case .queue: .queue
    case .server: .server
    case .history: .history
    case .log: .log
    }
  }
}
