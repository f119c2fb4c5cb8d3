import Foundation

@testable import Scheduling
@testable import UploadModel

/// A scheduler that is told what happens, step by step.
struct SchedulerScript: ~Copyable {
  var scheduler: Scheduler
  var now = Instant(seconds: 1000)
  private var files: [ItemID: Scheduler.File] = [:]
  private var tokens: [ItemID: Int] = [:]

  typealias Answer = SchedulerStep.Answer

  init(lanes: Int = 10, waits: Bool = true) {
    scheduler = Scheduler(lanes: lanes, waitsForServers: waits)
  }

  /// Tells a story.
  ///
  /// - Returns: the steps that got other answers than they must, in words.
  mutating func play(_ steps: [SchedulerStep]) -> [String] {
    steps.enumerated().compactMap { index, step in
      let answers = handle(step.event)
      guard let expected = step.answers, answers != expected else { return nil }
      return "step \(index + 1), \(step.event): \(answers), not \(expected)"
    }
  }

  /// What one event is answered with.
  mutating func handle(_ event: SchedulerStep.Event) -> [Answer] {
    switch event {
    case .add(let ids, let target):
      for id in ids.map(ItemID.init) {
        let bytes: Int64 = id.rawValue < 100 ? 1 : 2 << 20
        files[id] = Scheduler.File(id: id, bytes: bytes, plan: target.plan)
      }
      return perform(scheduler.add(ids.compactMap { files[ItemID($0)] }))
    case .go: return go()
    case .giveAhead(let count, let target): scheduler.setAhead(count, of: target.name)
    case .begun(let ids): for id in ids { scheduler.recordBegun(ItemID(id)) }
    case .takeLane(let id): return [.lane(scheduler.takeLane(beside: ItemID(id), at: now))]
    case .giveBackLanes(let id, let count):
      _ = scheduler.giveBackLanes(of: ItemID(id), but: count)
    case .over(let ids): return each(ids) { $0.scheduler.park($1, .over) }
    case .backOff(let ids): return each(ids) { $0.scheduler.park($1, .backOff) }
    case .hold(let ids): return each(ids) { $0.scheduler.park($1, .held) }
    case .remove(let ids): return each(ids) { $0.scheduler.remove($1) }
    case .wait(let ids): return each(ids) { $0.scheduler.queue($1, attempts: 0) }
    case .unreachable(let ids):
      return each(ids) { $0.recordUnreachable($1) + $0.scheduler.queue($1, attempts: 0) }
    case .lost(let ids):
      return each(ids) { $0.recordUnreachable($1) + $0.scheduler.park($1, .over) }
    case .reached(let ids):
      return each(ids) { script, id in
        let origin = script.route(of: id)?.origin
        let back = origin.map { script.scheduler.recordReached($0) } ?? []
        return back + script.scheduler.park(id, .over)
      }
    case .asked(let id, let seconds): return ask(ItemID(id), toWait: seconds)
    case .accepted(let ids): return each(ids) { $0.recordAccepted($1) }
    case .refused(let ids): return each(ids) { $0.recordRefused($1) }
    case .token(let target): return perform(scheduler.recordRenewed(target.route))
    case .noToken(let target):
      return perform(scheduler.recordRenewalFailure(target.route, Failure(.denied("no"))))
    case .refusedBefore(let target): scheduler.recordRefusedBefore([target.name: .refused])
    case .retry(let ids):
      let ids = ids.map(ItemID.init)
      let queued = ids.flatMap { scheduler.queue($0, attempts: 0) }
      return perform(queued + scheduler.tryNow(ids, at: now))
    case .tryEverything: return perform(scheduler.tryEverything(at: now))
    case .redirect(let ids, let target):
      return each(ids) { script, id in
        script.files[id]?.plan = target.plan
        return script.files[id].map { script.scheduler.change($0) } ?? []
      }
    case .move(let id, let next): scheduler.move(ItemID(id), before: next.map(ItemID.init))
    case .arrange(let ids): scheduler.arrange(ids.map(ItemID.init))
    case .tie(let ids): scheduler.group(ids.map(ItemID.init))
    case .lanes(let count, let target): scheduler.setConcurrency(.fixed(count), of: target.name)
    case .stop: return perform(scheduler.setStarted(false))
    case .start: return perform(scheduler.setStarted(true))
    case .later(let seconds): now = now + seconds
    }
    return []
  }

