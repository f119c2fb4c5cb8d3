import ArgumentParser
import Foundation
import ProcessContext
import Receiver
import ReceiverDemos
import ScalarText
import UploadModel

struct ReceiveCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receive uploads into a folder: a small server.",
    usage: "hoist receive [options]",
    discussion: """
      For tests or a home network.

      POST /upload        one file, any field name
      POST /multiupload   up to 10 files in one request
      GET  /              what has arrived, and a form to send files with a browser
      GET  /files/NAME    one of these files; with --allow-delete, DELETE deletes it
      POST /files         an upload in several requests, which can resume after a lost connection (tus 1.0.0)

      The answer to an upload is JSON with the name, size, type, SHA-256 and URL of each file, and for one file \
      its URL in Location too. A file appears once all of it is on disk. No file is stored outside the folder, and \
      none replaces another.

      hoist itself needs only this configuration to send to it, to list what it has (hoist ls) and to \
      delete (hoist rm):

        [targets.desk]
        type = "hoist"
        url = "http://desk.local:3000/"

      Without --token, anyone who can reach the port can send and fetch. A request must be for an IP address, \
      for localhost, or for a name given with --name or --public-url; others are refused, and so is \
      what a page of another site sends. For TLS, put nginx or Caddy in \
      front: share/doc/hoist/examples/recipes, where hoist is installed, has the configurations.
      """)

  @Option(help: "The port to listen on; 0 picks a free one.")
  var port = 3000

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "A host name of the receiver; can be given more than once.",
      discussion: "For example nas.local. Requests for other names are refused."))
  var name: [String] = []

  @Option(help: "The folder for received files; created if missing.")
  var dir = "inbox"

  @Option(
    help: ArgumentHelp(
      "The token that clients have to send as \"Authorization: Bearer TOKEN\"; browsers ask for it as a password.",
      discussion:
        "Other users can see arguments; to hide the token, set HOIST_RECEIVE_TOKEN instead."))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "The public address of the receiver, for the URLs in its replies.",
      discussion: "For example https://files.example.org, behind a proxy.", valueName: "url"))
  var publicUrl: String?

  @Option(
    help: ArgumentHelp("The largest file that is accepted, such as \"100 MB\".", valueName: "size"))
  var maxFileBytes: String?

  @Option(
    help: ArgumentHelp(
      "How much of the disk to keep free, such as \"1 GB\"; uploads that need it are refused.",
      valueName: "size"))
  var keepFree: String?

  @Flag(help: "Let clients delete what has arrived.")
  var allowDelete = false

  @Flag(help: "Do not wait until each file is on the disk. Faster, but less safe.")
  var noSync = false

  @Flag(
    name: .shortAndLong, help: "Also print the type and the SHA-256 of each file, and who sent it.")
  var verbose = false

  /// Serves the endpoints that recipes are tried and tested against.
  @Flag(help: .hidden)
  var demoEndpoints = false

  /// The bytes that a form's fields and headers may take in addition to its files.
  private static let roomForFields: Int64 = 16 << 20

  func run(in context: Context) async throws {
    let configuration = try configuration(in: context)
    let log = BackgroundLines(to: context.output.errors)
    defer { log.finish(within: 1) }
    let arrivals = ReceiveLog(isVerbose: verbose, hasColours: hasColours(in: context))
    let receiver = UploadReceiver(
      configuration: configuration, endpoints: demoEndpoints ? Demonstrations.endpoints() : []
    ) { log.add(arrivals.line(for: $0, at: Date())) }
    let port = try await receiver.start()
    let name = host.contains(scalars: ":") ? "[\(host)]" : host
    context.output.line("receiving on http://\(name):\(port)/upload into \(SafeText.line(dir))")
    let isForOthers = !["127.0.0.1", "::1", "localhost"].contains(host)
    if isForOthers, configuration.token == nil {
      let rights = allowDelete ? "send, fetch and delete" : "send and fetch"
      log.add("hoist: without --token anyone who can reach \(host) can \(rights) files")
    }
    if isForOthers, configuration.names.isEmpty, configuration.publicURL == nil {
      log.add(
        "hoist: clients can reach the receiver only by its IP address; --name NAME allows a host name"
      )
    }
    await context.signals([SIGINT, SIGTERM, SIGHUP]).first()
    // If something is still under way, say what the program waits for.
    let patience = HumanReadable.seconds(Double(configuration.stopTimeout.components.seconds))
    let notice = Task {
      try await Task.sleep(for: .milliseconds(300))
      log.add("stopping; requests under way have \(patience) to finish")
    }
    await receiver.stop()
    notice.cancel()
    log.add(arrivals.sum)
  }

  /// Whether lines on standard error have colours (https://no-color.org).
  private func hasColours(in context: Context) -> Bool {
    let wantsNone = context.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return context.output.errorsAreTerminal && context.environment["TERM"] ?? "dumb" != "dumb"
      && !wantsNone
  }

  private func configuration(in context: Context) throws -> UploadReceiver.Configuration {
    guard (0...65_535).contains(port) else {
      throw UserError("--port \(port): expected a number from 0 to 65535")
    }
    var configuration = UploadReceiver.Configuration(directory: dir)
    configuration.host = host
    configuration.port = port
    for name in name where !UploadReceiver.Configuration.isName(name) {
      throw UserError(
        "--name \(name): expected a name or an address without port, such as nas.local")
    }
    configuration.names = name
    configuration.syncsToDisk = !noSync
    configuration.allowsDeletion = allowDelete
    configuration.token = token ?? context.environment["HOIST_RECEIVE_TOKEN"]
    guard configuration.token != "" else {
      throw UserError("--token: is empty; leave it out to let everyone in")
    }
    if let publicUrl {
      guard let url = URL(string: publicUrl), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host?.isEmpty == false, url.query == nil
      else {
        throw UserError(
          "--public-url \(publicUrl): expected a URL such as https://files.example.org")
      }
      configuration.publicURL = publicUrl
    }
    configuration.reservedBytes = try size(keepFree, of: "--keep-free") ?? 0
    // Without the option, only disk space sets a limit.
    (configuration.limits.fileBytes, configuration.limits.bodyBytes) = (.max, .max)
    if let maxFileBytes = try size(maxFileBytes, of: "--max-file-bytes") {
      configuration.limits.fileBytes = maxFileBytes
      // A request larger than its files can be in total is refused before its body is read.
      let (files, isHuge) = maxFileBytes.multipliedReportingOverflow(
        by: Int64(configuration.maxFiles))
      if !isHuge, files < .max - Self.roomForFields {
        configuration.limits.bodyBytes = files + Self.roomForFields
      }
    }
    return configuration
  }

  private func size(_ text: String?, of option: String) throws -> Int64? {
    guard let text else { return nil }
    if text == "0" { return 0 }
    guard let bytes = ByteCount.size(text) else {
      throw UserError("\(option) \(text): expected a size such as 500000 or \"100 MB\"")
    }
    return bytes
  }
}
