import Foundation
import MultipartForm
import MultipartOracle
import TestSupport
import Testing

@Suite struct BodyReaderTests {
  let scratch: ScratchDirectory
  /// Text, a file, an empty file, a range of a file, empty text, a file again.
  let form: FormData

  init() throws {
    scratch = try ScratchDirectory()
    let first = FileLocation(try scratch.write("first.bin", (0..<1000).map { UInt8($0 % 251) }))
    let empty = FileLocation(try scratch.write("empty", []))
    form = FormData(
      parts: [
        .text(name: "t", value: "text"), .file(name: "f", at: first),
        .file(name: "f", at: empty), .file(name: "f", at: first, range: 100..<150),
        .text(name: "e", value: ""), .file(name: "f", at: first, fileName: "other.bin"),
      ], boundary: try Boundary("B"))
  }

  @Test("the length is exact and every buffer size gives the same bytes")
  func bufferSizes() throws {
    let body = try FormBody(form)
    let whole = try body.bytes()
    #expect(Int64(whole.count) == body.contentLength)
    for size in [1, 2, 3, 7, 64, 100, 999, 1000, 1001, whole.count, whole.count + 1] {
      #expect(try body.bytes(bufferSize: size) == whole)
    }
    let parsed = Parsed(whole, boundary: form.boundary)
    #expect(parsed.error == nil)
    let bytes = (0..<1000).map { UInt8($0 % 251) }
    #expect(
      parsed.parts.map(\.content)
        == [Array("text".utf8), bytes, [], Array(bytes[100..<150]), [], bytes])
    #expect(
      parsed.parts.map(\.header.fileName)
        == [nil, "first.bin", "empty", "first.bin", nil, "other.bin"])
  }

  @Test("read fills the whole buffer until the end, then gives 0")
  func fills() throws {
    let reader = try FormBody(form).makeReader()
    var buffer = [UInt8](repeating: 0, count: 700)
    var left = try FormBody(form).contentLength
    while left > 0 {
      let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      #expect(Int64(count) == min(700, left))
      left -= Int64(count)
    }
    for _ in 0..<2 {
      #expect(try buffer.withUnsafeMutableBytes { try reader.read(into: $0) } == 0)
    }
    #expect(reader.offset == (try FormBody(form).contentLength))
  }

  @Test("a second look at the files names the one that has changed or gone")
  func secondLook() throws {
    let body = try FormBody(form)
    try body.checkFiles()
    let first = FileLocation(try scratch.write("first.bin", [1, 2, 3]))
    let change = #expect(throws: BodyError.self) { try body.checkFiles() }
    guard case .file(let error)? = change else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(error.file == first)
    try FileManager.default.removeItem(atPath: "\(first)")
    let gone = #expect(throws: BodyError.self) { try body.checkFiles() }
    #expect(gone == .file(FileError(first, .vanished)))
  }

  @Test("an offset tells its part, as a walk through the body does")
  func positions() throws {
    let body = try FormBody(form)
    var part = 0
    for offset in 0..<body.contentLength {
      while part < body.contentRanges.count, offset >= body.contentRanges[part].upperBound {
        part += 1
      }
      guard part < body.contentRanges.count else {
        #expect(body.part(at: offset) == nil)
        continue
      }
      let content = body.contentRanges[part]
      let position = try #require(body.part(at: offset))
      #expect(position.part == part)
      #expect(position.place == (offset < content.lowerBound ? .header : .content))
      #expect(position.contentOffset == max(0, offset - content.lowerBound))
      #expect(position.contentSize == Int64(content.count))
    }
    #expect(body.part(at: -1) == nil)
    #expect(body.part(at: body.contentLength) == nil)
  }

  @Test("content ranges are where the content is")
  func contentRanges() throws {
    let body = try FormBody(form)
    let bytes = try body.bytes()
    let parsed = Parsed(bytes, boundary: form.boundary)
    let ranges = body.contentRanges.map { Int($0.lowerBound)..<Int($0.upperBound) }
    #expect(ranges.map { Array(bytes[$0]) } == parsed.parts.map(\.content))
  }

  @Test("rewinding anywhere, or a second reader, gives the same bytes again")
  func replay() throws {
    let body = try FormBody(form)
    let whole = try body.bytes()
    let reader = body.makeReader()
    for stop in stride(from: 0, through: whole.count, by: 97) {
      var start = [UInt8](repeating: 0, count: stop)
      #expect(try start.withUnsafeMutableBytes { try reader.read(into: $0) } == stop)
      #expect(start == Array(whole[..<stop]))
      reader.rewind()
      #expect(reader.offset == 0)
    }
    #expect(try reader.rest() == whole)
    #expect(try body.bytes() == whole)
  }

  @Test("closing lets go of the file, and reading goes on")
  func closing() throws {
    let body = try FormBody(form)
    let whole = try body.bytes()
    let reader = body.makeReader()
    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 100)
    while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }),
      count > 0
    {
      read += buffer[..<count]
      reader.close()
      #expect(try openFiles(in: scratch).isEmpty)
    }
    #expect(read == whole)
  }

  @Test("a thousand files are open one at a time")
  func manyFiles() throws {
    let parts = try (0..<1000).map { index in
      FormPart.file(name: "f", at: FileLocation(try scratch.write("\(index)", "\(index)".utf8)))
    }
    let form = FormData(parts: parts)
    let body = try FormBody(form)
    #expect(try openFiles(in: scratch).isEmpty)
    let reader = body.makeReader()
    var buffer = [UInt8](repeating: 0, count: 160)
    var bytes: [UInt8] = []
    var most = 0
    while case let count = try buffer.withUnsafeMutableBytes({ try reader.read(into: $0) }),
      count > 0
    {
      bytes += buffer[..<count]
      if bytes.count % 8 == 0 { most = max(most, try openFiles(in: scratch).count) }
    }
    #expect(most <= 1)
    let parsed = Parsed(bytes, boundary: form.boundary)
    let contents = parsed.parts.map { String(decoding: $0.content, as: UTF8.self) }
    #expect(contents == (0..<1000).map { "\($0)" })
  }

  @Test("one raw file is a body without a form")
  func raw() throws {
    let file = FileLocation(scratch.path("first.bin"))
    let whole = try FormBody(rawFile: file, contentType: "image/png")
    #expect(whole.contentType == "image/png")
    #expect(whole.contentLength == 1000)
    #expect(try whole.bytes(bufferSize: 64) == (0..<1000).map { UInt8($0 % 251) })
    let position = try #require(whole.part(at: 10))
    #expect(position.part == 0 && position.place == .content && position.contentOffset == 10)

    let range = try FormBody(rawFile: file, range: 5..<8)
    #expect(range.contentType == "application/octet-stream")
    #expect(try range.bytes() == [5, 6, 7])
    #expect(try FormBody(rawFile: FileLocation(scratch.path("empty"))).bytes() == [])
    #expect(try FormBody(rawFile: file, range: 7..<7).contentLength == 0)
  }

  /// Read to its end only by `make test-long`: it takes half a minute.
  @Test("a file over 4 GiB keeps its length and its last bytes")
  func large() throws {
    let path = scratch.path("sparse")
    let size: Int64 = (4 << 30) + 12_345
    let tail = Array("the end".utf8)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seek(toOffset: UInt64(size) - UInt64(tail.count))
    try handle.write(contentsOf: tail)
    try handle.close()

    let form = FormData(parts: [.file(name: "f", at: FileLocation(path))])
    let body = try FormBody(form)
    #expect(body.contentRanges.first.map { Int64($0.count) } == size)

    guard Effort.isLong else { return }
    // Encoder to parser, a mebibyte at a time.
    var parser = FormParser(boundary: form.boundary)
    let reader = body.makeReader()
    var content: Int64 = 0
    var last: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try reader.read(into: buffer), count > 0 {
      try parser.push(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { event in
        guard case .content(let bytes) = event else { return }
        content += Int64(bytes.count)
        last += bytes[max(0, bytes.count - tail.count)...]
        last.removeFirst(max(0, last.count - tail.count))
      }
    }
    try parser.finish()
    #expect(content == size)
    #expect(last == tail)
    #expect(reader.offset == body.contentLength)

    // A range beyond 4 GiB.
    let end = try FormBody(rawFile: FileLocation(path), range: (size - 3)..<size)
    #expect(try end.bytes() == Array("end".utf8))
  }

  /// The open descriptors of this process that point into the directory.
  private func openFiles(in directory: ScratchDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { $0.hasPrefix(directory.path + "/") }
  }
}
