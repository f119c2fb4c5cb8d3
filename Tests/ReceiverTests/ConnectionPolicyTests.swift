import NIOCore
import TestSupport
import Testing

@testable import Receiver

/// Who is let in, by numbers: members are served in the order in which they come unless said otherwise.
struct ConnectionPolicyTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  private func crowd(most: Int = 4, ofAddress: Int = 2, waiting: Int = 3) -> ConnectionPolicy<
    Int, String
  > {
    ConnectionPolicy(most: most, mostOfAddress: ofAddress, mostWaiting: waiting)
  }

  private func busy(_: Int) -> NIODeadline? { nil }

  @Test("all are served while there are places")
  func room() {
    var crowd = crowd()
    for (member, address) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] {
      #expect(crowd.arrive(member, from: address, now: start, idle: busy) == [.serve(member)])
    }
    #expect(!crowd.hasWaiting)
  }

  @Test("one address has its bound, and others are served meanwhile")
  func bound() {
    var crowd = crowd()
    for member in 1...2 { _ = crowd.arrive(member, from: "a", now: start, idle: busy) }
    #expect(crowd.arrive(3, from: "a", now: start, idle: busy) == [])
    #expect(crowd.hasWaiting)
    #expect(crowd.arrive(4, from: "b", now: start, idle: busy) == [.serve(4)])
    #expect(crowd.leave(1, now: start, idle: busy) == [.serve(3)])
    #expect(!crowd.hasWaiting)
  }

  @Test("where an address is full, its own that has been idle longest goes")
  func ownIdle() {
    var crowd = crowd()
    for (member, address) in [(1, "a"), (2, "a"), (3, "b")] {
      _ = crowd.arrive(member, from: address, now: start, idle: busy)
    }
    let idle: [Int: NIODeadline] = [
      1: start + .seconds(2), 2: start + .seconds(1), 3: start,
    ]
    let now = start + .seconds(10)
    #expect(crowd.arrive(4, from: "a", now: now, idle: { idle[$0] }) == [.evict(2)])
    // Asked once; its place is waited for.
    #expect(crowd.look(now: now, idle: { idle[$0] }) == [])
    #expect(crowd.leave(2, now: now, idle: { idle[$0] }) == [.serve(4)])
  }

  @Test("where all places are taken, the one that has been idle longest of all goes")
  func anyIdle() {
    var crowd = crowd()
    for (member, address) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] {
      _ = crowd.arrive(member, from: address, now: start, idle: busy)
    }
    let idle: [Int: NIODeadline] = [1: start + .seconds(2), 3: start + .seconds(1)]
    let now = start + .seconds(10)
    #expect(crowd.arrive(5, from: "c", now: now, idle: { idle[$0] }) == [.evict(3)])
    #expect(crowd.arrive(6, from: "c", now: now, idle: { idle[$0] }) == [.evict(1)])
    #expect(crowd.leave(1, now: now, idle: { idle[$0] }) == [.serve(5)])
    #expect(crowd.leave(3, now: now, idle: { idle[$0] }) == [.serve(6)])
  }

  @Test(
    "any connection whose place would do is asked to go, and one that stays may be asked again")
  func demand() {
    var crowd = crowd(most: 3)
    for (member, address) in [(1, "a"), (2, "a"), (3, "b")] {
      _ = crowd.arrive(member, from: address, now: start, idle: busy)
    }
    #expect(!crowd.demand.includes("a") && !crowd.demand.includes("b"))
    // Another place would not be for it.
    _ = crowd.arrive(4, from: "a", now: start, idle: busy)
    #expect(crowd.demand.includes("a") && !crowd.demand.includes("b"))
    _ = crowd.arrive(5, from: "c", now: start, idle: busy)
    #expect(crowd.demand.includes("a") && crowd.demand.includes("b"))
    let idle = { (member: Int) -> NIODeadline? in member == 3 ? self.start : nil }
    let now = start + .seconds(10)
    #expect(crowd.look(now: now, idle: idle) == [.evict(3)])
    #expect(crowd.look(now: now, idle: idle) == [])
    crowd.keep(3)
    #expect(crowd.look(now: now, idle: idle) == [.evict(3)])
    #expect(crowd.leave(3, now: now, idle: idle) == [.serve(5)])
    #expect(crowd.leave(1, now: now, idle: idle) == [.serve(4)])
    #expect(!crowd.demand.includes("a"))
  }

  @Test("nobody goes who is at work or has been idle for a moment only")
  func patience() {
    var crowd = crowd(most: 1, ofAddress: 1)
    _ = crowd.arrive(1, from: "a", now: start, idle: busy)
    #expect(crowd.arrive(2, from: "b", now: start + .seconds(9), idle: busy) == [])
    let since = start + .seconds(9)
    #expect(crowd.look(now: since + .milliseconds(999), idle: { _ in since }) == [])
    #expect(crowd.look(now: since + .seconds(1), idle: { _ in since }) == [.evict(1)])
    // Longer patience is a moment in the future.
    #expect(crowd.look(now: since, idle: { _ in since + .seconds(5) }) == [])
  }

  @Test("where too many wait, the address with the most loses its first")
  func surplus() {
    var crowd = crowd(most: 1, ofAddress: 1, waiting: 2)
    _ = crowd.arrive(1, from: "a", now: start, idle: busy)
    #expect(crowd.arrive(2, from: "a", now: start, idle: busy) == [])
    #expect(crowd.arrive(3, from: "a", now: start, idle: busy) == [])
    #expect(crowd.arrive(4, from: "a", now: start, idle: busy) == [.drop(2)])
    #expect(crowd.arrive(5, from: "b", now: start, idle: busy) == [.drop(3)])
    #expect(crowd.leave(1, now: start, idle: busy) == [.serve(4)])
    #expect(crowd.close() == [5])
    #expect(!crowd.hasWaiting)
  }

  @Test("who leaves while waiting is forgotten")
  func gone() {
    var crowd = crowd(most: 1, ofAddress: 1)
    _ = crowd.arrive(1, from: "a", now: start, idle: busy)
    _ = crowd.arrive(2, from: "b", now: start, idle: busy)
    #expect(crowd.leave(2, now: start, idle: busy) == [])
    #expect(!crowd.hasWaiting)
    #expect(crowd.leave(1, now: start, idle: busy) == [])
  }

  @Test(
    "clients of one network count as one, IPv4 by the address and IPv6 by its first half",
    arguments: [
      ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
      ("::ffff:192.0.2.1", "192.0.2.1", true), ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
      ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true),
      ("2001:db8::1", "2001:db8:0:1::1", false),
      ("::1", "127.0.0.1", false),
    ])
  func networks(a: String, b: String, isSame: Bool) throws {
    let (a, b) = (
      try SocketAddress(ipAddress: a, port: 1), try SocketAddress(ipAddress: b, port: 2)
    )
    #expect((ClientName.network(of: a) == ClientName.network(of: b)) == isSame)
  }

  @Test("random comings and goings keep every bound, and nobody waits beside a free place")
  func random() {
    var generator = SplitMix64(seed: 14)
    var crowd = crowd(most: 8, ofAddress: 3, waiting: 5)
    var (served, waiting): ([Int: String], [Int: String]) = ([:], [:])
    var evicted: Set<Int> = []
    for step in 0..<20_000 {
      let now = start + .milliseconds(Int64(step))
      let idle = { (member: Int) -> NIODeadline? in member % 3 == 0 ? now - .seconds(5) : nil }
      let actions: [ConnectionPolicy<Int, String>.Action]
      let all = Array(served.keys) + Array(waiting.keys)
      if let one = all.sorted().randomElement(using: &generator), Bool.random(using: &generator) {
        (served[one], waiting[one]) = (nil, nil)
        evicted.remove(one)
        actions = crowd.leave(one, now: now, idle: idle)
      } else {
        waiting[step] = "\(Int.random(in: 0..<5, using: &generator))"
        actions = crowd.arrive(step, from: waiting[step] ?? "", now: now, idle: idle)
      }
      for action in actions {
        switch action {
        case .serve(let member):
          served[member] = waiting.removeValue(forKey: member)
        case .evict(let member):
          #expect(served[member] != nil && idle(member) != nil)
          #expect(evicted.insert(member).inserted)
        case .drop(let member): #expect(waiting.removeValue(forKey: member) != nil)
        }
      }
      let counts = Dictionary(served.values.map { ($0, 1) }, uniquingKeysWith: +)
      #expect(served.count <= 8 && waiting.count <= 5 && counts.values.allSatisfy { $0 <= 3 })
      #expect(
        served.count == 8 || waiting.values.allSatisfy { counts[$0, default: 0] == 3 })
      #expect(crowd.hasWaiting == !waiting.isEmpty)
    }
  }
}
