import FileDiscovery
import Foundation
import MultipartForm
import UploadEngine
import UploadModel
import UploadStore

/// Adds files to the durable queue, and finds out which of them their target already has, or may have.
package struct QueueIntake: Sendable {
  package let store: UploadStore
  /// Whether files that the target already has are left out.
  var skipsSent = false
  /// Whether files that may have arrived before are left out.
  var skipsDoubtful = false
  private var comparesContent = false
  /// Whether a target keeps files where their names or paths say.
  private let isPlaced: @Sendable (TargetName) -> Bool

  package init(
    store: UploadStore, _ rules: SentRules = SentRules(),
    isPlaced: @escaping @Sendable (TargetName) -> Bool = { _ in false }
  ) {
    self.store = store
    self.isPlaced = isPlaced
    skipsSent = rules.skips
    comparesContent = rules.comparesContent
  }

  /// The outcome of adding files.
  package struct Added {
    package var items: [UploadItem] = []
    /// Items that were left out because they had been sent before.
    package var skipped: [UploadItem] = []
    /// Items that were left out because they may have arrived before.
    var doubtful: [UploadItem] = []
    /// How many items were left out because they accompany others.
    var accompanying = 0
    /// Folders in which there was nothing to add.
    var empty: [FileLocation] = []
    /// How many of the items had been sent before.
    var repeated = 0
    /// How many of the items may have arrived before.
    var perhapsRepeated = 0

    package init(items: [UploadItem] = []) { self.items = items }

    /// A message about the outcome; nil if there is nothing to say.
    var words: String? {
      let queued =
        repetition.isEmpty ? nil : "\(HumanReadable.count(items.count, "file")) queued\(repetition)"
      let left =
        skipped.isEmpty ? nil : "\(HumanReadable.count(skipped.count, "file")) skipped: sent before"
      let parts = [queued, left, accompanyingWords, emptyWords].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// How many files accompany others, in words; nil for 0.
    package var accompanyingWords: String? {
      if accompanying == 0 { return nil }
      return accompanying == 1
        ? "1 file goes with another"
        : "\(HumanReadable.grouped(accompanying)) files go with others"
    }

    /// Which folders have nothing to add, in words; nil if there are no such folders, or if nothing was
    /// found at all.
    package var emptyWords: String? {
      guard let first = empty.first, !(items + skipped + doubtful).isEmpty else { return nil }
      let others =
        empty.count > 1 ? " and \(HumanReadable.count(empty.count - 1, "other folder"))" : ""
      return "no files were found in \(SafeText.line(first.name))\(others)"
    }

    /// How many of the items were sent before and how many may have been, to follow the number of items.
    package var repetition: String {
      [(repeated, "sent before"), (perhapsRepeated, "may have arrived before")]
        .filter { $0.0 > 0 }.map { ", \(HumanReadable.grouped($0)) of them \($1)" }.joined()
    }

    package mutating func merge(_ more: Added) {
      items += more.items
      skipped += more.skipped
      doubtful += more.doubtful
      accompanying += more.accompanying
      empty += more.empty
      repeated += more.repeated
      perhapsRepeated += more.perhapsRepeated
    }
  }

  /// How many items are written in one transaction.
  static let portion = 2000

  /// Looks for files and queues them in portions, so that a folder of 100,000 files appears bit by bit. Without
  /// `rules`, folders are not searched. `prepare` sets what an item's file cannot tell, such as the target. `report`
  /// gets the outcome of each portion, the last of which may be empty, and returns false to stop.
  package func add(
    _ files: some Sequence<NamedFile>, _ intake: FileIntake, in rules: FolderRules?,
    takes: (UploadItem) -> Bool = { _ in true }, prepare: (inout UploadItem) -> Void,
    report: (_ portion: Result<Added, StoreError>, _ isLast: Bool) -> Bool
  ) {
    var portion: [UploadItem] = []
    var accompanying = 0
    var empty: [FileLocation] = []
    func handOver(isLast: Bool) -> Bool {
      defer { (portion, accompanying, empty) = ([], 0, []) }
      intake.rest()
      let added = Result { () throws(StoreError) in
        var added = try add(portion)
        (added.accompanying, added.empty) = (accompanying, empty)
        return added
      }
      return report(added, isLast)
    }
    // The process that sends the files may run in another folder.
    let folder = FileManager.default.currentDirectoryPath
    for file in files {
      let location = file.location.absolute(in: folder)
      var isEmpty = true
      let goesOn = intake.each(of: location, in: rules, as: file.wish) { item in
        isEmpty = false
        var item = item
        prepare(&item)
        guard takes(item) else { return true }
        guard intake.accompanying(item) == nil else {
          accompanying += 1
          return true
        }
        portion.append(item)
        return portion.count < Self.portion || handOver(isLast: false)
      }
      guard goesOn else { return }
      if isEmpty { empty.append(location) }
    }
    _ = handOver(isLast: true)
  }

  /// Adds `items`, which get new numbers.
  package func add(_ items: [UploadItem]) throws(StoreError) -> Added {
    var added = try look(at: items)
    let notes = added.items.map(\.note)
    added.items = try store.enqueue(added.items)
    for (index, note) in notes.enumerated() { added.items[index].note = note }
    return added
  }

  /// Marks the items that were sent before, or may have been, with a note, or leaves them out. Without `target`, each
  /// item goes to its own. Relative paths start from `folder`, since the history has absolute paths. Once `stop` is
  /// cancelled, no file is read to compare its content.
  func look(
    at items: [UploadItem], to target: String? = nil, in folder: String = "",
    until stop: CancellationToken? = nil
  ) throws(StoreError) -> Added {
    var items = items
    if comparesContent {
      for index in items.indices where items[index].identity != nil && stop?.isCancelled != true {
        items[index].sum = FileDigest.sha256(of: items[index].location)
      }
    }
    let known = try store.sentBefore(items, to: target, isPlaced: isPlaced) {
      $0.location.absolute(in: folder)
    }
    // Files that were sent together share the note.
    let words = Dictionary(
      uniqueKeysWithValues: Set(known.values).map { earlier in
        let what = earlier.isCertain ? "sent before" : "may have arrived before"
        return (earlier, "\(what), \(earlier.ended.local)")
      })
    var added = Added()
    for var item in items {
      let earlier = known[item.id]
      let note = earlier.flatMap { words[$0] }
      if item.note != note { item.note = note }
      switch earlier?.isCertain {
      case true? where skipsSent: added.skipped.append(item)
      case false? where skipsDoubtful: added.doubtful.append(item)
      case let isCertain:
        if isCertain == true { added.repeated += 1 }
        if isCertain == false { added.perhapsRepeated += 1 }
        added.items.append(item)
      }
    }
    return added
  }
}