  private mutating func each(
    _ ids: [Int64], _ change: (inout SchedulerScript, ItemID) -> [Scheduler.Action]
  ) -> [Answer] {
    perform(ids.flatMap { change(&self, ItemID($0)) })
  }

  private func route(of id: ItemID) -> Route? { files[id].map(\.plan.route) }

  private mutating func recordUnreachable(_ id: ItemID) -> [Scheduler.Action] {
    scheduler.recordUnreachable(by: id, Failure(.connectionRefused("")), at: now, random: 0)
  }

  private mutating func ask(_ id: ItemID, toWait seconds: Double) -> [Answer] {
    let servers = Set([route(of: id)?.origin].compactMap(\.self))
    let failure = Failure(.refused, status: 429, retryAfter: seconds)
    let reported = scheduler.recordWait(of: servers, until: now + seconds, failure)
    return perform(reported + scheduler.park(id, .backOff))
  }

  private mutating func recordAccepted(_ id: ItemID) -> [Scheduler.Action] {
    guard let target = files[id]?.plan.target else { return [] }
    let opened = scheduler.recordAccepted(
      on: Route(to: target), with: tokens[id] ?? 0, hasCommand: target.tokenCommand != nil)
    return opened + scheduler.park(id, .over)
  }

  private mutating func recordRefused(_ id: ItemID) -> [Scheduler.Action] {
    guard let target = files[id]?.plan.target else { return [] }
    let (consequence, actions) = scheduler.recordRefused(
      [id], on: Route(to: target), with: tokens[id] ?? 0, status: 401, isSecondTime: false,
      command: target.tokenCommand, Failure(.refused, status: 401))
    let isAgain = consequence == .again || consequence == .renew
    return actions + (isAgain ? scheduler.queue(id, attempts: 0) : scheduler.park(id, .over))
  }

  private mutating func go() -> [Answer] {
    var answers = perform(scheduler.giveUps(at: now))
    while true {
      let (files, actions) = scheduler.next(at: now)
      for id in files { tokens[id] = route(of: id).map { scheduler.token(on: $0) } }
      if let first = files.first {
        answers.append(.request(files.map(\.rawValue), isAhead: scheduler.isAhead(first)))
      }
      answers += perform(actions)
      if files.isEmpty { return answers }
    }
  }

  /// Does what the engine would do, and tells of it.
  private mutating func perform(_ actions: [Scheduler.Action]) -> [Answer] {
    actions.map { action in
      switch action {
      case .wake(let instant): return .wake(after: Int(instant - now))
      case .renew(let route, _): return .renew(StoryTarget(route.target))
      case .fail(let id, let failure):
        _ = scheduler.park(id, .over)
        return .fail(id.rawValue, failure.code)
      case .giveUp(let files, _):
        for id in files { _ = scheduler.park(id, .over) }
        return .giveUp(files.map(\.rawValue))
      case .server(let origin, .away(_, let next)):
        return .away(StoryTarget(at: origin), next: next.map { Int($0 - now) })
      case .server(let origin, .asksToWait(_, let until, _)):
        return .asksToWait(StoryTarget(at: origin), seconds: Int(until - now))
      case .server(let origin, .back): return .back(StoryTarget(at: origin))
      case .server(let origin, .unneeded): return .unneeded(StoryTarget(at: origin))
      case .pace(let target, let until):
        return .paced(StoryTarget(target), seconds: until.map { Int($0 - now) })
      case .refusal(let target, let trouble):
        return trouble == nil ? .tried(StoryTarget(target)) : .shut(StoryTarget(target))
      }
    }
  }
}
