import FileDiscovery
import Foundation
import MultipartForm
import Scheduling
import Settings
import TestSupport
import Testing
import UploadModel
import UploadStore

@testable import Sessions
@testable import UploadEngine

/// Files of a person, and the target that they go to.
struct StoredKind: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let arguments: [String]
  let table: String

  init(_ name: String, _ arguments: String..., table: String = "") {
    (testDescription, self.arguments, self.table) = (name, arguments, table)
  }

  static let put = "method = \"PUT\"\nbody = \"binary\"\nurl = \"http://h/b/"

  static let all: [StoredKind] = [
    StoredKind("a folder, {file.path} in the address", "d", table: put + "{file.path}\""),
    StoredKind(
      "a folder, {file.path} in a field", "d", table: #"fields = { path = "{file.path}" }"#),
    StoredKind("a folder with a field and a type", "d;field=photo;type=a/b"),
    StoredKind("a name", "d/x.jpg;name=b.webp", table: #"file_name = "{file.stem}-t.{file.ext}""#),
    StoredKind("a name that the target makes", "d/x.jpg", table: #"file_name = "{file.stem}-t""#),
    StoredKind("a type", "d/x.jpg;type=image/webp", table: #"file_type = "a/b""#),
    StoredKind("a field", "d/x.jpg;field=photo", table: #"file_field = "{file.stem}""#),
    StoredKind("all of these", "d/x.jpg;field=photo;name=a/b c;type=a/b"),
    StoredKind("two names for one file", "d/x.jpg;name=1", "d/x.jpg;name=2"),
    StoredKind(
      "companions", "d/x.jpg",
      table: #"companions = [{ file = "{file.stem}.xmp", field = "side" }]"#),
    StoredKind(
      "a batch", "d/x.jpg", "d/2026/y;name=z;field=a",
      table: "batch = { max_files = 3 }\nfile_name = \"{index}-{file.name}\""),
    StoredKind("{uuid}", "d", table: #"headers = { Idempotency-Key = "{uuid}" }"#),
    StoredKind("{uuid} in the address", "d", table: put + "{uuid}\""),
    StoredKind(
      "times and sizes", "d", table: #"fields = { t = "{file.mtime} {file.size} {file.type}" }"#),
    StoredKind("a path that is not UTF-8", "odd", table: put + "{file.path}\""),
  ]
}

/// Whatever keeps items keeps what their requests are made of.
@Suite("Items that were stored make the same requests")
struct StoredItemTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
    for name in ["d/x.jpg", "d/x.xmp", "d/2026/y", "d/2026/y z", "odd/a"] {
      let path = scratch.path(name)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try scratch.write(name, Array(name.utf8))
    }
    let odd = Array(scratch.path("odd/").utf8) + [0xFF]
    FileLocation(bytes: odd).withCString { _ = close(open($0, O_CREAT | O_WRONLY, 0o600)) }
  }

  /// The requests for items, byte for byte, but for the boundary.
  private static func requests(for items: [UploadItem], to target: Target) throws -> [String] {
    try Batch.groups(of: items, to: target).map { group in
      #expect(group.allSatisfy { $0.state == .waiting })
      let (made, faults) = UploadRequest.make(
        group.map { UploadJob(item: $0, target: target) }, to: target.url, token: nil,
        hidesCredentials: false, mayExpect: false, now: Date(timeIntervalSince1970: 7))
      #expect(faults.isEmpty)
      let request = try #require(made)
      let body = String(decoding: try request.body.bytes(), as: Unicode.ASCII.self)
      let head = request.exchange.headers.map { "\($0.name): \($0.value)" }
      let text = ([request.exchange.method, "\(request.exchange.url)"] + head + [body])
        .joined(separator: "\n")
      let type = request.body.contentType
      guard let start = type.range(of: "boundary=")?.upperBound else { return text }
      return text.replacingOccurrences(
        of: type[start...].trimmingCharacters(in: ["\""]), with: "BOUNDARY")
    }
  }

  private func report(of items: [UploadItem], in scratch: ScratchDirectory) throws -> [ItemRecord] {
    var course = PushProgress(keepsResults: true, isWatching: false)
    for item in items {
      course.add(item.with(.failed(Failure(.refused, status: 400))), at: Instant(seconds: 1))
    }
    let report = PushReport(
      course.end(SendingFigures()), target: TargetName("t"), folder: "/nowhere", time: Date())
    let path = try scratch.write("r.json", report.written(as: .json))
    return try PushReport.read(path).failures.map(\.record)
  }

  @Test("whether a report, the queue or the history kept them", arguments: StoredKind.all)
  func ways(_ kind: StoredKind) throws {
    let table = (kind.table.contains("url =") ? "" : "url = \"http://h/u\"\n") + kind.table
    let target = try Settings.parse("[targets.t]\n\(table)\n", file: "c", environment: [:])
      .target("t")
    let intake = FileIntake(for: target)
    var items: [UploadItem] = []
    for argument in kind.arguments {
      let wish = try FileArgument(scratch.path(argument))
      _ = intake.each(of: FileLocation(wish.path), in: FolderRules(), as: wish) { item in
        var item = item
        item.target = "t"
        if intake.accompanying(item) == nil { items.append(item) }
        return true
      }
    }
    let expected = try Self.requests(for: items, to: target)
    #expect(!expected.isEmpty)
    func check(_ stored: [UploadItem], _ way: String) throws {
      #expect(stored.map(\.record) == items.map(\.record), "\(way)")
      #expect(try Self.requests(for: stored, to: target) == expected, "\(way)")
    }
    try check(report(of: items, in: scratch).map(FileIntake(for: target).item), "a report")

    let path = scratch.path("q.sqlite")
    let failed = items.map { $0.with(.failed(Failure(.refused, status: 400))) }
    try UploadStore(path: path).log(failed.map { ($0, Date()) })
    let pushed = try UploadStore(path: path).history().map(\.record)
    try check(pushed.map(FileIntake(for: target).item), "the history of a push")

    let store = try UploadStore(path: path)
    let ids = try store.enqueue(items).map(\.id)
    _ = try store.begin(ids)
    try store.record(ids.map { ($0, .failed(Failure(.refused, status: 400))) })
    try check(UploadStore(path: path).items().map(FileIntake().look), "the queue")
    let sent = try UploadStore(path: path).history().suffix(ids.count).map(\.record)
    try check(sent.map(FileIntake(for: target).item), "the history of the queue")
  }
}
