import Foundation
import UploadModel

/// How far the files are that one process sends, for others that show the same queue: a small file beside
/// the queue, written once a second at the most. It is worth nothing once it is some seconds old.
struct SharedProgress {
  /// How far one file is.
  struct Entry: Hashable {
    var attempt: Int
    var sent: Int64
  }

  private let path: String
  private var entries: [ItemID: Entry] = [:]
  private var lastWrite = 0.0
  private var isWritten = false

  /// - Parameter queue: the path of the queue.
  init(queue: String) { path = queue + "-progress" }

  // MARK: The process that sends

  /// Notes how far files are, and writes that down now and then.
  mutating func record(_ changes: [(ItemID, ItemState)], at now: Instant) {
    for (id, state) in changes {
      if case .sending(let attempt, let sent, _) = state {
        entries[id] = Entry(attempt: attempt, sent: sent)
      } else {
        entries[id] = nil
      }
    }
    write(at: now)
  }

  /// Writes down again how far files are, once a second at the most: also of those that move nothing it
  /// is to be seen that somebody sends them.
  mutating func write(at now: Instant) {
    guard !entries.isEmpty else { return remove() }
    guard now.seconds - lastWrite >= 1 else { return }
    lastWrite = now.seconds
    isWritten = true
    let lines = entries.map { "\($0.rawValue) \($1.attempt) \($1.sent)\n" }
    // Whoever looks meanwhile sees the old one or the new one.
    try? Data("\(lines.joined())end\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Nothing is under way any more.
  mutating func remove() {
    guard isWritten else { return }
    isWritten = false
    unlink(path)
  }

  // MARK: The process that looks on

  /// How far the files are that another process sends; empty where nothing recent is known.
  func read() -> [ItemID: Entry] {
    var status = stat()
    guard stat(path, &status) == 0, time(nil) - status.st_mtim.tv_sec < 5,
      let data = FileManager.default.contents(atPath: path)
    else { return [:] }
    return Self.entries(in: String(decoding: data, as: UTF8.self))
  }

  /// The entries of a file; none where it was cut off.
  static func entries(in text: String) -> [ItemID: Entry] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.popLast() == "end" else { return [:] }
    var entries: [ItemID: Entry] = [:]
    for line in lines {
      let numbers = line.utf8.split(separator: UInt8(ascii: " "))
        .compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
      guard numbers.count == 3, let attempt = Int(exactly: numbers[1]) else { continue }
      entries[ItemID(numbers[0])] = Entry(attempt: attempt, sent: numbers[2])
    }
    return entries
  }
}
