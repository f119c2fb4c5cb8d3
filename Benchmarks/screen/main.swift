import Foundation
import MultipartForm
import Screens
import UploadModel

// How long the pure half of the screen takes, as a median over many runs; printed as JSON for run.py.

func seconds(_ work: () -> Void) -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  work()
  return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
}

func median(_ count: Int, _ work: () -> Void) -> Double {
  (0..<count).map { _ in seconds(work) }.sorted()[count / 2]
}

func item(_ number: Int64) -> UploadItem {
  UploadItem(
    id: ItemID(number), location: FileLocation("/data/pictures/IMG_\(number).jpg"),
    mediaType: "image/jpeg", typeSource: "by extension", size: 3_000_000 + number)
}

let size = Size(width: 200, height: 60)
let items = (0..<100_000).map { item(Int64($0)) }
var state = AppState(
  target: "photos", url: "https://api.example.com/upload", size: size, now: Instant(seconds: 0))

// From an empty screen to the first frame that shows the queue.
let first = seconds {
  _ = reduce(&state, .queue(.added(items)))
  _ = render(state, size: size)
}
for lane in 0..<8 {
  let progress = ItemState.sending(attempt: 1, sent: 1_000_000, total: 3_000_000)
  _ = reduce(&state, .queue(.changed([(ItemID(Int64(lane)), progress)], at: Instant(seconds: 3))))
}
let full = median(500) { _ = render(state, size: size) }
let key = median(500) {
  _ = reduce(&state, .key(.down))
  _ = render(state, size: size)
}
let filter = seconds { _ = reduce(&state, .command("filter 9999")) }
_ = reduce(&state, .command("clear-marks"))
let sort = seconds { _ = reduce(&state, .command("sort reverse")) }

print(
  """
  {"first": \(first), "full": \(full), "key": \(key), "filter": \(filter), "sort": \(sort)}
  """)
