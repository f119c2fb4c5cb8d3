import Receiver

/// `POST /reports` takes a form with one PDF, and says how many have come so far.
struct Reports: ReceiverEndpoint {
  func methods(at path: String) -> [String]? { path == "/reports" ? ["POST"] : nil }

  func answer(_ request: inout EndpointRequest) async throws -> Reply {
    let form = try await request.storeForm(maxFiles: 1) { form in
      guard form.files[0].beginning.starts(with: "%PDF-".utf8) else {
        throw Refusal(415, "Send a PDF.")
      }
    }
    let count = try request.folder.change("reports", atMost: 100) { bytes in
      let count = 1 + (Int(String(decoding: bytes ?? [], as: UTF8.self)) ?? 0)
      bytes = Array("\(count)".utf8)
      return count
    }
    return .json(["url": form.files[0].url, "count": "\(count)"], status: 201)
  }
}

/// A receiver with that endpoint, listening.
func startReceiver(directory: String) async throws -> (receiver: UploadReceiver, port: Int) {
  var configuration = UploadReceiver.Configuration(directory: directory)
  configuration.limits.fileBytes = 50 << 20
  let receiver = UploadReceiver(configuration: configuration, endpoints: [Reports()])
  return (receiver, try await receiver.start())
}
