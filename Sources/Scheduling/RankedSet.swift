import UploadModel

/// Files in the order of their ranks. Every operation takes about a microsecond, however many files there are.
///
/// The entries are kept in sorted chunks of bounded length: a search bisects the list of chunks and then one chunk, and
/// a change moves only the entries of one chunk.
struct RankedSet: Sendable {
  /// A file and its unique rank.
  struct Entry: Hashable, Sendable {
    let rank: Int64
    let id: ItemID
  }

  private static let longest = 512

  // No chunk is empty.
  private var chunks: [[Entry]] = []

  init(sorted entries: [Entry] = []) {
    let length = Self.longest / 2
    chunks = stride(from: 0, to: entries.count, by: length).map {
      Array(entries[$0..<min($0 + length, entries.count)])
    }
  }

  var isEmpty: Bool { chunks.isEmpty }

  var first: Entry? { chunks.first?.first }

  var last: Entry? { chunks.last?.last }

  mutating func insert(_ entry: Entry) {
    guard !chunks.isEmpty else { return chunks.append([entry]) }
    var chunk = chunk(for: entry.rank)
    var position = position(of: entry.rank, in: chunk)
    if chunks[chunk].count == Self.longest {
      // Most entries are appended, which leaves full chunks full.
      if position == Self.longest, chunk == chunks.count - 1 { return chunks.append([entry]) }
      let half = Self.longest / 2
      let upper = Array(chunks[chunk][half...])
      chunks[chunk].removeLast(upper.count)
      chunks.insert(upper, at: chunk + 1)
      if position > half { (chunk, position) = (chunk + 1, position - half) }
    }
    chunks[chunk].insert(entry, at: position)
  }

  mutating func remove(_ rank: Int64) {
    guard !chunks.isEmpty else { return }
    let chunk = chunk(for: rank)
    let position = position(of: rank, in: chunk)
    guard position < chunks[chunk].count, chunks[chunk][position].rank == rank else { return }
    chunks[chunk].remove(at: position)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
  }

  /// The last entry with a lower rank.
  func entry(before rank: Int64) -> Entry? {
    guard !chunks.isEmpty else { return nil }
    let chunk = chunk(for: rank)
    let position = position(of: rank, in: chunk)
    if position > 0 { return chunks[chunk][position - 1] }
    return chunk > 0 ? chunks[chunk - 1].last : nil
  }

  /// The entries with higher ranks, at most `limit` of them, in order.
  func entries(after rank: Int64 = .min, limit: Int = .max) -> [Entry] {
    guard !chunks.isEmpty else { return [] }
    var found: [Entry] = []
    let start = chunk(for: rank)
    for chunk in start..<chunks.count {
      let entries = chunks[chunk]
      var from = chunk == start ? position(of: rank, in: chunk) : 0
      if from < entries.count, entries[from].rank == rank { from += 1 }
      found += entries[from...].prefix(limit - found.count)
      if found.count == limit { break }
    }
    return found
  }

  /// The last chunk that begins with this rank or a lower one; if there is none, the first chunk.
  private func chunk(for rank: Int64) -> Int {
    max(0, Self.count(of: chunks) { $0[0].rank <= rank } - 1)
  }

  /// How many entries of a chunk have lower ranks.
  private func position(of rank: Int64, in chunk: Int) -> Int {
    Self.count(of: chunks[chunk]) { $0.rank < rank }
  }

  /// The number of elements for which `isLow` is true. They must come before all other elements.
  private static func count<Element>(of elements: [Element], low isLow: (Element) -> Bool) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if isLow(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
