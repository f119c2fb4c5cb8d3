// Takes uploads, and at an endpoint of its own reports:
//
//   receive-reports FOLDER [PORT]

import Foundation
import Receiver

/// `POST /reports` takes a form with one PDF and a title.
struct Reports: ReceiverEndpoint {
  func methods(at path: String) -> [String]? { path == "/reports" ? ["POST"] : nil }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    let form = try await request.storeForm(maxFiles: 1) { form in
      guard form.files[0].beginning.starts(with: "%PDF-".utf8) else {
        throw Refusal(415, "Send a PDF.")
      }
      guard form.fields["title"]?.first?.isEmpty == false else {
        throw Refusal(400, "Send a title.")
      }
    }
    return .json(["title": form.fields["title", default: []][0], "url": form.files[0].url])
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  FileHandle.standardError.write(Data("usage: receive-reports FOLDER [PORT]\n".utf8))
  exit(2)
}

var configuration = UploadReceiver.Configuration(directory: arguments[1])
configuration.port = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
configuration.limits.fileBytes = 50 << 20
let receiver = UploadReceiver(configuration: configuration, endpoints: [Reports()]) { event in
  if case .stored(let file, let client) = event {
    print("\(client) sent \(file.stored), \(file.size) bytes")
    fflush(nil)
  }
}
do throws(ReceiverError) {
  print("http://127.0.0.1:\(try await receiver.start())/")
  fflush(nil)
} catch {
  FileHandle.standardError.write(Data("receive-reports: \(error)\n".utf8))
  exit(1)
}

// Until ^c or SIGTERM; uploads that are under way may end.
for signal in [SIGINT, SIGTERM] { Foundation.signal(signal, SIG_IGN) }
let (stops, stop) = AsyncStream<Void>.makeStream()
let sources = [SIGINT, SIGTERM].map { signal in
  let source = DispatchSource.makeSignalSource(signal: signal)
  source.setEventHandler { stop.yield() }
  source.resume()
  return source
}
for await _ in stops { break }
await receiver.stop()
