import ArgumentParser
import Foundation
import ProcessContext
import Queue
import Scheduling
import Sessions
import UploadModel
import UploadStore

struct SendCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send what is in the queue, without a screen.",
    usage: "hoist send [options]",
    discussion: """
      Prints a line when a file is done or fails, and exits when nothing is left to send. Failed files stay in the \
      queue. It waits for a server that it cannot reach, but not for one that refuses the credentials. If another \
      hoist is already sending the queue, this one follows it, and takes over when the other stops.

      With --stay, it keeps running until SIGTERM, and sends what hoist add puts into the queue. \
      The service hoist-send, which is installed with hoist, runs it for a user of systemd:

        systemctl --user enable --now hoist-send
        hoist add report.pdf --to nas
        journalctl --user -u hoist-send

      EXIT STATUS:
        0    everything was sent, or with --stay: nothing failed
        1    some files were not sent
        2    wrong usage or configuration; nothing was sent
        130  interrupted
      """)

  @Flag(help: "Keep running when the queue is empty, and send what is added, until told to stop.")
  var stay = false

  @OptionGroup(title: "Where it goes") var destination: DestinationOptions
  @OptionGroup(title: "Where it goes") var config: ConfigOption
  @OptionGroup(title: "Where it goes") var options: TargetOptions
  @OptionGroup(title: "Queue and history") var queue: QueueOptions
  @OptionGroup(title: "Logging") var logging: LogOptions

  /// Continues sending for a screen that the user has left; see `Handover`.
  @Flag(help: .hidden)
  var takeOver = false

  @MainActor
  func run(in context: Context) async throws {
    let handover = takeOver ? try Handover.receive(in: context) : nil
    let screen = try handover?.command()
    let (config, options) = (screen?.config ?? config, screen?.options ?? options)
    let store = try (screen?.queue ?? queue).store(in: context)
    let lock = try handover.map { _ in
      try SenderLock(queue: store.path, inheriting: Handover.lockDescriptor)
    }
    let settings = try config.loadAndWarn(in: context)
    // No files are added here, so any target will do if none is named.
    let catalog = try options.catalog(
      of: settings, from: config, to: screen?.destination ?? destination, in: context,
      usually: try store.lastTarget() ?? settings.targetNames.first ?? "http://localhost/")
    var choices = SendSession.Options()
    choices.settings = handover?.settings ?? SenderSettings(limit: options.speed)
    choices.keepsLimit = handover == nil && options.limit == nil
    choices.floor = handover?.floor ?? ItemID(0)
    choices.refused = handover?.refused ?? [:]
    (choices.stays, choices.goesOn) = (stay && handover == nil, handover != nil)
    choices.journal = try (screen?.logging ?? logging).journal(
      of: catalog.current, mayUseErrors: handover == nil, in: context)
    choices.preferences = try ScreenPreferences(settings)
    let session = SendSession(
      book: catalog, keeper: QueueRecorder(store, lock: lock, in: context), context: context,
      options: choices)
    if handover != nil { Handover.confirm() }
    try await session.run().exitUnlessSuccess()
  }
}
