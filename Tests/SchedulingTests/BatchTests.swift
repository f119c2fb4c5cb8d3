import Foundation
import Testing

@testable import Scheduling
@testable import UploadModel

private let home = URL(string: "http://a.example/upload") ?? URL(fileURLWithPath: "/")

/// A line of files, and which of them go in the first request.
struct BatchRow: Sendable, CustomTestStringConvertible {
  /// A file in the line.
  struct Waiting: Sendable {
    let bytes: Int64
    var field: String?
    var attempts = 0

    static func file(_ bytes: Int64, field: String? = nil, attempts: Int = 0) -> Waiting {
      Waiting(bytes: bytes, field: field, attempts: attempts)
    }
  }

  let testDescription: String
  let line: [Waiting]
  var files = 10
  var bytes: Int64 = 1000
  let batch: [Int64]

  static let all = [
    BatchRow(testDescription: "one alone", line: [.file(5)], batch: [1]),
    BatchRow(
      testDescription: "all of them", line: [.file(5), .file(5), .file(5)], batch: [1, 2, 3]),
    BatchRow(
      testDescription: "as many as allowed", line: [.file(5), .file(5), .file(5), .file(5)],
      files: 3, batch: [1, 2, 3]),
    BatchRow(testDescription: "batches of one", line: [.file(5), .file(5)], files: 1, batch: [1]),
    BatchRow(
      testDescription: "to the byte", line: [.file(5), .file(5), .file(5)], bytes: 10,
      batch: [1, 2]),
    BatchRow(
      testDescription: "one byte too many", line: [.file(5), .file(6), .file(1)], bytes: 10,
      batch: [1]),
    BatchRow(
      testDescription: "larger than allowed", line: [.file(99), .file(1)], bytes: 10, batch: [1]),
    BatchRow(
      testDescription: "nothing is large", line: [.file(0), .file(0), .file(10), .file(0)],
      bytes: 10, batch: [1, 2, 3, 4]),
    BatchRow(
      testDescription: "sizes without end", line: [.file(9223372036854775807), .file(1)],
      bytes: .max, batch: [1]),
    BatchRow(
      testDescription: "other kinds are passed over",
      line: [.file(5), .file(5, field: "other"), .file(5), .file(5, attempts: 1), .file(5)],
      batch: [1, 3, 5]),
    BatchRow(
      testDescription: "the target's own field by its name",
      line: [.file(5), .file(5, field: "file")], batch: [1, 2]),
  ]

  var candidates: [Scheduler.File] {
    line.enumerated().map { index, waiting in
      let plan = SendPlan(Target(name: "t", url: home))
      var file = Scheduler.File(
        id: ItemID(Int64(index + 1)), bytes: waiting.bytes, plan: plan)
      (file.field, file.attempts) = (waiting.field, waiting.attempts)
      return file
    }
  }
}

struct BatchTests {
  @Test(arguments: BatchRow.all)
  func plans(_ row: BatchRow) {
    let candidates = row.candidates
    let rule = BatchRule(maxFiles: row.files, maxBytes: row.bytes)
    #expect(
      Batch.plan(candidates[0], before: candidates.dropFirst(), by: rule)
        == row.batch.map { ItemID($0) })
  }

  @Test(arguments: [
    ("{file.name}", true), ("{file.size}", true), ("x-{file.stem}.{file.ext}", true),
    ("{file.type}", true), ("{uuid}", false), ("{now.iso8601}", false), ("{{file.name}}", false),
    ("plain", false),
  ])
  func valuesOfOneFileDoNotGoWithSeveral(_ text: String, _ isConflict: Bool) throws {
    let field = Target.Field(name: "x", value: try Template(text))
    for path in [\Target.fields, \.query, \.headers] {
      var target = Target(name: "t", url: home)
      target[keyPath: path] = [field]
      #expect(target.batchConflict == nil)
      target.batch = BatchRule(maxFiles: 2)
      #expect((target.batchConflict != nil) == isConflict)
      if isConflict { #expect(target.batchConflict?.contains("\"x\" contains {file.") == true) }
    }
  }
}

/// The end of a request with three files, and what it means for each.
struct BatchEndRow: Sendable, CustomTestStringConvertible {
  /// What happened to a file while the request was under way.
  enum Fate { case sound, changed, takenBack, outOfTime }

  let testDescription: String
  let end: TransferEnd
  let files: [Fate]
  var splits = false
  var attempt = 1
  /// "again", or the code of the failure that the end is judged to be.
  let outcomes: [String]
  var groups: [[Int64]] = []

  init(
    _ name: String, _ status: Int?, _ trouble: Failure.Cause? = nil, sentAll: Bool = true,
    files: [Fate] = [.sound, .sound, .sound], splits: Bool = false, attempt: Int = 1,
    is outcomes: [String],
    groups: [[Int64]] = []
  ) {
    testDescription = name
    end = TransferEnd(url: home, status: status, trouble: trouble, sentAll: sentAll)
    self.files = files
    self.splits = splits
    self.attempt = attempt
    self.outcomes = outcomes
    self.groups = groups
  }

