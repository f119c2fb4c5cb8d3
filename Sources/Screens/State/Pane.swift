/// A pane in the main part of the screen.
package enum Pane: Int, Hashable, Sendable, CaseIterable {
  case queue, server, history, log, targets

  /// Its name in the row of tabs.
  package var title: String { row.title }
  var mode: Mode { row.mode }
  /// The action that shows it.
  var action: Action.Name { row.action }

  private var row: (title: String, mode: Mode, action: Action.Name) {
    switch self {
    case .queue: ("Queue", .queue, .queue)
    case .server: ("Server", .server, .server)
    case .history: ("History", .history, .history)
    case .log: ("Log", .log, .log)
    case .targets: ("Targets", .targets, .targets)
    }
  }
}
