import ArgumentParser
import Foundation
import Receiver
import UploadModel
import UploadStore

/// `hoist demo`.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show hoist at work: create a few files and upload them to its own receiver.",
    discussion: """
      On a terminal the screen opens with the files on their way. Without one, the same goes on \
      with plain lines and ends by itself. Everything lies in one folder, which is named.
      """)

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder for the samples and for received files. Default: a new temporary one.",
      valueName: "dir"))
  var dir: String?

  @Flag(name: .long, help: "Draw with ASCII characters only.")
  var ascii = false

  func run() async throws {
    let folder = try dir ?? Self.temporaryFolder()
    let inbox = "\(folder)/inbox"
    let files: [String]
    do {
      files = try DemoFiles.make(in: "\(folder)/samples")
    } catch {
      throw UserError("cannot make the sample files in \(folder): \(error.localizedDescription)")
    }
    let receiver = Receiver(configuration: Receiver.Configuration(directory: inbox))
    let port: Int
    do {
      port = try await receiver.start()
    } catch {
      throw UserError("\(error)")
    }
    guard let url = URL(string: "http://127.0.0.1:\(port)/upload") else { return }
    // Slow enough to be watched.
    let limit: Int64 = 50_000_000
    var target = Target(name: "demo", url: url)
    let status: ExitStatus
    if isatty(STDOUT_FILENO) == 1 {
      let store = try UploadStore(path: "\(folder)/queue.sqlite")
      let session = try await ScreenSession(
        book: TargetCatalog(target), keeper: QueueRecorder(store: store),
        home: ProcessInfo.processInfo.environment["HOME"] ?? "",
        options: ScreenSession.Options(
          isASCII: ascii, rateLimit: limit, notice: "received files: \(inbox)"))
      status = await session.run(files: files)
    } else {
      Output.line("uploading \(HumanReadable.count(files.count, "file")) to \(url.absoluteString)")
      target.rateLimit = limit
      var push = Push(
        inputs: PushInputs(arguments: files), target: target,
        reporter: LineReporter(interval: 0.25, write: { Output.line($0) }))
      status = await push.run().status
    }
    await receiver.stop()
    Output.line("received files: \(SafeText.line(inbox))")
    Output.line("the demo's files take 400 MB; remove them with: rm -r \(SafeText.line(folder))")
    try status.exitUnlessSuccess()
  }

  private static func temporaryFolder() throws -> String {
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(folder)/hoist-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw UserError("cannot make a folder in \(folder): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