  private static let changed = Failure.Cause.changed(.shrank)

  static let all = [
    // The end of all is the end of each.
    BatchEndRow("taken", 200, is: ["done", "done", "done"]),
    BatchEndRow("refused", 413, is: ["http-413", "http-413", "http-413"]),
    BatchEndRow(
      "no answer", nil, .connectionLost("reset"), is: Array(repeating: "outcome-unknown", count: 3)),
    BatchEndRow(
      "broken", nil, .connectionLost("reset"), sentAll: false,
      is: Array(repeating: "connection-lost", count: 3)),
    // A file that is not what it was.
    BatchEndRow(
      "one changed", nil, changed, sentAll: false, files: [.sound, .changed, .sound],
      is: ["again", "changed", "again"]),
    BatchEndRow(
      "one changed and another was taken back", nil, changed, sentAll: false,
      files: [.takenBack, .changed, .sound],
      is: ["cancelled", "changed", "again"]),
    BatchEndRow(
      "all changed", nil, changed, sentAll: false, files: [.changed, .changed, .changed],
      is: ["changed", "changed", "changed"]),
    BatchEndRow(
      "one changed, and the server spoke before", 413, changed, sentAll: false,
      files: [.changed, .sound, .sound],
      splits: true, is: ["changed", "again", "again"]),
    // A file that was taken back.
    BatchEndRow(
      "one taken back", nil, .cancelled, sentAll: false, files: [.takenBack, .sound, .sound],
      is: ["cancelled", "again", "again"]),
    BatchEndRow(
      "all taken back", nil, .cancelled, sentAll: false,
      files: [.takenBack, .takenBack, .takenBack],
      is: ["cancelled", "cancelled", "cancelled"]),
    BatchEndRow(
      "one taken back too late to know", nil, .cancelled, files: [.sound, .takenBack, .sound],
      is: ["outcome-unknown", "cancelled", "outcome-unknown"]),
    BatchEndRow(
      "one taken back after the answer", 201, files: [.sound, .takenBack, .sound],
      is: ["done", "done", "done"]),
    BatchEndRow(
      "one taken back, then the line broke", nil, .connectionLost("reset"),
      files: [.takenBack, .sound, .sound],
      is: ["outcome-unknown", "outcome-unknown", "outcome-unknown"]),
    // A deadline.
    BatchEndRow(
      "one out of time", nil, .outOfTime(seconds: 5), sentAll: false,
      files: [.outOfTime, .sound, .sound],
      is: ["out-of-time", "again", "again"]),
    BatchEndRow(
      "one out of time, all sent", nil, .outOfTime(seconds: 5),
      files: [.outOfTime, .sound, .sound],
      is: ["outcome-unknown", "outcome-unknown", "outcome-unknown"]),
    // Halves.
    BatchEndRow(
      "too large together", 413, splits: true, is: ["again", "again", "again"],
      groups: [[1, 2], [3]]),
    BatchEndRow(
      "refused before the end of the body", 400, sentAll: false, splits: true,
      is: ["again", "again", "again"], groups: [[1, 2], [3]]),
    BatchEndRow(
      "refused, and one taken back", 422, files: [.sound, .takenBack, .sound], splits: true,
      is: ["again", "http-422", "again"],
      groups: [[1], [3]]),
    BatchEndRow(
      "an error that may pass", 423, splits: true, is: ["http-423", "http-423", "http-423"]),
    BatchEndRow(
      "an error that did not pass", 423, splits: true, attempt: 5, is: ["again", "again", "again"],
      groups: [[1, 2], [3]]),
    BatchEndRow(
      "an error after which all may be stored", 500, splits: true,
      is: ["http-500", "http-500", "http-500"]),
    BatchEndRow("credentials", 401, splits: true, is: ["http-401", "http-401", "http-401"]),
    BatchEndRow("the address", 404, splits: true, is: ["http-404", "http-404", "http-404"]),
    BatchEndRow(
      "a busy server to the end", 503, splits: true, attempt: 5,
      is: ["http-503", "http-503", "http-503"]),
    BatchEndRow(
      "a broken line", nil, .connectionLost("reset"), sentAll: false, splits: true, attempt: 5,
      is: Array(repeating: "connection-lost", count: 3)),
  ]

  var target: Target {
    var target = Target(name: "t", url: home)
    target.batch = BatchRule(maxFiles: 10, splitsRefused: splits)
    return target
  }

  var inside: [BatchEnd.File] {
    files.enumerated().map { index, fate in
      var file = BatchEnd.File(id: ItemID(Int64(index + 1)))
      file.bytes = Int64(index)
      switch fate {
      case .sound: break
      case .changed: file.cause = Self.changed
      case .takenBack: file.isStopped = true
      case .outOfTime: file.cause = .outOfTime(seconds: 5)
      }
      return file
    }
  }

