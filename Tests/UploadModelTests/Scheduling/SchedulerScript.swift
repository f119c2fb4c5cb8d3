import Foundation

@testable import UploadModel

/// A scheduler that is told what happens in words, so that tables of stories stay readable.
///
/// | word | what happens |
/// |---|---|
/// | `a+1,2,3` | files for the target a are added |
/// | `a+100` | from 100 on they are large |
/// | `go` | everything starts that can: `1 2+3*` are two requests, the second with two files and ahead |
/// | `ahead:a`, `apart:a` | the target's files are given out ahead, or not |
/// | `begun:3` | a file that was given out ahead takes a lane |
/// | `end:1`, `off:1`, `hold:1`, `drop:1` | files are over, back off, are held, are removed |
/// | `back:1` | files wait again |
/// | `down:1` | the server was not reached, and the file waits again |
/// | `lost:1` | the same, and it is over |
/// | `up:1` | the server answered, and the file is over |
/// | `ask9:1` | its server asked to wait nine seconds, and the file backs off |
/// | `ok:1`, `no:1`, `no:1!` | it took the file, said 401, said 401 to a file that it had refused before |
/// | `token:k`, `none:k` | the command of the target k gave a token, or failed |
/// | `r:1`, `R` | the person tries files, or everything, again |
/// | `b<1` | files go to the target b from now on |
/// | `3<2`, `3<` | file 3 stands before file 2, or last; `order:3,1` puts several in order |
/// | `tied:1,2` | files go together |
/// | `b=3` | so many lanes for the target b |
/// | `stop`, `start`, `later:5` | nothing begins; it goes on; seconds go by |
struct SchedulerScript {
  var scheduler: Scheduler
  var now = Instant(seconds: 1000)
  private var files: [ItemID: Scheduler.File] = [:]
  private var tokens: [ItemID: Int] = [:]

  static let targets: [Character: Boxed<Target>] = {
    var targets: [Character: Boxed<Target>] = [:]
    for (name, host, concurrency) in [
      ("a", "a", 2), ("b", "b", 2), ("c", "a", 2), ("k", "k", 2), ("l", "k", 2), ("m", "m", 2),
      ("z", "z", 64),
    ] {
      guard let url = URL(string: "http://\(host).example/") else { continue }
      var target = Target(name: name, url: url)
      target.concurrency = concurrency
      target.retry = RetryPolicy(attempts: 2, base: 4, cap: 60)
      if name == "k" { target.tokenCommand = TokenCommand(["k"]) }
      if name == "m" { target.batch = BatchRule(maxFiles: 3) }
      targets[Character(name)] = Boxed(target)
    }
    return targets
  }()

  init(lanes: Int = 10, waits: Bool = true) {
    scheduler = Scheduler(lanes: lanes, waitsForServers: waits)
  }

  /// Tells a story, word by word. A word that ends in `→answer` has to be answered so.
  ///
  /// - Returns: the words whose answers were others.
  mutating func play(_ story: String) -> [String] {
    story.split(whereSeparator: \.isWhitespace).compactMap { step in
      let halves = step.split(separator: "→", omittingEmptySubsequences: false).map(String.init)
      let answer = tell(halves[0])
      let expected = halves.count > 1 ? halves[1].replacing("_", with: " ") : answer
      return answer == expected ? nil : "\(halves[0])→\(answer), not \(expected)"
    }
  }

  /// The answer to one word.
  mutating func tell(_ word: String) -> String {
    switch word {
    case "go": return go()
    case "R": return words(scheduler.tryEverything(at: now))
    case "stop": return words(scheduler.setStarted(false))
    case "start": return words(scheduler.setStarted(true))
    default: break
    }
    guard let sign = word.firstIndex(where: { "+:<=".contains($0) }) else { return "?" }
    let (verb, rest) = (String(word[..<sign]), String(word[word.index(after: sign)...]))
    let isAgain = rest.hasSuffix("!")
    let ids = rest.filter { $0 != "!" }.split(separator: ",").compactMap { Int64($0) }.map(
      ItemID.init)
    switch (verb, word[sign]) {
    case ("later", _): now = now + (Double(rest) ?? 0)
    case ("wide", _):
      return ids.map { scheduler.takeLane(beside: $0, at: now) ? "yes" : "no" }.joined(
        separator: "_")
    case ("but1", _), ("but2", _):
      for id in ids { _ = scheduler.giveBackLanes(of: id, but: verb == "but1" ? 1 : 2) }
    case ("order", _): scheduler.arrange(ids)
    case ("tied", _): scheduler.group(ids)
    case ("token", _), ("none", _):
      guard let target = rest.first.flatMap({ Self.targets[$0] }) else { return "?" }
      let route = Route(to: target.value)
      return words(
        verb == "token"
          ? scheduler.recordRenewed(route)
          : scheduler.recordRenewalFailure(route, Failure(.denied("no"))))
    case ("ahead", _), ("apart", _): scheduler.setGivesAhead(verb == "ahead", of: rest)
    case ("begun", _): ids.forEach { scheduler.recordBegun($0) }
    case (_, "="): scheduler.setConcurrency(Int(rest) ?? 0, of: verb)
    case (_, "+"):
      guard let target = verb.first.flatMap({ Self.targets[$0] }) else { return "?" }
      for id in ids {
        files[id] = Scheduler.File(id: id, bytes: id.rawValue < 100 ? 1 : 2 << 20, target: target)
      }
      return words(scheduler.add(ids.compactMap { files[$0] }))
    case (_, "<") where verb.first?.isNumber == true:
      scheduler.move(ItemID(Int64(verb) ?? 0), before: ids.first)
    case (_, "<"):
      guard let target = verb.first.flatMap({ Self.targets[$0] }) else { return "?" }
      return words(
        ids.flatMap { id in
          files[id]?.target = target
          return files[id].map { scheduler.change($0) } ?? []
        })
    case ("r", _):
      let queued = ids.flatMap { scheduler.queue($0, attempts: 0) }
      return words(queued + scheduler.tryNow(ids, at: now))
    default: return words(ids.flatMap { tell(verb, $0, isAgain: isAgain) })
    }
    return ""
  }

