import Foundation
import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadModel
import UploadStore

@testable import ProcessContext
@testable import Sessions

@Suite("Reports and hints")
struct PushReportTests {
  private static func item(
    _ number: Int64, _ path: FileLocation, _ state: ItemState
  ) -> UploadItem {
    UploadItem(
      id: ItemID(number), location: path, mediaType: "text/plain", size: 5,
      identity: FileIdentity(device: 1, inode: 1, size: 5, modified: 1), state: state)
  }

  private static func report() -> PushReport {
    var course = PushProgress(keepsResults: true, isWatching: false)
    let strange = FileLocation(bytes: [0x61, 0xFF])
    let refusal = Failure(.rejected("the album is full"), status: 200, attempts: 2)
    let now = Instant(seconds: 1)
    course.add(item(2, strange, .failed(refusal)), at: now)
    course.add(
      item(
        1, "a, \"b\"\n.txt",
        .done(Receipt(status: 201, url: "http://h/1", seconds: 0.12345, bytes: 5))), at: now)
    return PushReport(
      course.end(SendingFigures(seconds: 1.23456, bytes: 5)), target: TargetName("desk"),
      folder: "/home/me", time: Date(timeIntervalSince1970: 0))
  }

  @Test("JSON can be read back, and what failed is found from any folder")
  func json() throws {
    let scratch = try ScratchDirectory()
    let data = try Self.report().written(as: .json)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("\"seconds\" : 0.123") && text.contains("\"seconds\" : 1.235"))
    let report = try PushReport.read(try scratch.write("r.json", data))
    #expect(
      report.sent == 1 && report.failed == 1 && report.files.map(\.record.fileName).count == 2)
    #expect(
      report.failures.map(\.path) == [
        FileLocation(bytes: Array("/home/me/a".utf8) + [0xFF])
      ])
  }

  @Test("CSV quotes what has to be quoted (RFC 4180)")
  func csv() throws {
    let text = String(
      decoding: try Self.report().written(as: .csv), as: UTF8.self)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.count == 4 && lines[3] == "")
    #expect(
      lines[0].hasSuffix(",cause,message,verified,arrival,doubtful")
        && lines[0].hasPrefix("path,name,result,bytes,type,status,attempts,seconds,url,"))
    #expect(
      lines[1].hasPrefix(
        "\"a, \"\"b\"\"\n.txt\",\"a, \"\"b\"\"\n.txt\",sent,5,text/plain,201,1,0.123,"))
    #expect(
      lines[2].contains(",failed,5,text/plain,200,2,,,rejected,")
        && lines[2].contains("album is full"))
  }

  @Test("what the server said is in it")
  func said() throws {
    let reply = Reply(text: #"{"errors": {"file": ["must be a PDF"]}}"#)
    let refusal = Failure(.refused, status: 422, reply: reply, attempts: 1)
    var course = PushProgress(keepsResults: true, isWatching: false)
    course.add(Self.item(1, "a.txt", .failed(refusal)), at: Instant(seconds: 1))
    let report = PushReport(
      course.end(SendingFigures()), target: TargetName("desk"), folder: "/home/me",
      time: Date(timeIntervalSince1970: 0))
    for format in [PushReport.Format.json, .csv] {
      let text = String(decoding: try report.written(as: format), as: UTF8.self)
      #expect(text.contains("the server said: file: must be a PDF. "), "\(text)")
    }
  }

  @Test(
    "what is no report is an error that names it", arguments: ["", "{}", "[1]", "{\"version\":2}"])
  func noReport(text: String) throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("r.json", Array(text.utf8))
    let error = #expect(throws: UserError.self) { try PushReport.read(path) }
    #expect(error?.description.contains("is not a report") == true)
    #expect(throws: UserError.self) { try PushReport.read(scratch.path("missing")) }
  }

  @Test("the hint can be pasted into a shell")
  func hint() {
    let hint = RetryHint(report: "it's $HOME.json", target: "https://h/u?a=b&c")
    let (refused, unknown) = (Failure(.refused, status: 503), Failure(.outcomeUnknown("reset")))
    #expect(
      hint.text(for: [refused])
        == #"send the failed files again: hoist push --retry-failed 'it'\''s $HOME.json' --to 'https://h/u?a=b&c'"#
    )
    let short = RetryHint(report: "r.json")
    #expect(short.text(for: [refused])?.hasSuffix("--retry-failed r.json") == true)
    #expect(
      short.text(for: [refused, unknown])?.hasSuffix(
        "--retry-failed r.json (check the server; --even-arrived also sends what may have arrived)"
      ) == true)
    #expect(short.text(for: [unknown])?.hasPrefix("check the server") == true)
    #expect(short.text(for: []) == nil)
    var placed = RetryHint(report: "r.json", target: "https://h/u")
    placed.files = [("--config", "it's.toml"), ("--queue", "q")]
    #expect(
      placed.text(for: [refused])?.hasSuffix(
        #"--retry-failed r.json --config 'it'\''s.toml' --queue q --to https://h/u"#) == true)
    let selfSigned = Failure(.insecure("self-signed certificate"))
    #expect(placed.text(for: [selfSigned])?.contains("--to NAME") == true)
    placed.options = ["--form album"]
    #expect(
      placed.text(for: [selfSigned])?.hasSuffix(
        ", with --to and --form album as before, but --to with the name that hoist trust gives")
        == true)
  }
}

@Suite("Files that are written whole or not at all")
struct AtomicFileTests {
  @Test("keeps permissions and links, and leaves nothing behind")
  func replaced() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("old", Array("old".utf8))
    #expect(chmod(path, 0o640) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: "old")
    try AtomicFile.write(Array("new".utf8), to: scratch.path("link"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(lstat(scratch.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).count == 2)
  }

  @Test(
    "a place that cannot be written to is known before",
    arguments: ["no/where", "folder", "/proc/x"])
  func checked(name: String) throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.createDirectory(
      atPath: scratch.path("folder"), withIntermediateDirectories: true)
    let path = name.hasPrefix("/") ? name : scratch.path(name)
    #expect(throws: UserError.self) { try AtomicFile.check(path) }
  }
}
