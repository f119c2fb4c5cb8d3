import Foundation
import MultipartForm
import TestSupport
import Testing

@Suite struct LibrarySnippetTests {
  @Test("the example for library users does what it says")
  func runs() async throws {
    let scratch = try ScratchDirectory()
    let photo = try scratch.write("photo.jpg", [UInt8](repeating: 7, count: 200_000))
    var sent: [UInt8] = []
    let body = try send(FileLocation(photo)) { sent += $0 }
    #expect(Int64(sent.count) == body.contentLength)

    var receiver = try PhotoReceiver(contentType: body.contentType)
    try sent.withUnsafeBytes { try receiver.receive($0) }
    try receiver.finish()
    #expect(try album(in: Data(sent), contentType: body.contentType) == "Summer 2026")
    let whole = Data(sent)
    let buffers = AsyncThrowingStream<Data, any Error> { stream in
      stream.yield(whole)
      stream.finish()
    }
    #expect(try await photos(in: buffers, contentType: body.contentType) == 1)
    #expect(receiver.received == ["album": 11, "photo.jpg": 200_000])
  }

  @Test("docs/libraries.md shows exactly this example, behind <!-- snippet: library -->")
  func shown() throws {
    let root = URL(filePath: Repository.root)
    let page = try String(contentsOf: root.appending(path: "docs/libraries.md"), encoding: .utf8)
    let example = try String(
      contentsOf: root.appending(path: "Tests/MultipartFormTests/LibrarySnippet.swift"),
      encoding: .utf8)
    #expect(
      page.contains("<!-- snippet: library -->\n```swift\n\(example)```\n"),
      "put Tests/MultipartFormTests/LibrarySnippet.swift behind the marker, as a swift block")
  }
}
