import ArgumentParser
import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import Sessions
import UploadModel
import UploadStore

struct AddCommand: HoistCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add", abstract: "Add files to the queue, for a running or later hoist.",
      usage: "hoist add [options] FILE…",
      discussion: HelpPage.isWhole ? wholeDiscussion : discussion)
  }

  private static let discussion = """
    EXAMPLES:
      hoist add report.pdf --to nas
      hoist add -r photos --exclude '*.tmp' --to https://host/upload
    """

  private static let wholeDiscussion = """
    The files appear on every screen that shows this queue. Only the name of \
    the target is stored; to set extra form fields or headers, give it a table in the configuration.

    A file can be followed by its own type, name and form field, as in curl:
    'a.jpg;type=image/webp;name=b.jpg;field=photo'. This name is sent as it is, without placeholders.
    """

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]

  @OptionGroup(title: "Where it goes") var destination: DestinationOptions
  @OptionGroup(title: "Where it goes") var config: ConfigOption

  @Flag(name: [.customShort("r"), .long], help: .usual("Add the files in folders, recursively."))
  var recursive = false

  @OptionGroup(title: "What is added") var folders: FolderOptions
  @OptionGroup(title: "What is added") var sent: SentOptions
  @OptionGroup(title: "Queue and history") var queue: QueueOptions

  func run(in context: Context) throws {
    let target = try destination.target(of: config.loadAndWarn(in: context))
    guard !destination.hasQuery(target) else {
      throw UserError(
        "--to: the part of a URL after \"?\" is not kept, because it may be a secret; give the target a "
          + "name in the configuration")
    }
    let rules = recursive ? try folders.rules() : nil
    let isPlaced = target.placesFiles
    let queue = QueueIntake(store: try self.queue.store(in: context), sent.rules) { _ in isPlaced }
    let waiting = try queue.store.unsentFiles(to: target.name)
    // A malformed argument is found before any file is examined.
    let wishes = try ArgumentLists.unfolded(files).map { try FileArgument($0) }
    try wishes.forEach { try $0.checkIsLasting() }
    var added = QueueIntake.Added()
    var (copies, folders) = (0, [UploadItem]())
    var failure: StoreError?
    queue.add(
      wishes.lazy.flatMap { $0.files(home: context.home) }, FileIntake(for: target), in: rules,
      takes: { item in
        // A folder would stay in the queue for ever and fail each time.
        if item.state.failure?.cause == .notAFile(kind: "a folder") {
          folders.append(item)
          return false
        }
        guard let queued = waiting[item.location], queued == item.identity else { return true }
        copies += 1
        return !sent.skipSent
      },
      prepare: { ($0.target, $0.field) = (target.name, $0.field ?? destination.field) }
    ) { result, _ in
      do throws(StoreError) { added.merge(try result.get()) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
    report(added, folders, copies: copies, to: target, in: context)
    let bad = folders.count + added.items.count(where: \.state.isFinished)
    if bad > 0 {
      let option = UsualQueue.option(for: queue.store.path, context.environment)
      throw UserError(
        "\(HumanReadable.count(bad, "file")) cannot be sent; "
          + (folders.isEmpty
            ? "hoist queue retry\(option) checks again"
            : "hoist add -r\(option) adds the files in a folder"),
        status: .someFailed)
    }
  }

  /// How many files are named that are queued although they were sent before.
  private static let mostNotes = 20

  /// Says what was queued, and what was not and why. `folders` were left out because `-r` was not given; `copies` is
  /// how many of the files were waiting already.
  private func report(
    _ added: QueueIntake.Added, _ folders: [UploadItem], copies: Int, to target: Target,
    in context: Context
  ) {
    for item in folders + added.items {
      guard let failure = item.state.failure else { continue }
      context.output.error("✗ \(SafeText.line(item.location.description)): \(failure.headline)")
    }
    let noted = added.items.filter { $0.state.failure == nil && $0.note != nil }
    for item in noted.prefix(Self.mostNotes) {
      context.output.error("· \(SafeText.line(item.location.description)): \(item.note ?? "")")
    }
    if noted.count > Self.mostNotes {
      context.output.error("… and \(HumanReadable.grouped(noted.count - Self.mostNotes)) more")
    }
    let queued = added.items.count { !$0.state.isFinished }
    let skipped =
      added.skipped.isEmpty
      ? "" : ", \(HumanReadable.grouped(added.skipped.count)) skipped as sent before"
    let taken = added.accompanyingWords.map { ", \($0)" } ?? ""
    let without = added.emptyWords.map { "; \($0)" } ?? ""
    let fate = sent.skipSent ? "skipped as already waiting" : "of them already waiting"
    let copied = copies == 0 ? "" : ", \(HumanReadable.grouped(copies)) \(fate)"
    context.output.error(
      added.items.isEmpty && added.skipped.isEmpty && copies == 0 && folders.isEmpty
        ? "nothing was queued: no files were found\(self.folders.includeWords)\(taken)"
        : "\(HumanReadable.count(queued, "file")) queued for \(target.name)\(added.repetition)\(copied)\(skipped)\(taken)\(without)"
    )
  }
}
