import Queue
import Scheduling
import UploadModel

/// The targets whose credentials servers refused, as they were then.
@MainActor
final class RefusedTargets: QueueObserver {
  private let book: TargetCatalog
  private var refused: [String: Target] = [:]

  init(in book: TargetCatalog) { self.book = book }

  func receive(_ news: [QueueNews]) {
    for case .refusal(let name, let trouble) in news {
      refused[name] = trouble?.holdsAll == true ? book.lastFound(name) : nil
    }
  }

  /// Whether a target has the same credentials, and everything else, as when they were refused; nil if that is not
  /// known.
  func isUnchanged(_ target: Target) -> Bool? {
    // A command may give another token each time.
    if target.tokenCommand != nil { return false }
    return refused[target.name].map { $0 == target }
  }
}
