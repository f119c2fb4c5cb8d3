import Foundation
import Receiver
import ScalarText

/// A receiver that stops once in the middle of an upload and comes back on the same port, so that the demo can show how
/// an upload resumes.
struct DemoRestart {
  let port: Int
  private let first: UploadReceiver
  private let second: UploadReceiver
  private let change: Task<Void, any Error>

  /// Listens on a free port of this machine. Another receiver may use the same folder. Stops once an upload has this
  /// many bytes.
  init(folder: String, after bytes: Int) async throws(ReceiverError) {
    var configuration = UploadReceiver.Configuration(directory: folder)
    configuration.stopTimeout = .zero
    first = UploadReceiver(configuration: configuration)
    configuration.port = try await first.start()
    port = configuration.port
    second = UploadReceiver(configuration: configuration)
    change = Task { [first, second] in
      while !Self.hasPart(of: bytes, in: folder) { try await Task.sleep(for: .milliseconds(50)) }
      await first.stop()
      _ = try await second.start()
    }
  }

  func stop() async {
    change.cancel()
    await first.stop()
    await second.stop()
  }

  /// Whether this many bytes of an unfinished upload have arrived.
  private static func hasPart(of bytes: Int, in folder: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      var status = stat()
      return name.hasPrefix(scalars: ".hoist-upload-") && stat("\(folder)/\(name)", &status) == 0
        && status.st_size >= bytes
    }
  }
}
