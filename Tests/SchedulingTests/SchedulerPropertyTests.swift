import Foundation
import TestSupport
import Testing

@testable import Scheduling
@testable import UploadModel

/// Random events, and a simple-minded account of them on the side.
struct SchedulerPropertyTests {
  /// What is known of each file without asking the scheduler.
  private struct Account {
    var order: [ItemID] = []
    var waiting: Set<ItemID> = []
    var backingOff: Set<ItemID> = []
    /// The request that it is in.
    var requests: [ItemID: Int] = [:]
    var target: [ItemID: StoryTarget] = [:]
    var routes: [Int: StoryTarget] = [:]
    var lastRequest = 0

    mutating func start(_ files: [ItemID]) {
      lastRequest += 1
      for id in files {
        waiting.remove(id)
        backingOff.remove(id)
        requests[id] = lastRequest
      }
      routes[lastRequest] = files.first.flatMap { target[$0] }
    }

    mutating func leave(_ id: ItemID) {
      waiting.remove(id)
      backingOff.remove(id)
      requests[id] = nil
    }

    /// Requests under way.
    var underWay: Set<Int> { Set(requests.values) }

    func underWay(to target: StoryTarget) -> Int { underWay.count { routes[$0] == target } }
  }

  private static let names: [StoryTarget] = [.a, .b, .besideA, .withCommand, .inBatches, .wide]

