// Sends a form with URLSession, without holding its files in memory:
//
//   send-form http://localhost:8080/ album=Summer photo=@photo.jpg

import Foundation
import FoundationNetworking
import MultipartForm
import Synchronization

/// Hands out the body, anew where URLSession has to send it again.
final class BodySource: NSObject, URLSessionTaskDelegate {
  let body: FormBody
  /// Why the body could not be read: URLSession only says that its stream failed.
  private let failureBox = Mutex<BodyError?>(nil)
  var failure: BodyError? { failureBox.withLock { $0 } }

  init(_ body: FormBody) { self.body = body }

  func makeStream() -> InputStream {
    body.makeInputStream { error in self.failureBox.withLock { $0 = error } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) { completionHandler(makeStream()) }
}

/// `album=Summer` is a field, `photo=@photo.jpg` a file.
func part(_ argument: String) -> FormPart? {
  guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
  let name = String(argument[..<sign])
  let value = argument[argument.utf8.index(after: sign)...]
  guard value.utf8.first == UInt8(ascii: "@") else {
    return .text(name: name, value: String(value))
  }
  return .file(name: name, at: FileLocation(String(value.dropFirst())))
}

func fail(_ words: String) -> Never {
  FileHandle.standardError.write(Data("send-form: \(words)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first.flatMap(URL.init(string:)), url.host != nil else {
  fail("usage: send-form URL NAME=VALUE… NAME=@FILE…")
}
let parts = arguments.dropFirst().compactMap(part)
guard parts.count == arguments.count - 1 else { fail("each part is NAME=VALUE or NAME=@FILE") }

let source: BodySource
do throws(BodyError) {
  source = BodySource(try FormBody(FormData(parts: parts)))
} catch {
  fail("\(error)")
}

var request = URLRequest(url: url)
request.httpMethod = "POST"
request.setValue(source.body.contentType, forHTTPHeaderField: "Content-Type")
// The length is known before anything is read, so the body need not be chunked.
request.setValue("\(source.body.contentLength)", forHTTPHeaderField: "Content-Length")
// On Linux URLSession chunks every stream unless this header is blank.
request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
request.httpBodyStream = source.makeStream()

do {
  let session = URLSession(configuration: .ephemeral)
  let (reply, response) = try await session.data(for: request, delegate: source)
  let status = (response as? HTTPURLResponse)?.statusCode ?? 0
  FileHandle.standardOutput.write(reply)
  guard (200..<300).contains(status) else { fail("the server answered \(status)") }
} catch {
  fail("\(source.failure.map { "\($0)" } ?? "\(error)")")
}
