import FileDiscovery
import Foundation
import JSONText
import MultipartForm
import NIOHTTP1
import Queue
import ScalarText
import TestSupport
import UploadDraft

@testable import HTTPTransport
@testable import Receiver
@testable import Resuming
@testable import Scheduling
@testable import Screens
@testable import Sessions
@testable import Settings
@testable import Terminal
@testable import UploadModel
@testable import hoist

/// The readers of bytes from outside, other than that of forms (`MultipartOracle`). Whatever they are given, they come to
/// an end without a trap.
enum Reader: String, CaseIterable {
  /// Files: their beginning, for the preview.
  case preview
  /// The bodies of replies: messages, values, lists, rules.
  case reply
  /// The heads of replies.
  case fields
  /// What a tus server says, one reply after the other.
  case tus
  /// What a server of the IETF's draft says.
  case draft
  /// What a server says that takes a file in pieces.
  case pieces
  /// Where an upload can resume, as the queue has it.
  case point
  /// Requests to the receiver.
  case request
  /// Lines between the process that sends a queue and others.
  case link
  case toml
  /// ShareX's custom uploaders.
  case sxcu
  /// Lists of files, and patterns.
  case list
  /// Sizes, spans and times as people and servers write them.
  case numbers
  /// What terminals send.
  case keys

