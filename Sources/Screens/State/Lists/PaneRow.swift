import UploadModel

/// A row of a pane beside the queue.
protocol PaneRow: Sendable, Hashable {
  var id: String { get }
  var name: String { get }
}

extension ServerEntry: PaneRow {}
