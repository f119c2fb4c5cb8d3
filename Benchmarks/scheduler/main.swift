import Foundation
import Scheduling
import UploadModel

// What each event costs the scheduler while 100,000 files wait: medians, and the slowest of a hundred.

let count: Int64 = 100_000
let goal = 50e-6
var isWithin = true

func seconds(_ work: () -> Void) -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  work()
  return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
}

@MainActor func line(_ what: String, _ values: [Double]) {
  let sorted = values.sorted()
  let (median, late) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
  isWithin = isWithin && median < goal
  let text = what.padding(toLength: 44, withPad: " ", startingAt: 0)
  print(
    text,
    String(
      format: "%8.2f µs   99 of 100 %8.2f µs   goal %.0f µs", median * 1e6, late * 1e6, goal * 1e6))
}

/// Targets at servers of their own, the last of which takes several files in one request.
let targets = (0..<8).compactMap { number -> SendPlan? in
  guard let url = URL(string: "http://host\(number).example/") else { return nil }
  var target = Target(name: "target \(number)", url: url)
  target.concurrency = 4
  if number == 7 { target.batch = BatchRule(maxFiles: 10) }
  return SendPlan(target)
}

func file(_ number: Int64) -> Scheduler.File {
  Scheduler.File(
    id: ItemID(number), bytes: 1000, plan: targets[Int(number) % targets.count])
}

var scheduler = Scheduler(lanes: 16, waitsForServers: true)
var now = Instant(seconds: 0)
let all = (0..<count).map(file)
let adding = seconds { _ = scheduler.add(all) }
print("add \(count) files", String(format: "%.0f ms", adding * 1000))

var state: UInt64 = 1
@MainActor func anyone() -> ItemID {
  state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
  return ItemID(Int64(state >> 33) % count)
}

/// Takes the time of each of `rounds` steps.
@MainActor func measure(_ what: String, rounds: Int = 5_000, _ step: () -> Void) {
  line(what, (0..<rounds).map { _ in seconds(step) })
}

/// What a request's end costs, the next one's start included.
var underWay: [[ItemID]] = []
while true {
  let (files, _) = scheduler.next(at: now)
  if files.isEmpty { break }
  underWay.append(files)
}
measure("a request ends and the next one starts") {
  let ended = underWay.removeFirst()
  for id in ended { _ = scheduler.remove(id) }
  let (files, _) = scheduler.next(at: now)
  underWay.append(files)
}
measure("an attempt fails, backs off and comes back") {
  guard let id = underWay.first?.first else { return }
  _ = scheduler.park(id, .backOff)
  _ = scheduler.queue(id, attempts: 1)
  underWay.removeFirst()
  underWay.append(scheduler.next(at: now).files)
}
measure("a file is paused and resumed") {
  let id = anyone()
  _ = scheduler.park(id, .held)
  _ = scheduler.queue(id, attempts: 0)
}
measure("a file moves before another one") { scheduler.move(anyone(), before: anyone()) }
measure("a file goes to another target") {
  let id = anyone()
  var changed = file(id.rawValue)
  changed.plan = targets[Int(state >> 40) % targets.count]
  _ = scheduler.change(changed)
}
measure("a file is removed and another one added") {
  let id = anyone()
  _ = scheduler.remove(id)
  _ = scheduler.add([file(id.rawValue)])
}
measure("a server is away, and there again") {
  guard let id = underWay.first?.first, let origin = Origin(file(id.rawValue).plan.target.url)
  else { return }
  _ = scheduler.recordUnreachable(by: id, Failure(.connectionRefused("")), at: now, random: 0.5)
  _ = scheduler.next(at: now)
  _ = scheduler.recordReached(origin)
}
measure("credentials are refused, and tried again") {
  let route = targets[3].route
  _ = scheduler.recordRefused(
    [ItemID(3)], on: route, with: 0, status: 401, isSecondTime: false, command: nil,
    Failure(.refused, status: 401))
  _ = scheduler.tryEverything(at: now)
}
// With every server but one away and every lane free, most of the line is passed over.
for ids in underWay { for id in ids { _ = scheduler.queue(id, attempts: 0) } }
for number in 0..<Int64(6) {
  let id = ItemID(count + number)
  var probe = file(number)
  probe.id = id
  _ = scheduler.add([probe])
  _ = scheduler.recordUnreachable(by: id, Failure(.connectionRefused("")), at: now, random: 0.5)
}
measure("a start past 75,000 that wait for servers") {
  let (files, _) = scheduler.next(at: now)
  for id in files { _ = scheduler.queue(id, attempts: 0) }
}
let order = (0..<count).reversed().map { ItemID($0) }
let arranging = seconds { scheduler.arrange(order) }
print("put \(count) files in another order", String(format: "%.0f ms", arranging * 1000))
if !isWithin { exit(1) }
