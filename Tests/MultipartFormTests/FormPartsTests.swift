import Foundation
import MultipartForm
import MultipartOracle
import Synchronization
import TestSupport
import Testing

@Suite("Parts of a form as an async sequence")
struct FormPartsTests {
  /// Buffers that are there already, and how many of them were asked for.
  private struct Buffers: AsyncSequence, Sendable {
    struct Broken: Error {}

    final class Count: Sendable {
      private let number = Atomic(0)
      var value: Int { number.load(ordering: .sequentiallyConsistent) }
      func increment() { number.add(1, ordering: .sequentiallyConsistent) }
    }

    let buffers: [[UInt8]]
    var isBroken = false
    let asked = Count()

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: ArraySlice<[UInt8]>
      let isBroken: Bool
      let asked: Count

      mutating func next() async throws -> [UInt8]? {
        asked.increment()
        if rest.isEmpty, isBroken { throw Broken() }
        return rest.popFirst()
      }
    }

    func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(rest: buffers[...], isBroken: isBroken, asked: asked)
    }
  }

  private static func cut(_ body: [UInt8], _ next: () -> Int) -> [[UInt8]] {
    var rest = body[...]
    var buffers: [[UInt8]] = []
    while !rest.isEmpty {
      buffers.append(Array(rest.prefix(next())))
      rest = rest.dropFirst(buffers[buffers.count - 1].count)
    }
    return buffers
  }

  /// What the sequence makes of a body, told as the parser's events are.
  private static func parsed<Source: AsyncSequence>(
    _ parts: FormParts<Source>
  ) async throws -> (parts: [ParsedPart], error: ParserError?) {
    var all: [ParsedPart] = []
    do {
      for try await part in parts {
        all.append(ParsedPart(header: part.header))
        for try await bytes in part.content {
          #expect(!bytes.isEmpty)
          all[all.count - 1].content += bytes
        }
        all[all.count - 1].ended = true
      }
    } catch FormReadError.form(let error) {
      return (all, error)
    }
    return (all, nil)
  }

  /// Why a form is refused; nil if it is not.
  private static func refusal<Value>(_ read: () async throws -> Value) async throws -> ParserError?
  {
    do { _ = try await read() } catch FormReadError.form(let error) { return error }
    return nil
  }

  private static let boundary = Oracle.boundaries[0]
  private static let form =
    "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n"
    + "--B\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b.txt\"\r\n\r\n0123456789\r\n"
    + "--B\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n\r\n--B--\r\n"

  private static func parts(
    cutting size: Int = .max, limits: FormLimits = FormLimits()
  ) -> (Buffers, FormParts<Buffers>) {
    let buffers = Buffers(buffers: cut(Array(form.utf8)) { size })
    return (buffers, buffers.formParts(boundary: boundary, limits: limits))
  }

  @Test("random forms in random cuts give what the parser gives")
  func randomForms() async throws {
    let files = try RandomForm.Files(seed: 5)
    var random = SplitMix64(seed: 18)
    for _ in 0..<300 {
      let made = try RandomForm(files: files, using: &random)
      let body = try FormBody(made.form)
      var bytes = [UInt8](repeating: 0, count: Int(body.contentLength))
      _ = try bytes.withUnsafeMutableBytes { try body.makeReader().read(into: $0) }
      // One in four is cut off somewhere.
      if Int.random(in: 0..<4, using: &random) == 0 {
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      }
      let whole = Parsed(bytes, boundary: made.form.boundary)
      let most = [1, 7, 100, 5_000].randomElement(using: &random) ?? 1
      let buffers = Buffers(
        buffers: Self.cut(bytes) { Int.random(in: 1...most, using: &random) })
      let found = try await Self.parsed(buffers.formParts(boundary: made.form.boundary))
      #expect(found.parts == whole.parts && found.error == whole.error)
    }
  }

  @Test("what fuzzing found gives what the parser gives, with small limits too")
  func corpus() async throws {
    let folder = URL(filePath: Repository.root).appending(path: "Tests/Fuzz/corpus")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
    #expect(files.count > 100)
    var random = SplitMix64(seed: 3)
    for file in files {
      let input = try Array(Data(contentsOf: file))
      guard let choice = input.first else { continue }
      let body = Array(input.dropFirst())
      let boundary = Oracle.boundaries[Int(choice & 3)]
      let limits = choice & 4 == 0 ? FormLimits() : Oracle.smallLimits
      let whole = Parsed(body, boundary: boundary, limits: limits)
      let buffers = Buffers(buffers: Self.cut(body) { Int.random(in: 1...40, using: &random) })
      let found = try await Self.parsed(buffers.formParts(boundary: boundary, limits: limits))
      #expect(found.parts == whole.parts && found.error == whole.error, "\(file.lastPathComponent)")
    }
  }

  @Test("single bytes will do")
  func singleBytes() async throws {
    let bytes = AsyncStream<UInt8> { stream in
      for byte in Self.form.utf8 { stream.yield(byte) }
      stream.finish()
    }
    let found = try await Self.parsed(bytes.formParts(boundary: Self.boundary))
    #expect(found.parts == Parsed(Array(Self.form.utf8), boundary: Self.boundary).parts)
  }

  @Test(
    "content that is not read is skipped, and cannot be read afterwards", arguments: [1, 9, 500])
  func skipping(size: Int) async throws {
    let iterator = Self.parts(cutting: size).1.makeAsyncIterator()
    let first = try #require(try await iterator.next(isolation: nil))
    let second = try #require(try await iterator.next(isolation: nil))
    #expect(first.header.name == "a" && second.header.fileName == "b.txt")
    #expect(try await Self.refusal { try await first.text(atMost: 10) } == .partPassed)
    #expect(try await second.text(atMost: 10) == "0123456789")
    #expect(try await second.text(atMost: 10) == "")
    let third = try #require(try await iterator.next(isolation: nil))
    #expect(try await third.text(atMost: 0) == "")
    let fourth = try await iterator.next(isolation: nil)
    #expect(fourth == nil)
    await #expect(throws: Never.self) { _ = try await iterator.next(isolation: nil) }
  }

  @Test("no more than one buffer is asked for before the last one is used up")
  func backPressure() async throws {
    let (buffers, parts) = Self.parts(cutting: 1)
    let iterator = parts.makeAsyncIterator()
    #expect(buffers.asked.value == 0)
    let first = try #require(try await iterator.next(isolation: nil))
    let header = buffers.asked.value
    #expect(
      Self.form.utf8.prefix(header).elementsEqual(
        "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8))
    let content = first.content.makeAsyncIterator()
    for count in 1...5 {
      _ = try await content.next(isolation: nil)
      #expect(buffers.asked.value == header + count)
    }
    // A buffer with everything in it is handed out to its end before the next.
    let (whole, all) = Self.parts()
    var count = 0
    for try await part in all {
      for try await _ in part.content {}
      count += 1
      #expect(count == 3 || whole.asked.value == 1)
    }
    #expect(count == 3 && whole.asked.value == 2)
  }

  @Test("too much content for memory is an error that names the part")
  func tooMuch() async throws {
    let iterator = Self.parts(cutting: 3).1.makeAsyncIterator()
    let first = try #require(try await iterator.next(isolation: nil))
    #expect(
      try await Self.refusal { try await first.bytes(atMost: 4) }
        == .fieldTooLong(part: 0, limit: 4))
    let second = try #require(try await iterator.next(isolation: nil))
    #expect(
      try await Self.refusal { try await second.bytes(atMost: 9) }
        == .fileTooLong(part: 1, limit: 9))
    let third = try await iterator.next(isolation: nil)
    #expect(third?.header.name == "c")
  }

  @Test("what the source throws comes after what it gave, and then there is no more")
  func brokenSource() async throws {
    let front = Array(Self.form.utf8.prefix(51))
    let parts = Buffers(buffers: [front], isBroken: true).formParts(boundary: Self.boundary)
    let iterator = parts.makeAsyncIterator()
    let part = try #require(try await iterator.next(isolation: nil))
    let content = part.content.makeAsyncIterator()
    #expect(try await content.next(isolation: nil)?.elementsEqual("va".utf8) == true)
    let failure = await #expect(throws: FormReadError.self) {
      try await content.next(isolation: nil)
    }
    #expect(failure?.cause is Buffers.Broken)
    #expect(try await content.next(isolation: nil) == nil)
    let next = try await iterator.next(isolation: nil)
    #expect(next == nil)
  }

  @Test("a task that is cancelled gets CancellationError, and not a form that was cut off")
  func cancellation() async throws {
    let (bytes, feed) = AsyncStream<[UInt8]>.makeStream()
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await part in bytes.formParts(boundary: Self.boundary) {
        hasBegun.yield()
        for try await _ in part.content {}
      }
    }
    feed.yield(Array(Self.form.utf8.prefix(51)))
    for await _ in begun { break }
    task.cancel()
    let result = await task.result
    let failure = #expect(throws: FormReadError.self) { try result.get() }
    #expect(failure?.cause is CancellationError)
    // One whose source knows nothing of cancellation.
    let (buffers, parts) = Self.parts(cutting: 1)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in parts {}
    }
    let end = await late.result
    let lateFailure = #expect(throws: FormReadError.self) { try end.get() }
    #expect(lateFailure?.cause is CancellationError)
    #expect(buffers.asked.value == 0)
  }

  @MainActor private final class Screen {
    var names: [String] = []

    func show(_ parts: FormParts<Buffers>) async throws {
      for try await part in parts {
        names.append("\(part.header.name)=\(try await part.text(atMost: 100))")
      }
    }
  }

  @Test("an actor reads a form without leaving its own isolation")
  func isolation() async throws {
    let screen = Screen()
    try await screen.show(Self.parts(cutting: 5).1)
    #expect(await screen.names == ["a=value", "b=0123456789", "c="])
  }
}
