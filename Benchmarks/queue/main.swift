import Foundation
import MultipartForm
import UploadModel
import UploadStore

// The durable queue with 100,000 items: how long it takes to fill, to open, and to note one change,
// with the disk's own share (one fdatasync) beside it.

let count = 100_000
let folder = NSTemporaryDirectory() + "hoist-queue-bench-\(getpid())"
let path = folder + "/queue.sqlite"
defer { try? FileManager.default.removeItem(atPath: folder) }

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body)
  return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func line(_ what: String, _ value: Double, goal: Double) {
  let text = what.padding(toLength: 44, withPad: " ", startingAt: 0)
  print(text, String(format: "%8.2f ms   goal %.0f ms", value * 1000, goal * 1000))
}

let items = (0..<count).map { number in
  UploadItem(
    id: ItemID(0), target: "nas", location: FileLocation("/home/me/pictures/IMG_\(number).jpg"),
    mediaType: "image/jpeg", typeSource: "by extension .jpg (shared-mime-info)", size: 3_000_000,
    identity: FileIdentity(
      device: 1, inode: UInt64(number), size: 3_000_000, modified: Int128(number)))
}

do {
  let store = try UploadStore(path: path)
  var added: [UploadItem] = []
  line("queue \(count) files", try seconds { added = try store.enqueue(items) }, goal: 3)

  var changes: [Double] = []
  for item in added.prefix(500) {
    changes.append(try seconds { _ = try store.begin([item.id]) })
    let states: [ItemState] = [
      .awaitingReply(attempt: 1, since: Instant(seconds: 0)),
      .done(Receipt(status: 201, bytes: 3_000_000)),
    ]
    for state in states {
      changes.append(try seconds { try store.record([(item.id, state)]) })
    }
  }
  line("note one change (median of \(changes.count))", median(changes), goal: 0.001)
}
let opening = try (0..<5).map { _ in
  try seconds { _ = try UploadStore(path: path).read(inPortionsOf: 2_000) { _ in } }
}
line("open and read \(count) items (median of 5)", median(opening), goal: 0.3)

// What the disk alone asks for a change that is to survive a power cut.
let file = open(folder + "/disk", O_CREAT | O_WRONLY, 0o600)
let page = [UInt8](repeating: 1, count: 4096)
let syncs = (0..<500).map { _ in
  seconds {
    _ = write(file, page, page.count)
    fdatasync(file)
  }
}
close(file)
print(
  "the disk's own share: one 4 KiB write with fdatasync",
  String(format: "%.2f ms", median(syncs) * 1000))
