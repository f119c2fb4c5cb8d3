import Foundation
import MultipartForm
import MultipartOracle
import TestSupport
import Testing

@Suite("A form that is read in one call")
struct CollectedFormTests {
  private static let boundary = Oracle.boundaries[0]
  private static let form =
    "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n"
    + "--B\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b.txt\"\r\n\r\n0123456789\r\n"
    + "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--B--\r\n"

  private static func check(_ form: CollectedForm) {
    #expect(form.parts.map(\.header.name) == ["a", "b", "a"])
    #expect(form["a"]?.text == "value")
    #expect(form["b"]?.bytes == Array("0123456789".utf8))
    #expect(form["b"]?.header.fileName == "b.txt")
    #expect(form.parts(named: "a").map(\.text) == ["value", ""])
    #expect(form["c"] == nil)
  }

  private static func stream<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
    AsyncStream { stream in
      for element in elements { stream.yield(element) }
      stream.finish()
    }
  }

  @Test("from Data, from an array and from data in several regions")
  func memory() throws {
    let bytes = Array(Self.form.utf8)
    Self.check(try CollectedForm(Data(bytes), boundary: Self.boundary))
    Self.check(try CollectedForm(bytes, boundary: Self.boundary))
    for cut in [0, 1, 5, 60, bytes.count] {
      var data = bytes[..<cut].withUnsafeBytes { DispatchData(bytes: $0) }
      data.append(bytes[cut...].withUnsafeBytes { DispatchData(bytes: $0) })
      Self.check(try CollectedForm(data, boundary: Self.boundary))
    }
  }

  @Test("from buffers and from single bytes as they come")
  func streams() async throws {
    let bytes = Array(Self.form.utf8)
    let buffers = stride(from: 0, to: bytes.count, by: 7).map {
      Data(bytes[$0..<min($0 + 7, bytes.count)])
    }
    Self.check(try await Self.stream(buffers).form(boundary: Self.boundary))
    Self.check(try await Self.stream(bytes).form(boundary: Self.boundary))
  }

  @Test("limits hold, and the defaults are small enough for memory")
  func limits() async throws {
    let small = FormLimits(fileBytes: 9)
    #expect(throws: ParserError.fileTooLong(part: 1, limit: 9)) {
      try CollectedForm(Data(Self.form.utf8), boundary: Self.boundary, limits: small)
    }
    do throws(FormReadError) {
      _ = try await Self.stream([Data(Self.form.utf8)])
        .form(boundary: Self.boundary, limits: small)
      Issue.record("a file that is too long was taken")
    } catch {
      guard case .form(.fileTooLong(part: 1, limit: 9)) = error else {
        Issue.record("\(error)")
        return
      }
    }
    let long = try FormBody(
      FormData(
        parts: [.data(name: "a", fileName: "a", bytes: [UInt8](repeating: 0, count: 16 << 20))],
        boundary: Self.boundary))
    #expect(throws: ParserError.bodyTooLong(limit: 16 << 20)) {
      try CollectedForm(try long.bytes(bufferSize: 1 << 20), boundary: Self.boundary)
    }
  }

  @Test("a form that was cut off is refused")
  func truncated() async throws {
    let front = Data(Self.form.utf8.prefix(100))
    #expect(throws: ParserError.truncated(in: .header)) {
      try CollectedForm(front, boundary: Self.boundary)
    }
    await #expect(throws: FormReadError.self) {
      try await Self.stream([front]).form(boundary: Self.boundary)
    }
  }

  @Test("names keep bytes that are not UTF-8, quoted and as filename*")
  func bytesOfNames() throws {
    let body =
      Array("--B\r\nContent-Disposition: form-data; name=\"a".utf8) + [0xFF, 0xE9]
      + Array("\"; filename=\"".utf8) + [0xE9] + Array(".txt\"\r\n\r\nx\r\n".utf8)
      + Array(
        "--B\r\nContent-Disposition: form-data; name=b; filename*=UTF-8''%E9\r\n\r\n\r\n--B--".utf8)
    let parts = try CollectedForm(body, boundary: Self.boundary).parts
    #expect(parts[0].header.name == "a\u{FFFD}\u{FFFD}")
    #expect(parts[0].header.nameBytes == [0x61, 0xFF, 0xE9])
    #expect(parts[0].header.fileName == "\u{FFFD}.txt")
    #expect(parts[0].header.fileNameBytes == [0xE9] + Array(".txt".utf8))
    #expect(parts[1].header.fileNameBytes == [0xE9])
  }
}