  /// Inputs to begin with. Those for TOML are the recipes.
  func corpus() throws -> [[UInt8]] {
    let folders =
      ["Tests/ReaderTests/Corpus/\(rawValue)"] + (self == .toml ? ["config/recipes"] : [])
    return try folders.flatMap { folder in
      let folder = "\(Repository.root)/\(folder)"
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        .map { [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
    }
  }

  func read(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    switch self {
    case .preview: try Self.preview(bytes)
    case .reply: Self.reply(text)
    case .fields: Self.fields(bytes)
    case .tus: try Self.converse(text, ResumeRules(mode: .tus))
    case .draft: try Self.converse(text, ResumeRules(mode: .http))
    case .pieces:
      try Self.converse(text, Self.pieces(parallel: 1))
      try Self.converse(text, Self.pieces(parallel: 3))
    case .point: try Self.point(bytes)
    case .request: Self.request(bytes)
    case .link: Self.link(bytes)
    case .toml: Self.toml(text)
    case .sxcu:
      if let uploader = try? ShareXUploader(text) {
        _ = TargetText.of(uploader.target, named: uploader.name)
      }
    case .list: try Self.list(bytes)
    case .numbers: for line in text.split(scalar: "\n") { Self.number(line) }
    case .keys: Self.keys(text)
    }
  }

  // MARK: Files

  private static func scratch(_ bytes: [UInt8]) throws -> FileLocation {
    let path = "\(NSTemporaryDirectory())/hoist-reader-\(getpid())"
    try Data(bytes).write(to: URL(filePath: path))
    return FileLocation(path)
  }

  private static func preview(_ bytes: [UInt8]) throws {
    let place = try scratch(bytes)
    _ = FilePreview(of: FilePreview.Request(path: place.bytes, room: Size(width: 60, height: 12)))
  }

  private static func list(_ bytes: [UInt8]) throws {
    let place = try scratch(bytes)
    for isNULSeparated in [false, true] {
      let list = try FileList(place, isNULSeparated: isNULSeparated)
      _ = list.forEach(until: CancellationToken()) { _ in true }
    }
    for line in String(decoding: bytes, as: UTF8.self).split(scalar: "\n") {
      _ = PathPattern(line)
      _ = SafeText.line(line)
    }
  }

  // MARK: Replies

  private static let address = URL(string: "https://a.example/upload") ?? URL(filePath: "/")
  private static let times = ServerTime()
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func target(_ rules: ResumeRules) -> Target {
    var target = Target(name: "t", url: address)
    target.resume = rules
    return target
  }

  private static func reply(_ text: String) {
    let reply = Reply(text: text)
    _ = SafeText.lines(text)
    for status in [200, 400, 413, 503] {
      let end = TransferEnd(url: address, status: status, reply: reply)
      let verdict = Verdict.judge(
        end, target: target(ResumeRules()), attempt: 1, redirects: 0, now: now)
      if case .failed(let failure) = verdict { _ = failure.explanation + (reply.message ?? "") }
    }
    guard let value = JSONValue(text: text) else { return }
    _ = value.source
    let columns = Column.Format.allCases.map {
      Column(JSONPointer(tokens: ["time"]), $0)
    }
    var list = ServerSide.Listing(
      call: Call(url: Template(literal: "")), items: .whole,
      id: JSONPointer(tokens: ["id"]), title: JSONPointer(tokens: ["name"]))
    (list.columns, list.size, list.time) = (columns, JSONPointer(tokens: ["size"]), columns[1])
    for entry in (try? list.entries(in: value)) ?? [] {
      _ = list.columns(of: entry).map { times.local($0) }
      _ = entry.size.map(HumanReadable.bytes)
    }
  }

  private static func fields(_ bytes: [UInt8]) {
    var parser = ReplyHeadParser()
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line.withUnsafeBytes { _ = parser.consume($0) }
    }
    let head = parser.head ?? ReplyHead(status: 200)
    for value in head.headers.values {
      _ = RetryAfter.seconds(value, now: now).map(HumanReadable.seconds)
      _ = (FieldValue(item: value), FieldValue.dictionary(value))
      _ = ResumeLimits(value)
      _ = DraftVersion(named: value)
    }
    _ = TusServer(headers: head.headers)
    var end = TransferEnd(url: address, status: head.status, headers: head.headers)
    end.digests = ContentDigests([.md5: "00", .sha256: "00"])
    _ = NextPage.link.step(after: end, count: 1, pages: 1)
    _ = Verdict.judge(end, target: target(ResumeRules()), attempt: 1, redirects: 0, now: now)
    for place in ["digest", "content-md5", "repr-digest"] {
      _ = ReplySum(.header(place)).finding(in: ReplyContent(), of: end)
    }
  }

  // MARK: Uploads in several requests

  private static func pieces(parallel: Int) -> ResumeRules {
    func template(_ text: String) -> Template {
      let scope = Template.Placeholder.allCases
      return (try? Template(text, scope: scope, lookup: Template.Lookup(environment: { _ in nil })))
        ?? Template(literal: "")
    }
    var pieces = PieceRules()
    (pieces.size, pieces.parallel) = (4, parallel)
    pieces.begin = Call(method: "POST")
    pieces.begin?.values = [Call.Value(name: "id", place: ReplyValue(.header("x-id")))]
    pieces.piece = Call(method: "PUT")
    pieces.piece.headers = [
      Target.Field(
        name: "Content-Range", value: template("bytes {piece.offset}-{piece.end}/{file.size}"))
    ]
    if parallel == 1 {
      var offset = Call.Offset(.header("range"))
      offset.pattern = try? Pattern("([0-9]+)$")
      (offset.plus, offset.missing) = (1, .nothing)
      (pieces.piece.rules.ok, pieces.piece.offset) = ([308...308], offset)
      pieces.status = pieces.piece
    } else {
      pieces.finish = Call(method: "POST")
    }
    var rules = ResumeRules()
    rules.pieces = pieces
    return rules
  }

  private static func start(
    _ rules: ResumeRules, _ point: ResumePoint?, size: Int64 = 10
  ) throws -> any ResumeMachine {
    let target = target(rules)
    return try ResumeStart(
      plan: SendPlan(target), identity: FileIdentity(device: 1, inode: 2, size: size, modified: 3),
      url: target.url, point: point, server: nil, furthest: 0, id: "u", now: now,
      values: {
        Template.Values(
          fileName: "a.bin", fileSize: size, fileType: "text/plain", now: $0, uuid: UUID())
      },
      creation: { _ in target.url }, body: { (length: size, form: nil) }
    ).machine()
  }

  /// A server that says the replies in a text: each has a line with its status, its header fields, and ends with an
  /// empty line. A status below 200 is that of an interim reply.
  private static func converse(
    _ text: String, _ rules: ResumeRules, from point: ResumePoint? = nil
  ) throws {
    for size in [0, 10, 100_000, Int64.max] {
      var machine = try start(rules, point, size: size)
      var pending = machine.start(without: nil)
      var replies = Self.blocks(text)[...]
      var steps = 0
      while !pending.isEmpty, steps < 100 {
        steps += 1
        switch pending.removeFirst() {
        case .send(let request):
          if request.holdsEnd { pending += machine.handleHeldEnd() }
          while let reply = replies.first.map(Self.head), (100..<200).contains(reply.status) {
            replies.removeFirst()
            pending += machine.handle(interim: reply.headers, at: request.url, now: now)
          }
          let reply = replies.popFirst().map(Self.head)
          var end = TransferEnd(
            url: request.url, status: reply?.status, headers: reply?.headers ?? [:],
            bytes: Int64(request.content?.count ?? 0))
          if reply == nil { end.trouble = .connectionLost("") }
          end.number = request.number
          pending += machine.handle(end, now: now)
        case .digest(_, _, let number):
          pending += machine.handle(ContentDigests([.sha1: "da39"]), number: number)
        case .verify: pending += machine.handle(verified: nil)
        case .keep(let point):
          _ = (point.taken, point.texts, try JSONEncoder().encode(point))
        case .readAnew, .forget, .record, .assume, .startAgain, .stop, .end: break
        }
      }
    }
  }

  private static func blocks(_ text: String) -> [String] {
    var rest = text
    var blocks: [String] = []
    while let end = rest.range(scalars: "\n\n") {
      blocks.append(String(rest[..<end.lowerBound]))
      rest = String(rest[end.upperBound...])
    }
    return blocks + [rest]
  }

  private static func head(_ text: String) -> (status: Int, headers: [String: String]) {
    let lines = text.split(scalar: "\n")
    let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
      let parts = line.split(scalar: ":", maxSplits: 1)
      return parts.count == 2 ? (parts[0].lowercased(), parts[1].trimming(\.isWhiteSpace)) : nil
    }
    return (lines.first.flatMap { Int($0) } ?? 200, Dictionary(pairs) { $1 })
  }

