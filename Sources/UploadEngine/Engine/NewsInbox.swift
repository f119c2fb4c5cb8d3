import Synchronization

/// Reports from the transport that the engine has not handled yet. With small files, a thread switch for each report
/// would be expensive.
final class NewsInbox: Sendable {
  typealias Item = (transfer: Int, news: TransportNews)

  private struct Content {
    var items: [Item] = []
    /// Whether the engine's queue has been told to take the items.
    var isCalled = false
  }

  private let content = Mutex(Content())

  /// Adds news and returns whether the inbox was empty before.
  func add(_ items: [Item]) -> Bool {
    content.withLock { content in
      defer { content.items += items }
      return content.items.isEmpty
    }
  }

  /// Whether the engine's queue must be told that there is news. It is told only once.
  func needsCall() -> Bool {
    content.withLock { content in
      guard !content.isCalled, !content.items.isEmpty else { return false }
      content.isCalled = true
      return true
    }
  }

  /// Empties the inbox.
  func take() -> [Item] {
    content.withLock { content in
      defer { content = Content() }
      return content.items
    }
  }
}
