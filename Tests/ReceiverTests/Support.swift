import Digests
import Foundation
import ReceiverDemos
import Synchronization
import TestSupport
import Testing

@testable import Receiver

/// A receiver with a folder of its own, for the time of one test.
struct TestServer {
  let receiver: UploadReceiver
  let port: Int
  let folder: URL
  let events: EventLog

  /// Runs a receiver around a test; its folder does not exist before.
  static func run(
    _ configure: (inout UploadReceiver.Configuration) -> Void = { _ in },
    endpoints: [any ReceiverEndpoint] = Demonstrations.endpoints(),
    _ test: (TestServer) async throws -> Void
  ) async throws {
    let folder = URL(fileURLWithPath: try ScratchDirectory().path("inbox"))
    var configuration = UploadReceiver.Configuration(directory: folder.path)
    configuration.stopTimeout = .seconds(5)
    (configuration.limits.fileBytes, configuration.limits.bodyBytes) = (.max, .max)
    // Whom the tests' requests name.
    configuration.names = ["test", "x"]
    configure(&configuration)
    let events = EventLog()
    let receiver = UploadReceiver(configuration: configuration, endpoints: endpoints) {
      events.add($0)
    }
    let port = try await receiver.start()
    do {
      try await withTaskExecutorPreference(BlockingExecutor()) {
        try await test(TestServer(receiver: receiver, port: port, folder: folder, events: events))
      }
    } catch {
      await receiver.stop()
      throw error
    }
    await receiver.stop()
  }

  func connect() throws -> RawClient { try RawClient(port: port) }

  /// One request on a connection of its own.
  func request(_ text: String) throws -> RawClient.Reply {
    let client = try connect()
    try client.send(text)
    return try client.readReply()
  }

  /// Everything in the folder, hidden files too.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Makes an upload look as if nobody had come back to it for more than a day.
  func age(_ path: String) throws {
    let id = path.replacing("/uploads/", with: "")
    for suffix in ["data", "json"] {
      try FileChange.age(
        folder.appendingPathComponent(".hoist-upload-\(id).\(suffix)").path, seconds: 90_000)
    }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appendingPathComponent(name)))
  }
}

/// A thread for each job: these tests block on sockets, which Swift's own few threads must not.
final class BlockingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// What a receiver told its owner.
final class EventLog: Sendable {
  private let events = Mutex<[ReceiverEvent]>([])

  func add(_ event: ReceiverEvent) { events.withLock { $0.append(event) } }

  var all: [ReceiverEvent] { events.withLock { $0 } }

  var disconnections: Int {
    all.count { if case .disconnected = $0 { true } else { false } }
  }
}

/// The receiver's answer, as a client reads it.
struct Receipt: Decodable {
  struct File: Decodable {
    var field, name, stored, type, sha256, url: String
    var size: Int64
  }
  var files: [File]

  init(_ body: [UInt8]) throws {
    self = try JSONDecoder().decode(Receipt.self, from: Data(body))
  }
}

/// A form with the boundary `B`, written out by hand.
enum Wire {
  static func file(_ content: String, name: String = "a.txt", field: String = "file") -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(name)\"\r\n"
      + "Content-Type: text/plain\r\n\r\n\(content)\r\n"
  }

  static func field(_ name: String, _ value: String) -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
  }

  static let end = "--B--\r\n"

  static func head(
    _ target: String = "/upload", length: Int?, version: String = "1.1", extra: [String] = [],
    type: String = "multipart/form-data; boundary=B"
  ) -> String {
    var lines = ["POST \(target) HTTP/\(version)", "Host: test", "Content-Type: \(type)"]
    if let length { lines.append("Content-Length: \(length)") }
    return (lines + extra).joined(separator: "\r\n") + "\r\n\r\n"
  }

  static func post(
    _ body: String, to target: String = "/upload", version: String = "1.1", extra: [String] = []
  ) -> String {
    head(target, length: body.utf8.count, version: version, extra: extra) + body
  }
}

func sha256(_ bytes: [UInt8]) -> String {
  SHA256.hash(bytes).hexadecimal
}

/// Bytes that repeat nowhere soon, the same in each run.
func patternBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SplitMix64(seed: seed)
  return generator.bytes(count)
}

/// Waits until something is so.
func eventually(
  _ condition: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(30)
  while try !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("did not come about in 30 s", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// Runs a program to its end.
func run(_ program: String, _ arguments: [String], input: Data? = nil) throws -> (
  status: Int32, output: Data
) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let data = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, data)
}