  private mutating func tell(_ verb: String, _ id: ItemID, isAgain: Bool) -> [Scheduler.Action] {
    guard let target = files[id]?.target.value else { return [] }
    let route = Route(to: target)
    let over: [Scheduler.Action]
    switch verb {
    case "end": return scheduler.park(id, .over)
    case "off": return scheduler.park(id, .backOff)
    case "hold": return scheduler.park(id, .held)
    case "drop": return scheduler.remove(id)
    case "back": return scheduler.queue(id, attempts: 0)
    case "down", "lost":
      over = scheduler.recordUnreachable(
        by: id, Failure(.connectionRefused("")), at: now, random: 0)
      return over + (verb == "down" ? scheduler.queue(id, attempts: 0) : scheduler.park(id, .over))
    case _ where verb.hasPrefix("ask"):
      let seconds = Double(verb.dropFirst(3)) ?? 0
      scheduler.recordWait(
        of: Set([route.origin].compactMap(\.self)), until: now + seconds,
        Failure(.refused, status: 429, retryAfter: seconds))
      return scheduler.park(id, .backOff)
    case "up": over = route.origin.map { scheduler.recordReached($0) } ?? []
    case "ok":
      over = scheduler.recordAccepted(
        on: route, with: tokens[id] ?? 0, hasCommand: target.tokenCommand != nil)
    case "no":
      let (consequence, actions) = scheduler.recordRefused(
        on: route, with: tokens[id] ?? 0, status: 401, isSecondTime: isAgain,
        command: target.tokenCommand, Failure(.refused, status: 401))
      if consequence == .again || consequence == .renew {
        return actions + scheduler.queue(id, attempts: 0)
      }
      over = actions
    default: return []
    }
    return over + scheduler.park(id, .over)
  }

  private mutating func go() -> String {
    var answers: [String] = []
    let gaveUp = words(scheduler.giveUps(at: now))
    if !gaveUp.isEmpty { answers.append(gaveUp) }
    while true {
      let (files, actions) = scheduler.next(at: now)
      for id in files {
        tokens[id] = self.files[id].map { scheduler.token(on: Route(to: $0.target.value)) }
      }
      if let first = files.first {
        let names = files.map { "\($0.rawValue)" }.joined(separator: "+")
        answers.append(names + (scheduler.isAhead(first) ? "*" : ""))
      }
      if !actions.isEmpty { answers.append(words(actions)) }
      if files.isEmpty { return answers.joined(separator: " ") }
    }
  }

  private mutating func words(_ actions: [Scheduler.Action]) -> String {
    actions.map { action in
      switch action {
      case .wake(let instant): return "wake+\(Int(instant - now))"
      case .renew(let route, _): return "renew-\(route.target)"
      case .fail(let id, let failure):
        _ = scheduler.park(id, .over)
        return "fail-\(id.rawValue):\(failure.code)"
      case .giveUp(let files, _):
        for id in files { _ = scheduler.park(id, .over) }
        return "give-up-\(files.map { "\($0.rawValue)" }.joined(separator: ","))"
      case .server(let origin, .away(_, let next)):
        return "\(origin.host.prefix(1))-away\(next.map { "+\(Int($0 - now))" } ?? "")"
      case .server(let origin, .back): return "\(origin.host.prefix(1))-back"
      case .server(let origin, .unneeded): return "\(origin.host.prefix(1))-unneeded"
      case .refusal(let target, let trouble):
        return "\(target)-\(trouble == nil ? "tried" : "shut")"
      }
    }.joined(separator: " ")
  }
}