  private static func point(_ bytes: [UInt8]) throws {
    guard let point = try? JSONDecoder().decode(ResumePoint.self, from: Data(bytes)) else { return }
    _ = (point.taken, point.texts)
    for rules in [
      ResumeRules(mode: .tus), ResumeRules(mode: .http), pieces(parallel: 1), pieces(parallel: 3),
    ] {
      try converse("200\n\n204\nUpload-Offset: 4\n\n308\nRange: bytes=0-3", rules, from: point)
    }
  }

  // MARK: Other programs

  private static func request(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(scalar: "\n")
    var head = HTTPRequestHead(version: .http1_1, method: .PATCH, uri: lines.first ?? "/")
    for line in lines.dropFirst() {
      let parts = line.split(scalar: ":", maxSplits: 1)
      // NIO lets no other names through.
      if parts.count == 2, parts[0].utf8.allSatisfy({ $0 < 0x80 }) {
        head.headers.add(name: parts[0], value: parts[1].trimming(\.isWhiteSpace))
      }
    }
    let request = ResumableRequest(head, appends: true)
    for offset in [0, 5, Int64.max] { _ = try? request?.wholeLength(after: offset, known: nil) }
    _ = try? Admission.awaitsContinue(head)
    _ = try? Admission.authorize(head, token: "secret")
    _ = try? Admission.boundary(head)
    for (_, value) in head.headers {
      _ = try? UploadMetadata(value)
      _ = try? Checksum(value)
      _ = Authority(value)
    }
  }

  private static func link(_ bytes: [UInt8]) {
    var cutter = LineCutter()
    var status = SenderStatus()
    var state = AppState(
      target: "t", url: "https://a.example/", size: Size(width: 80, height: 24),
      now: Instant(seconds: 1))
    let item = UploadItem(
      id: ItemID(1), location: FileLocation("/a"), fileName: "a", mediaType: "text/plain",
      typeSource: "", typeIsCertain: true, size: 1000,
      identity: FileIdentity(device: 1, inode: 1, size: 1000, modified: 0), state: .waiting)
    _ = reduce(&state, .queue(.added([item])))
    for line in cutter.cut(bytes + [UInt8(ascii: "\n")]) ?? [] {
      _ = LinkLine.decode(LinkLine.Greeting.self, line)
      if let order = LinkLine.decode(SenderOrder.self, line), order.isValid {
        var settings = SenderSettings()
        order.apply(to: &settings)
      }
      guard let news = LinkLine.decode(SenderNews.self, line) else { continue }
      status.record(news)
      if case .speeds(let speeds) = news, speeds.isSound {
        _ = reduce(&state, .queue(.speeds(speeds)))
        _ = render(state, size: Size(width: 120, height: 40))
      }
      if case .item(_, let itemState) = news {
        _ = reduce(&state, .queue(.changed([(ItemID(1), itemState)], at: Instant(seconds: 2))))
        _ = render(state, size: Size(width: 80, height: 24))
      }
    }
    _ = (status.news, status.ends)
  }

  private static func toml(_ text: String) {
    let environment = Dictionary(uniqueKeysWithValues: ["TOKEN", "USER"].map { ($0, "x") })
    guard
      let settings = try? Settings.parse(text, file: "/nowhere/c.toml", environment: environment)
    else { return }
    for name in settings.targetNames {
      guard let target = settings.blueprint(of: name) else { continue }
      _ = TargetText.of(target, named: name, showsDefaults: true)
      for size in [0, 1, Int64.max] {
        guard let pieces = target.resume.pieces, let piece = try? pieces.size(for: size) else {
          continue
        }
        _ = pieces.preview(
          of: size, in: piece, digests: nil, Template.Values(now: now, uuid: UUID()))
      }
    }
  }

  private static func number(_ text: String) {
    _ = (ByteCount.size(text).map(HumanReadable.bytes), ByteCount.speed(text))
    if let seconds = TimeSpan.seconds(text) {
      _ = (HumanReadable.seconds(seconds), HumanReadable.clock(seconds), TOMLText.seconds(seconds))
    }
    if let seconds = Double(text) {
      _ = (HumanReadable.seconds(seconds), HumanReadable.ago(seconds), HumanReadable.speed(seconds))
    }
    if let date = try? TypedTime.date(text, of: "--since", now: now) {
      _ = (date.local, date.dayWord(at: now), date.formatted(.iso8601))
    }
    _ = times.local(text)
    _ = RetryAfter.seconds(text, now: now)
  }

  private static func keys(_ text: String) {
    var decoder = KeyDecoder()
    _ = decoder.decode(text.unicodeScalars.map { .character($0.value) }, at: .now)
    _ = decoder.takeAnswers()
  }
}