  @Test(
    .timeLimit(.minutes(5)), arguments: Effort.of([1], long: [1, 2, 3, 4]) as [UInt64],
    [true, false])
  func tenThousandEventsHoldWhatIsPromised(_ seed: UInt64, _ waits: Bool) throws {
    var random = SplitMix(seed)
    let lanes = 5
    var scheduler = Scheduler(lanes: lanes, waitsForServers: waits)
    var account = Account()
    var wishes: [StoryTarget: Int] = [:]
    var now = Instant(seconds: 0)
    var lastID: Int64 = 0
    var isStarted = true
    var starts = 0

    func file(_ id: ItemID, _ name: StoryTarget) -> Scheduler.File {
      Scheduler.File(id: id, bytes: id.rawValue % 50, plan: name.plan)
    }
    func perform(_ actions: [Scheduler.Action]) {
      for action in actions {
        switch action {
        case .fail(let id, _):
          #expect(account.requests[id] == nil, "what is under way does not fail before its turn")
          account.leave(id)
          perform(scheduler.park(id, .over))
        case .giveUp(let files, _):
          for id in files {
            #expect(account.requests[id] == nil, "what is under way is not given up")
            account.leave(id)
            perform(scheduler.park(id, .over))
          }
        case .wake(let instant): #expect(instant > now)
        case .renew, .server, .refusal, .pace: break
        }
      }
    }
    func concurrency(_ name: StoryTarget) -> Int {
      wishes[name] ?? name.plan.target.concurrency.most
    }
    /// Whether nothing but its place in line holds a file back, by the account.
    func isFree(_ id: ItemID) -> Bool {
      guard account.waiting.contains(id), let name = account.target[id],
        account.underWay(to: name) < concurrency(name),
        let number = scheduler.routeNumbers[name.route]
      else { return false }
      let target = name.plan.target
      let server = Origin(target.url).flatMap { scheduler.servers[$0] }
      if let server, server.permission(at: now) != .go { return false }
      let credentials = scheduler.routes[number].credentials
      return credentials.permission(hasCommand: target.tokenCommand != nil) == .go
    }
    func fill() {
      perform(scheduler.giveUps(at: now))
      while true {
        let first = account.order.first(where: isFree)
        let isPossible = isStarted && account.underWay.count < lanes
        let (files, actions) = scheduler.next(at: now)
        perform(actions)
        guard let leader = files.first else {
          #expect(!isPossible || first == nil, "\(first as Any) could have gone")
          return
        }
        starts += 1
        #expect(isPossible)
        for id in files {
          #expect(account.waiting.contains(id) || account.backingOff.contains(id))
        }
        // Nobody who is free is passed by, but for one who goes in doubt or with a group.
        if let first, let position = account.order.firstIndex(of: first),
          let other = files.compactMap({ account.order.firstIndex(of: $0) }).min()
        {
          #expect(other <= position, "\(leader) went before \(first)")
        }
        account.start(files)
        #expect(account.underWay.count <= lanes)
        guard let target = account.target[leader] else {
          Issue.record("\(leader) is not known")
          return
        }
        #expect(account.underWay(to: target) <= concurrency(target))
        #expect(files.allSatisfy { account.target[$0] == target })
      }
    }

    for step in 0..<10_000 {
      let known = account.order
      let id = known.isEmpty ? ItemID(0) : known[random.below(known.count)]
      let running = account.requests.keys.sorted()
      let sent = running.isEmpty ? nil : running[random.below(running.count)]
      switch random.below(34) {
      case 0..<8:
        guard known.count < 120 else { break }
        let name = Self.names[random.below(Self.names.count)]
        for _ in 0...random.below(4) {
          lastID += 1
          let id = ItemID(lastID)
          (account.target[id], _) = (name, account.order.append(id))
          account.waiting.insert(id)
          perform(scheduler.add([file(id, name)]))
        }
      case 8..<16:
        guard let sent, let name = account.target[sent] else { break }
        let route = name.route
        // The end of a request.
        let members = running.filter { account.requests[$0] == account.requests[sent] }
        let command = name.plan.target.tokenCommand
        var goesAgain = false
        switch random.below(6) {
        case 0:
          perform(
            scheduler.recordUnreachable(
              by: sent, Failure(.connectionRefused("")), at: now,
              random: Double(random.below(100)) / 100))
          goesAgain = waits
        case 1:
          let (consequence, actions) = scheduler.recordRefused(
            [sent], on: route, with: scheduler.token(on: route),
            status: 401, isSecondTime: false, command: command, Failure(.refused, status: 401))
          perform(actions)
          goesAgain = consequence == .again || consequence == .renew
        default:
          if let origin = Origin(name.plan.target.url) { perform(scheduler.recordReached(origin)) }
          perform(
            scheduler.recordAccepted(
              on: route, with: scheduler.token(on: route),
              hasCommand: command != nil))
        }
        let end = random.below(4)
        for id in members {
          account.leave(id)
          if goesAgain {
            account.waiting.insert(id)
            perform(scheduler.queue(id, attempts: 0))
          } else if end == 0 {
            account.backingOff.insert(id)
            perform(scheduler.park(id, .backOff))
          } else if end == 1 {
            perform(scheduler.park(id, .held))
          } else {
            account.order.removeAll { $0 == id }
            perform(scheduler.remove(id))
          }
        }
      case 16, 17:
        guard account.requests[id] == nil, !known.isEmpty else { break }
        account.leave(id)
        account.waiting.insert(id)
        perform(scheduler.queue(id, attempts: 0))
      case 18:
        guard account.requests[id] == nil else { break }
        account.leave(id)
        perform(scheduler.park(id, .held))
      case 19:
        guard account.requests[id] == nil else { break }
        account.leave(id)
        account.order.removeAll { $0 == id }
        perform(scheduler.remove(id))
      case 20:
        guard account.requests[id] == nil, !known.isEmpty else { break }
        let name = Self.names[random.below(Self.names.count)]
        account.target[id] = name
        perform(scheduler.change(file(id, name)))
      case 21, 22:
        let other = random.below(5) == 0 ? nil : known.randomElement(&random)
        scheduler.move(id, before: other)
        guard id != other, let from = account.order.firstIndex(of: id) else { break }
        account.order.remove(at: from)
        account.order.insert(
          id, at: other.flatMap { account.order.firstIndex(of: $0) } ?? account.order.count)
      case 23:
        let named = known.filter { _ in random.below(2) == 0 }.sorted { $0 > $1 }
        scheduler.arrange(named)
        let places = named.compactMap { account.order.firstIndex(of: $0) }.sorted()
        for (place, id) in zip(places, named) { account.order[place] = id }
      case 24:
        guard account.waiting.contains(id) else { break }
        perform(scheduler.tryNow([id], at: now))
      case 25: perform(scheduler.tryEverything(at: now))
      case 27:
        let name = Self.names[random.below(Self.names.count)]
        let wish = 1 + random.below(3)
        guard account.underWay(to: name) <= wish else { break }
        wishes[name] = wish
        scheduler.setConcurrency(.fixed(wish), of: name.name)
      case 28:
        isStarted = random.below(4) > 0
        perform(scheduler.setStarted(isStarted))
      case 29, 30:
        let route = StoryTarget.withCommand.route
        guard let number = scheduler.routeNumbers[route],
          scheduler.routes[number].credentials.permission(hasCommand: true) == .wait
        else { break }
        perform(
          random.below(4) > 0
            ? scheduler.recordRenewed(route)
            : scheduler.recordRenewalFailure(route, Failure(.denied("no"))))
      default: now = now + Double(random.below(20))
      }
      fill()
      if step % 50 == 0 { #expect(scheduler.disorder == []) }
    }
    #expect(starts > 1000, "\(starts) requests are too few to show anything")
  }
}

extension Array {
  fileprivate func randomElement(_ random: inout SplitMix) -> Element? {
    isEmpty ? nil : self[random.below(count)]
  }
}