  /// The outcome as the table has it.
  func word(_ outcome: BatchEnd.Outcome) -> String {
    guard case .ended(_, let verdict) = outcome else { return "again" }
    switch verdict {
    case .delivered: return "done"
    case .failed(let failure): return failure.code
    case .follow: return "follow"
    }
  }
}

struct BatchEndTests {
  @Test(arguments: BatchEndRow.all)
  func outcomes(_ row: BatchEndRow) {
    let outcome = BatchEnd(
      row.end, files: row.inside, target: row.target, attempt: row.attempt, now: .now)
    #expect(outcome.outcomes.map(\.id) == [1, 2, 3].map { ItemID($0) })
    #expect(outcome.outcomes.map { row.word($0.outcome) } == row.outcomes)
    #expect(outcome.groups == row.groups.map { $0.map { ItemID($0) } })
    for (index, outcome) in outcome.outcomes.enumerated() {
      guard case .ended(let end, _) = outcome.outcome else { continue }
      #expect(end.bytes == Int64(index))
    }
  }

  /// A thousand files cost no more than a few readings.
  @Test func aReplyThatWasReadIsNotReadAgainForEachFile() throws {
    var target = Target(name: "t", url: home)
    target.batch = BatchRule(maxFiles: 1000, splitsRefused: true)
    target.response.url = ReplyValue(.pointer(try JSONPointer("/files/*/url")))
    target.response.failures = [
      FailureRule(.pointer(try JSONPointer("/rc")), test: .differs(.integer(0)))
    ]
    let files = (0..<1000).map { #"{"url":"/f/\#($0)","more":[\#($0),{"a":[1,2,3]}]}"# }
    var end = TransferEnd(
      url: home, status: 200,
      reply: Reply(text: #"{"rc":0,"files":[\#(files.joined(separator: ","))]}"#))
    let clock = ContinuousClock()
    let reading = clock.measure { end.content = target.response.read(end.reply) }
    var urls: [String?] = []
    let judging = clock.measure {
      let outcome = BatchEnd(
        end, files: files.indices.map { BatchEnd.File(id: ItemID(Int64($0))) }, target: target,
        attempt: 1, now: .now)
      for case .ended(_, .delivered(let receipt)) in outcome.outcomes.map(\.outcome) {
        urls.append(receipt.url)
      }
    }
    let wanted = files.indices.map { "\(home.scheme ?? "")://\(home.host ?? "")/f/\($0)" }
    #expect(urls == wanted)
    #expect(judging < reading * 100, "\(judging) after \(reading)")
  }

  /// Alone, a file has nobody to go without.
  @Test func aFileAloneIsNeverSplitNorStartedOver() {
    for row in BatchEndRow.all {
      let outcome = BatchEnd(
        row.end, files: [row.inside[0]], target: row.target, attempt: row.attempt, now: .now)
      #expect(outcome.outcomes.allSatisfy { $0.outcome != .startsOver } && outcome.groups.isEmpty)
    }
  }

  /// Halves end at single files, whatever the number.
  @Test(arguments: 2...33)
  func halvingEnds(_ count: Int) {
    let row = BatchEndRow("", 413, splits: true, is: [])
    var (requests, alone) = (0, Set<ItemID>())
    var open = [(1...count).map { ItemID(Int64($0)) }]
    while let members = open.popLast() {
      requests += 1
      let outcome = BatchEnd(
        row.end, files: members.map { BatchEnd.File(id: $0) }, target: row.target, attempt: 1,
        now: .now)
      if outcome.groups.isEmpty { alone.formUnion(members) }
      open += outcome.groups
    }
    #expect(requests == 2 * count - 1)
    #expect(alone.count == count)
  }

  @Test("a refusal of several files says nothing about one of them: they are sent one by one")
  func refusedDuplicates() {
    var target = Target(name: "t", url: home)
    target.response.duplicates = [ReplySign(status: 409)]
    target.batch = BatchRule(maxFiles: 10)
    target.batch?.splitsRefused = true
    let files = [1, 2].map { BatchEnd.File(id: ItemID($0)) }
    let end = TransferEnd(url: target.url, status: 409)
    let both = BatchEnd(end, files: files, target: target, attempt: 1, now: Date())
    #expect(both.outcomes.allSatisfy { $0.outcome == .startsOver } && both.groups.count == 2)
    let one = BatchEnd(end, files: [files[0]], target: target, attempt: 1, now: Date())
    guard case .ended(_, .delivered(let receipt))? = one.outcomes.first?.outcome else {
      Issue.record("\(one.outcomes)")
      return
    }
    #expect(receipt.wasThere && receipt.status == 409)
  }
}
