import Foundation
import UploadEngine
import UploadModel
import UploadStore

/// Puts files into the durable queue, and tells which of them their target has taken already.
struct QueueIntake: Sendable {
  let store: UploadStore
  /// Whether those stay out.
  var skipsSent = false
  /// Whether files are told from each other by their content.
  var comparesContent = false

  init(store: UploadStore, _ options: SentOptions? = nil) {
    self.store = store
    skipsSent = options?.skipSent ?? false
    comparesContent = options?.checksum ?? false
  }

  /// What became of files that were to be added.
  struct Added {
    var items: [UploadItem] = []
    var skipped: [UploadItem] = []
    /// How many of the items had been sent before.
    var repeated = 0

    /// What a person should know of it; nil where nothing is worth a word.
    var words: String? {
      if !skipped.isEmpty {
        return "\(HumanReadable.count(skipped.count, "file")) skipped: sent before"
      }
      if repeated > 0 { return "\(HumanReadable.count(repeated, "file")) had been sent before" }
      return nil
    }

    mutating func merge(_ more: Added) {
      items += more.items
      skipped += more.skipped
      repeated += more.repeated
    }
  }

  /// Adds `items`, which have numbers of their own until then.
  func add(_ items: [UploadItem]) throws(StoreError) -> Added {
    var added = try look(at: items)
    let notes = added.items.map(\.note)
    added.items = try store.enqueue(added.items)
    for (index, note) in notes.enumerated() { added.items[index].note = note }
    return added
  }

  /// The items with a note of what was sent before, or without those.
  /// - Parameter stop: once it is set, no contents are read for that.
  func look(at items: [UploadItem], until stop: CancellationToken? = nil) throws(StoreError)
    -> Added
  {
    var items = items
    if comparesContent {
      for index in items.indices where items[index].identity != nil && stop?.isCancelled != true {
        items[index].sum = FileDigest.sha256(of: items[index].location)
      }
    }
    let known = try store.sentBefore(items)
    var added = Added()
    for var item in items {
      item.note = known[item.id].map { "sent before, \($0.date.local)" }
      if item.note == nil || !skipsSent {
        added.items.append(item)
      } else {
        added.skipped.append(item)
      }
    }
    added.repeated = skipsSent ? 0 : known.count
    return added
  }
}
