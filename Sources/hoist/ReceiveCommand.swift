import ArgumentParser
import Foundation
import Receiver
import UploadModel

/// `hoist receive`.
struct ReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receive uploads into a folder: a small server for tests, a desk or a home network.",
    discussion: """
      POST /upload        one file, any field name
      POST /multiupload   up to 10 files in one request
      GET  /              what has arrived

      The answer is JSON with the name, size, type and SHA-256 of each file. No file leaves the \
      folder and none replaces another.
      """)

  @Option(name: .long, help: "The port to listen on; 0 picks a free one.")
  var port = 3000

  @Option(name: .long, help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(name: .long, help: "The folder for what arrives; made if it is not there.")
  var dir = "inbox"

  @Option(
    name: .long,
    help: ArgumentHelp("The largest file that is taken, in bytes.", valueName: "bytes"))
  var maxFileBytes: Int64?

  /// Bytes that a form's fields and headers may take beside its files.
  private static let roomForFields: Int64 = 16 << 20

  func run() async throws {
    guard (0...65_535).contains(port) else {
      throw UserError("--port \(port): expected a number from 0 to 65535")
    }
    if let maxFileBytes, maxFileBytes < 0 {
      throw UserError("--max-file-bytes \(maxFileBytes): expected a number of bytes, 0 or more")
    }
    var configuration = Receiver.Configuration(directory: dir)
    configuration.host = host
    configuration.port = port
    if let maxFileBytes {
      configuration.maxFileBytes = maxFileBytes
      // A request that is longer than all its files may be together is refused before it is read.
      let (files, isHuge) = maxFileBytes.multipliedReportingOverflow(
        by: Int64(configuration.maxFiles))
      if !isHuge, files < .max - Self.roomForFields {
        configuration.maxRequestBytes = files + Self.roomForFields
      }
    }
    let receiver = Receiver(configuration: configuration) { event in
      Output.error(Self.line(for: event))
    }
    let port: Int
    do {
      port = try await receiver.start()
    } catch {
      throw UserError("\(error)")
    }
    let name = host.contains(":") ? "[\(host)]" : host
    Output.line("receiving on http://\(name):\(port)/upload into \(SafeText.line(dir))")
    await Signals([SIGINT, SIGTERM, SIGHUP]).first()
    await receiver.stop()
  }

  static func line(for event: ReceiverEvent) -> String {
    switch event {
    case .stored(let file, let client):
      "\(client) stored \(SafeText.line(file.stored)) (\(Wording.bytes(file.size)), "
        + "\(SafeText.line(file.type)), sha256 \(file.sha256))"
    case .refused(let status, let message, let request, let client):
      "\(client) refused \(SafeText.line(request)): \(status) \(SafeText.line(message))"
    case .disconnected(let request, let client):
      "\(client) hung up during \(SafeText.line(request)); nothing was kept"
    }
  }
}
