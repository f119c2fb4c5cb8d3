@testable import Scheduling
@testable import UploadModel

extension Scheduler {
  /// What contradicts what, looked at file by file. Nothing ever shall.
  var disorder: [String] {
    var found: [String] = []
    func check(_ isSound: Bool, _ what: String) { if !isSound { found.append(what) } }
    let sorted = entries.values.sorted { $0.rank < $1.rank }
    check(order.entries().map(\.id) == sorted.map(\.file.id), "the order of all")
    check(Set(sorted.map(\.rank)).count == sorted.count, "two share a rank")
    var underWay: [Int: Int] = [:]
    for (number, route) in routes.enumerated() {
      let own = sorted.filter { $0.route == number }
      check(
        route.ready.entries().map(\.id) == own.filter { $0.place == .line }.map(\.file.id),
        "who waits for \(route.route.target)")
      check(
        route.live == own.count { $0.place.isLive }, "who will be sent to \(route.route.target)")
      underWay[route.target, default: 0] += route.underWay
    }
    for (number, target) in targets.enumerated() {
      check(target.underWay + target.ahead == underWay[number] ?? 0, "the lanes of a target")
      check(
        target.ahead == lanes.values.count { $0.isAhead && routes[$0.route].target == number },
        "who waits for a lane")
    }
    check(lanesTaken == lanes.values.count { !$0.isAhead }, "the lanes")
    for members in groups.all {
      check(members.allSatisfy { groups[$0] == members }, "a group")
      check(members.allSatisfy { entries[$0]?.place.isLive == true }, "a group's places")
    }
    return found
  }
}
