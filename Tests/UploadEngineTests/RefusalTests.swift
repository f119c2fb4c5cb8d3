import Foundation
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Servers that answer 401 or 403 to some of twenty files: which files are sent all the same, and what becomes of each.
@Suite(.timeLimit(.minutes(5)))
struct RefusalTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  enum Credentials: String, CaseIterable, Sendable {
    case none, bearer, command
  }

  /// Which files are refused, by their numbers from 1 to 20.
  enum Pattern: String, CaseIterable, Sendable {
    case first, middle, all

    var refused: ClosedRange<Int> {
      switch self {
      case .first: 1...5
      case .middle: 7...13
      case .all: 1...20
      }
    }
  }

  struct Story: Sendable, CustomTestStringConvertible {
    let status: Int
    let credentials: Credentials
    let pattern: Pattern
    let lanes: Int
    let waitsForPerson: Bool

    var testDescription: String {
      "\(status) \(pattern), \(credentials), \(lanes) lanes, \(waitsForPerson ? "with" : "without") a person"
    }

    static let all = [401, 403].flatMap { status in
      Credentials.allCases.flatMap { credentials in
        Pattern.allCases.flatMap { pattern in
          [1, 4, 16].flatMap { lanes in
            [false, true].map {
              Story(
                status: status, credentials: credentials, pattern: pattern, lanes: lanes,
                waitsForPerson: $0)
            }
          }
        }
      }
    }
  }

  private func jobs(_ story: Story, to url: URL) throws -> [UploadJob] {
    var target = Target.once(url)
    switch story.credentials {
    case .none: break
    case .bearer:
      target.headers = [.init(name: "Authorization", value: Template(literal: "Bearer t"))]
    case .command: target.tokenCommand = TokenCommand(["echo", "t"])
    }
    return try (1...20).map { number in
      let path = try folder.write("\(number)", count: 10, seed: UInt64(number))
      return UploadJob(item: .file(path, id: Int64(number)), target: target)
    }
  }

  @Test(arguments: Story.all)
  func eachFileIsToldWhatBecameOfIt(_ story: Story) async throws {
    let served = Mutex<[Int: Int]>([:])
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let number = (try? request.files().first?.name).flatMap { Int($0) } ?? 0
        served.withLock { $0[number, default: 0] += 1 }
        let line = story.pattern.refused.contains(number) ? "\(story.status) No" : "200 OK"
        connection.send("HTTP/1.1 \(line)\r\nContent-Length: 5\r\n\r\nreply")
      }
    }
    defer { server.stop() }
    let jobs = try jobs(story, to: server.url())
    let harness = EngineHarness(lanes: story.lanes, waitsForServers: story.waitsForPerson)
    harness.engine.submit(jobs)
    let ids = jobs.map(\.item.id)
    try await wait(for: "an end") {
      let states = ids.map { harness.states(of: $0).last ?? .waiting }
      if states.allSatisfy(\.isFinished) { return true }
      // With a person there, the others wait without a word once the credentials are closed.
      let isClosed = harness.refusals.last.map { !$0.hasSuffix("tried again") } ?? false
      // After a 403 they go one at a time, so all of them end.
      let isOver = story.status == 401 && isClosed && !states.contains(where: \.isActive)
      return story.waitsForPerson && isOver ? true : nil
    }
    let ends = ids.map { harness.states(of: $0).last ?? .waiting }
    let requests = served.withLock { $0 }
    let refused = Set(story.pattern.refused)

    // Every request is an attempt that was told, and every attempt is one that the server saw.
    for (index, id) in ids.enumerated() {
      let attempts = harness.states(of: id).count(where: \.isPreparing)
      #expect(attempts == requests[index + 1, default: 0], "file \(index + 1)")
    }
    for (index, end) in ends.enumerated() {
      let (number, wasSent) = (index + 1, requests[index + 1, default: 0] > 0)
      switch end {
      case .done: #expect(wasSent && !refused.contains(number), "file \(number)")
      case .failed(let failure) where failure.isNotTried:
        #expect(!wasSent && !story.waitsForPerson, "file \(number)")
        #expect(failure == Failure(failure.cause), "no status, no attempt, no reply")
      case .failed(let failure):
        #expect(wasSent && refused.contains(number), "file \(number)")
        #expect(failure.status == story.status && failure.reply.text == "reply")
        #expect(
          (failure.cause == .anonymous) == (story.credentials == .none && story.status == 401))
      case .waiting:
        // A file that was refused with an old token waits as well.
        #expect(story.waitsForPerson && (!wasSent || refused.contains(number)), "file \(number)")
      default: Issue.record("file \(number): \(end)")
      }
    }
    let untried = ends.count { $0.failure?.isNotTried == true || $0 == .waiting }
    if story.status == 403 {
      // As with curl in a loop, every file is sent.
      #expect(untried == 0)
    } else if story.pattern == .middle, story.lanes == 1 {
      // Six are accepted. With the third 401 in a row, nothing more starts; with a command, the first two of these
      // are for one file.
      #expect(untried == (story.credentials == .command ? 12 : 11))
    } else if story.pattern != .middle {
      #expect(untried >= 20 - 2 * story.lanes, "the first 401 closes the credentials")
    }
  }
}
