import JSONText
import ProcessContext
import Scheduling
import UploadModel

/// Prints one JSON object on each line of standard output. Scripts depend on the names of its members.
struct JSONReporter: PushReporter {
  let output: Output
  /// The count of pieces that was last reported for an item.
  private var reportedPieces: [ItemID: PieceCount] = [:]

  init(output: Output) { self.output = output }

  private typealias Members = [String: JSONValue?]

  mutating func queued(_ item: UploadItem) {
    write("queued", item, sent: 0, ["type": JSONValue(item.identity == nil ? nil : item.mediaType)])
  }

  mutating func omitted(_ item: UploadItem, _ why: Omission) {
    write(why.rawValue, item, sent: 0, ["note": JSONValue(item.note)])
  }

  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {
    write(
      "resumed", item, sent: point.start, ["note": JSONValue(point.words)],
      pieces: point.pieceCount)
  }

  mutating func advanced(_ item: UploadItem, to pieces: PieceCount) {
    guard reportedPieces.updateValue(pieces, forKey: item.id) != pieces else { return }
    write("piece", item, sent: nil, pieces: pieces)
  }

  mutating func run(of target: String, _ news: RunNews) {
    guard news.kind != .none else { return }
    let values = news.point?.values ?? [:]
    var members: Members = [
      "event": .string(news.event), "target": .string(target),
      "message": .string(news.words(isLasting: false)),
      "values": values.isEmpty ? nil : .object(values.mapValues { .string($0) }),
    ]
    if let failure = news.failure {
      members["status"] = JSONValue(failure.status)
      members["cause"] = .string(failure.code)
      members["reply"] = JSONValue(failure.reply.text.isEmpty ? nil : failure.reply.text)
    }
    output.line(JSONLine.text(members))
  }

  mutating func disposed(_ item: UploadItem, _ outcome: FileDisposal.Outcome) {
    let to = if case .moved(let place) = outcome { JSONLine.path(place) } else { JSONValue?.none }
    write(
      "after", item, sent: nil,
      ["message": .string(outcome.words), "kept": .bool(outcome.isKept), "to": to])
  }

  mutating func changed(_ item: UploadItem, in progress: SendingProgress, at now: Instant) {
    if !item.state.isActive { reportedPieces[item.id] = nil }
    switch item.state {
    case .waiting, .paused: break
    case .preparing(let attempt): write("started", item, sent: 0, ["attempt": JSONValue(attempt)])
    case .sending(_, let sent, _): write("progress", item, sent: sent)
    case .awaitingReply: write("sent", item, sent: item.sentSize)
    case .processing(let processing):
      write(
        "processing", item, sent: item.sentSize,
        ["status": JSONValue(processing.receipt.status), "note": JSONValue(processing.trouble)])
    case .retrying(let failure, let next, let attempts, let at):
      var members = Self.members(of: failure)
      members["attempt"] = JSONValue(next)
      members["attempts"] = JSONValue(attempts)
      members["delay"] = Self.seconds(max(0, at - now))
      write("retrying", item, sent: nil, members, pieces: failure.pieces)
    case .done(let receipt):
      write(
        "finished", item, sent: receipt.bytes,
        [
          "status": JSONValue(receipt.isConfirmed ? nil : receipt.status),
          "attempt": JSONValue(receipt.attempts),
          "seconds": Self.seconds(receipt.seconds), "url": JSONValue(receipt.url),
          "deletion_url": JSONValue(receipt.deletionURL), "reply": .string(receipt.reply.text),
          "there_already": receipt.wasThere && receipt.skipped == nil ? .bool(true) : nil,
          "confirmed": receipt.isConfirmed ? .bool(true) : nil,
          "name_taken": receipt.skipped.map(Self.taken),
          "renamed": JSONValue(receipt.fate?.renamed),
          "verified": JSONValue(receipt.verified), "doubtful": JSONValue(receipt.doubtfulBecause),
        ], pieces: receipt.pieces)
    case .failed(let failure) where failure.isNotTried:
      write(
        "not_tried", item, sent: nil,
        ["cause": .string(failure.code), "message": .string(failure.explanation)])
    case .failed(let failure):
      write("failed", item, sent: nil, Self.members(of: failure), pieces: failure.pieces)
    }
  }

  mutating func summary(_ summary: PushSummary) {
    let (counts, leftOut) = (summary.counts, summary.leftOut.count)
    output.line(
      JSONLine.text([
        "event": .string("summary"), "sent": JSONValue(counts.sentInAll),
        "failed": JSONValue(summary.failed.count - counts.notTried),
        "not_tried": JSONValue(counts.notTried > 0 ? counts.notTried : nil),
        "skipped": JSONValue(summary.skipped),
        "doubtful": JSONValue(counts.doubtful > 0 ? counts.doubtful : nil),
        "there_already": JSONValue(counts.there > 0 ? counts.there : nil),
        "name_taken": JSONValue(counts.taken > 0 ? counts.taken : nil),
        "left_out": JSONValue(leftOut > 0 ? leftOut : nil),
        "bytes_sent": .integer(summary.figures.bytes),
        "seconds": Self.seconds(summary.figures.seconds),
        "lanes": JSONValue(summary.lanes),
        "incomplete": summary.isIncomplete ? .bool(true) : nil,
      ]))
  }

  private func write(
    _ event: String, _ item: UploadItem, sent: Int64?, _ more: Members = [:],
    pieces: PieceCount? = nil
  ) {
    let members: Members = [
      "event": .string(event), "path": JSONLine.path(item.path),
      "bytes_sent": JSONValue(sent),
      // The size of a file that could not be examined is unknown.
      "bytes_total": JSONValue(item.identity == nil ? nil : item.sentSize),
    ].merging(JSONLine.members(of: pieces)) { $1 }
    output.line(JSONLine.text(members.merging(more) { $1 }))
  }

  private static func members(of failure: Failure) -> Members {
    [
      "status": JSONValue(failure.status), "attempt": JSONValue(failure.attempts),
      "cause": .string(failure.code), "message": .string(failure.explanation),
      "arrival": failure.mayHaveArrived ? .string(failure.arrival.rawValue) : nil,
      "reply": JSONValue(failure.reply.text.isEmpty ? nil : failure.reply.text),
      "name_taken": failure.taken.map(taken),
    ]
  }

  /// What has a file's name on the server.
  private static func taken(_ taken: TakenName) -> JSONValue {
    let members = [
      "name": .string(taken.name), "size": JSONValue(taken.size), "time": JSONValue(taken.time),
    ]
    return .object(members.compactMapValues(\.self))
  }

  private static func seconds(_ seconds: Double) -> JSONValue { .number(rounded(seconds)) }

  /// Seconds, rounded to the millisecond.
  static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}
