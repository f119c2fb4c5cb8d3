import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing

@Suite("A body as an async sequence and as a stream")
struct BodyChunksTests {
  private let scratch: ScratchDirectory
  private let file: FileLocation
  private let body: FormBody

  init() throws {
    scratch = try ScratchDirectory()
    let content = (0..<100_000).map { UInt8($0 % 251) }
    file = FileLocation(try scratch.write("a.bin", content))
    body = try FormBody(
      FormData(parts: [.text(name: "t", value: "text"), .file(name: "f", at: file)]))
  }

  @Test(
    "chunks have the size that was asked for, and are the body",
    arguments: [1_000, 65_536, 1 << 20])
  func chunks(size: Int) async throws {
    for _ in 0..<2 {
      var bytes: [UInt8] = []
      for try await chunk in body.chunks(of: size) {
        #expect(chunk.count == min(size, Int(body.contentLength) - bytes.count))
        bytes += chunk
      }
      #expect(try bytes == body.bytes())
    }
  }

  @Test("no chunk is read before it is asked for, and a changed file is an error each time")
  func changes() async throws {
    let iterator = body.chunks(of: 60_000).makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.count == 60_000)
    // What is not read yet may still turn out to be changed.
    try Data(repeating: 1, count: 10).write(to: URL(filePath: file.description))
    for _ in 0..<2 {
      await #expect(throws: BodyError.self) { try await iterator.next() }
    }
  }

  @Test("a stream gives the body, and has then ended")
  func stream() throws {
    let stream = body.makeInputStream()
    #expect(stream.streamStatus == .notOpen)
    stream.open()
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 3_000)
    while stream.hasBytesAvailable {
      let count = stream.read(&buffer, maxLength: buffer.count)
      try #require(count > 0)
      bytes += buffer[..<count]
    }
    #expect(stream.streamStatus == .atEnd && stream.read(&buffer, maxLength: 1) == 0)
    #expect(try bytes == body.bytes())
    stream.close()
    #expect(stream.streamStatus == .closed)
  }

  @Test("a stream whose file has changed fails, and says why once")
  func failure() throws {
    let held = FailureList()
    let stream = body.makeInputStream { held.add($0) }
    stream.open()
    try Data(repeating: 1, count: 10).write(to: URL(filePath: file.description))
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    for _ in 0..<2 { #expect(stream.read(&buffer, maxLength: buffer.count) == -1) }
    #expect(stream.streamStatus == .error)
    #expect(held.all.count == 1 && stream.streamError as? BodyError == held.all.first)
  }

  private final class FailureList: Sendable {
    private let failures = Mutex<[BodyError]>([])
    var all: [BodyError] { failures.withLock { $0 } }
    func add(_ failure: BodyError) { failures.withLock { $0.append(failure) } }
  }
}
