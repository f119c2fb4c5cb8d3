import Foundation
import JSONText
import MultipartForm
import Testing
import UploadDraft

@testable import Resuming
@testable import UploadModel

/// What a server says to one request, and what it says before that.
struct ServerReply: Sendable {
  var interim: [[String: String]] = []
  var status: Int?
  var headers: [String: String] = [:]
  var trouble: Failure.Cause?
  var text = ""
  var sentAll = true
  /// How many seconds pass before the interim replies.
  var seconds = 0.0
  /// Whether all of the request had been sent when it was broken off.
  var hasAll = false
  /// How many bytes of the content had left; nil for all.
  var bytes: Int64?

  static func status(
    _ status: Int, _ headers: [String: String] = [:], after interim: [String: String]...
  ) -> ServerReply {
    ServerReply(interim: interim, status: status, headers: headers)
  }
  static func lost(after interim: [String: String]...) -> ServerReply {
    ServerReply(interim: interim, trouble: .connectionLost("reset"))
  }
}

/// What in a reply may mean failure.
enum FailureSign: CaseIterable {
  case headerDiffers, headerIs, sumDiffers, textFits, textDoesNotFit, valueDiffers, valueIs

  func rule() throws -> FailureRule {
    switch self {
    case .headerDiffers: FailureRule(.header("x-state"), test: .differs(.string("stored")))
    case .headerIs: FailureRule(.header("x-state"), test: .equals(.string("failed")))
    case .sumDiffers:
      FailureRule(.header("x-sum"), test: .differsText(Template(literal: "5d41402a")))
    case .textFits: FailureRule(.pattern(try Pattern("wrong")), test: .equals(.bool(true)))
    case .textDoesNotFit: FailureRule(.pattern(try Pattern("^OK")), test: .equals(.bool(false)))
    case .valueDiffers: FailureRule(.pointer(try JSONPointer("/rc")), test: .differs(.integer(0)))
    case .valueIs: FailureRule(.pointer(try JSONPointer("/rc")), test: .equals(.integer(1)))
    }
  }
}

/// A conversation with a server: what it says, and what is asked and done meanwhile.
struct Conversation: Sendable, CustomTestStringConvertible {
  static let identity = FileIdentity(device: 1, inode: 2, size: 10, modified: 3)
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  let testDescription: String
  var rules: ResumeRules
  /// What in a reply means failure.
  var failures: [FailureRule] = []
  var size: Int64 = 10
  var point: ResumePoint?
  var server: ResumeServer?
  /// What is known of the file.
  var loss: ResumePoint.Loss?
  let replies: [ServerReply]
  let expected: [String]

