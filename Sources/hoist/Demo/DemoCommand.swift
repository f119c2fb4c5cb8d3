import ArgumentParser
import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import Queue
import Receiver
import Scheduling
import Sessions
import Settings
import UploadModel
import UploadStore

struct DemoCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show hoist at work with its own receiver.",
    discussion: """
      hoist creates a few files and uploads them to its own receiver. On a terminal, the screen \
      opens with the files on their way. Otherwise hoist sends them, prints plain lines and exits by itself. \
      Everything is in one folder, whose path is printed.
      """)

  @Option(
    help: "The folder for the samples and for received files. Default: a new temporary one.")
  var dir: String?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  func run(in context: Context) async throws {
    let folder = try dir ?? Self.temporaryFolder(in: context)
    let inbox = "\(folder)/inbox"
    let files: [String]
    do { files = try DemoFiles.make(in: "\(folder)/samples") } catch {
      throw UserError("cannot make the sample files in \(folder): \(error.localizedDescription)")
    }
    let receiver = UploadReceiver(
      configuration: UploadReceiver.Configuration(directory: inbox), endpoints: [DemoTrouble()])
    let port = try await receiver.start()
    let restart = try await DemoRestart(folder: inbox, after: 12_000_000)
    let settings = try Self.settings(port, restarting: restart.port, in: folder)
    let status =
      if context.output.isTerminal {
        try await show(files, settings, in: folder, context)
      } else {
        try await push(files, to: settings.target("desk"), in: context)
      }
    await restart.stop()
    await receiver.stop()
    context.output.line("received files: \(SafeText.line(inbox))")
    // A folder that the user named may have other files in it.
    let removal =
      dir == nil
      ? "remove them with: rm -r \(ShellWord.quoted(folder))"
      : "they are in samples and inbox in \(folder)"
    context.output.line(SafeText.line("the demo's files take 350 MB; \(removal)"))
    try status.exitUnlessSuccess()
  }

  /// Sends the files, and some that run into trouble, on the screen. That takes about half a minute.
  private func show(
    _ files: [String], _ settings: Settings, in folder: String, _ context: Context
  ) async throws -> ExitStatus {
    let store = try UploadStore(path: "\(folder)/queue.sqlite")
    let target = try settings.target("demo")
    let samples = "\(folder)/samples"
    var items = files.dropLast().map { item($0, to: "demo") }
    // One file each for the server that refuses, the one that is busy at first and the one that never answers.
    items += try [
      item(DemoFiles.large("too-large.mp4", in: samples, bytes: 3_000_000), to: "strict"),
      item(DemoFiles.large("at-second-try.mp4", in: samples, bytes: 2_000_000), to: "busy"),
      item(DemoFiles.large("no-answer.mp4", in: samples, bytes: 2_000_000), to: "silent"),
    ]
    // The last file goes to a receiver that restarts during the upload.
    items += files.suffix(1).map { item($0, to: "desk") }
    // The trouble comes early enough for the user to look at it while the rest is sent.
    items.swapAt(1, items.count - 3)
    _ = try QueueIntake(store: store).add(items)
    var options = ScreenSession.Options()
    (options.isASCII, options.settings, options.keepsLimit) = (
      ascii, SenderSettings(limit: 6_500_000), false
    )
    options.keepsQueue = false
    options.notice =
      "try: Enter why it failed · r retry · p pause · u limit · a add · ? help"
    let session = try await ScreenSession(
      book: TargetCatalog(target, settings: settings), keeper: QueueRecorder(store, in: context),
      context: context, options: options)
    let status = await session.run(files: [])
    // Files fail here by design: `make demo` must not end with an error for that.
    return status == .someFailed ? .success : status
  }

  private func item(_ path: String, to target: String) -> UploadItem {
    var item = FileIntake().item(at: FileLocation(path))
    item.target = target
    return item
  }

  /// The demo's targets, as a configuration would define them.
  private static func settings(
    _ port: Int, restarting restartPort: Int, in folder: String
  ) throws -> Settings {
    let servers = DemoTrouble.names.map { name in
      "[targets.\(name)]\nurl = \"http://127.0.0.1:\(port)/\(name)\"\ntimeout = \"2s\"\n"
    }
    let text = """
      default_target = "demo"
      [targets.demo]
      url = "http://127.0.0.1:\(port)/upload"
      concurrency = 2
      [targets.desk]
      url = "http://127.0.0.1:\(restartPort)/upload"
      resume = "http"
      \(servers.joined())
      """
    return try Settings.parse(text, file: "\(folder)/config.toml", environment: [:])
  }

  private func push(
    _ files: [String], to desk: Target, in context: Context
  ) async throws -> ExitStatus {
    var target = desk
    target.name = "demo"
    target.rateLimit = 50_000_000
    context.output.line(
      "uploading \(HumanReadable.count(files.count, "file")) to \(target.url.absoluteString)")
    // All lines go where the line above goes.
    var context = context
    context.output = Output(results: context.output.results, errors: context.output.results)
    let push = Push(
      inputs: PushInputs(arguments: try files.map { try FileArgument($0) }), target: target,
      style: .lines(every: 0.25), context: context)
    return await push.run().status
  }

  private static func temporaryFolder(in context: Context) throws -> String {
    let folder = context.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(folder)/hoist-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw UserError("cannot make a folder in \(folder): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
  }
}