  static func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }

  /// Where uploads are asked for.
  static func target(_ rules: ResumeRules) -> Target {
    var target = Target(
      name: "t", url: url("https://a.example/\(rules.mode == .tus ? "files" : "upload")"))
    target.resume = rules
    return target
  }

  /// Has a machine talk to this server.
  func check() throws {
    var target = Self.target(rules)
    target.response.failures = failures
    var identity = Self.identity
    identity.size = size
    var machine = try ResumeStart(target, identity, point: point, server: server).machine()
    var replies = replies[...]
    var pending = machine.start(without: loss)
    var trace: [String] = []
    while !pending.isEmpty {
      let action = pending.removeFirst()
      trace.append(Self.words(action, target))
      if case .digest(_, _, let number) = action {
        pending += machine.handle(ContentDigests([.sha1: "da39"]), number: number)
      }
      guard case .send(let request) = action else { continue }
      let isPlain = request.headers.isEmpty
      #expect(
        (Self.version(of: request) != nil)
          == (rules.mode != .tus && !isPlain && request.described == nil))
      let next = replies.popFirst()
      let reply = try #require(next, "nothing more was to be asked: \(trace)")
      var end = TransferEnd(
        url: request.url, status: reply.status, headers: reply.headers,
        reply: Reply(text: reply.text, mediaType: "application/problem+json"),
        trouble: reply.trouble, sentAll: reply.sentAll,
        bytes: reply.bytes ?? Int64(request.content?.count ?? 0))
      if request.holdsEnd, reply.sentAll {
        trace += machine.handleHeldEnd().map { Self.words($0, target) }
      }
      for interim in reply.interim {
        // Without fields, it is 100, and nothing else has come for a while.
        let actions =
          interim.isEmpty
          ? machine.handleLackOfOffer()
          : machine.handle(interim: interim, at: request.url, now: Self.now + reply.seconds)
        for action in actions {
          trace.append(Self.words(action, target))
          if case .stop(let cause) = action { (end.trouble, end.sentAll) = (cause, reply.hasAll) }
        }
      }
      pending += machine.handle(end, now: Self.now)
    }
    #expect(trace == expected)
    #expect(replies.isEmpty)
  }

  /// The version of the draft that a request names.
  private static func version(of request: ResumeRequest) -> DraftVersion? {
    DraftVersion(
      named: request.headers.first { $0.name == "Upload-Draft-Interop-Version" }?.value.written)
  }

  /// An action in short, with the paths of addresses, and with the version of the draft if that is not 8.
  static func words(_ action: ResumeAction, _ target: Target) -> String {
    switch action {
    case .send(let request):
      func header(_ name: String) -> String? {
        request.headers.first { $0.name == name }?.value.written
      }
      return [
        request.method, request.url.path, request.content.map { "\($0)" },
        request.checksum.map { "\($0)" },
        header("X-HTTP-Method-Override").map { "overrides \($0)" }, header("Upload-Complete"),
        header("Upload-Incomplete").map { "incomplete \($0)" },
        version(of: request).flatMap { $0.number == 8 ? nil : "in \($0.number)" },
        target.resume.mode != .tus && request.headers.isEmpty && request.described == nil
          ? "plain" : nil, request.url.query, request.described?.text?.shown,
        request.staysAway ? "without credentials" : nil,
      ].compactMap { $0 }.joined(separator: " ")
    case .digest(let range, _, _): return "digest \(range)"
    case .readAnew: return "read anew"
    case .verify: return "verify"
    case .keep(let point):
      return "keep \(point.url.path) at \(point.offset)"
        + (point.start > 0 ? " from \(point.start)" : "") + (point.loss.map { " \($0)" } ?? "")
        + (point.pieces?.isFinishing == true ? " finishing" : "")
        + (point.expires.map { " for \(Int($0.timeIntervalSince(now))) s" } ?? "")
    case .forget: return "forget"
    case .record(.tus): return "record tus"
    case .record(.http(let server)): return "record \(words(server))"
    case .record(.usual): return "record usual"
    case .assume(.usual): return "assume usual"
    case .assume(.http(let server)): return "assume \(words(server))"
    case .assume(.tus): return "assume tus"
    case .startAgain: return "start again"
    case .stop(let cause): return "stop \(Failure(cause).code)"
    case .end(let end):
      switch Verdict.judge(end, target: target, attempt: 1, redirects: 0, now: now) {
      case .delivered(let receipt):
        let place = receipt.url.flatMap { URL(string: $0)?.path }
        return "done \(receipt.status) \(receipt.bytes)" + (place.map { " \($0)" } ?? "")
      case .failed(let failure):
        return failure.code + (end.hasAdvanced ? " advanced" : "")
          + (end.mayBeWhole ? ", may be whole" : "")
      case .follow(let url, _): return "follow \(url.path)"
      }
    }
  }

  private static func words(_ server: HTTPResumeServer) -> String {
    "http\(server.version.number == 8 ? "" : " \(server.version.number)")"
      + (server.isSettled ? "" : " perhaps")
  }
}

extension ResumeStart {
  /// An attempt at the target's address, with a file for its body.
  init(
    _ target: Target, _ identity: FileIdentity, point: ResumePoint? = nil,
    server: ResumeServer? = nil, body: Body? = nil
  ) {
    self.init(
      plan: SendPlan(target), identity: identity, url: target.url, point: point, server: server,
      furthest: 0, id: "u", now: Conversation.now,
      values: {
        Template.Values(
          fileName: "a.bin", fileSize: identity.size, fileType: "text/plain", now: $0, uuid: UUID())
      },
      creation: { _ in target.url },
      body: { body ?? (length: identity.size, form: nil) })
  }
}
