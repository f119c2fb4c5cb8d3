import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import ScalarText
import UploadModel

/// Everything that a push was asked to send. It is enumerated in order while the first files are uploaded.
package struct PushInputs: Sendable {
  /// Files, patterns, folders, or inputs that can be read only once, such as `-` for standard input.
  package var arguments: [FileArgument]
  package var list: FileList?
  /// The name under which one of these inputs is sent, and its descriptor.
  package var named: (descriptor: Int32, name: String)?
  /// Whether folders stand for the files in them.
  package var isRecursive = false
  /// Which files in a folder are added.
  package var rules = FolderRules()
  /// Files that an earlier push could not deliver.
  package var again: [PushReport.Entry] = []
  /// The addresses that the earlier push, and those before it, have sent files to.
  package var sent = SentAddresses()
  /// Files of the earlier push that are left out because they may have arrived.
  package var leftOut: [PushReport.Entry] = []
  /// How every file is sent, unless the user says otherwise for one.
  package var usual: FileArgument?
  /// Finds files as they appear, once all other inputs have been read.
  package var watch: FolderWatch?
  package var home = ""
  /// The descriptor of standard input.
  package var standardInput = STDIN_FILENO
  package var temporaryFolder = "/tmp"

  package init(arguments: [FileArgument] = []) { self.arguments = arguments }

  /// Calls `body` with an item for each file until it returns false. Once `stop` is cancelled, it does not
  /// wait for inputs that may have no end. Returns false if files may be missing because of that.
  @discardableResult
  package func walk(
    _ intake: FileIntake, until stop: CancellationToken = CancellationToken(),
    _ body: (UploadItem) -> Bool
  ) -> Bool {
    let folders = isRecursive ? rules : nil
    func each(_ file: FileLocation, as wish: FileArgument? = nil) -> Bool {
      guard let descriptor = SpooledInput.descriptor(of: file) else {
        return intake.each(of: file, in: folders, as: wish, body)
      }
      let name = named?.descriptor == descriptor ? named?.name : nil
      var item = UploadItem(
        id: ItemID(0), location: file, fileName: name ?? file.name)
      wish?.apply(to: &item)
      return body(input(descriptor, of: item.record, intake, until: stop))
    }
    var goesOn =
      again.allSatisfy { entry in
        if let why = entry.record.standsFor {
          return body(intake.failed(entry.record, .unreadable(why)))
        }
        guard let descriptor = SpooledInput.descriptor(of: entry.path) else {
          return intake.each(of: entry.record, in: folders, body)
        }
        var record = entry.record
        if let named, named.descriptor == descriptor { record.fileName = named.name }
        let item = input(descriptor, of: record, intake, until: stop)
        // What sent it before may not be there any more, as when cron repeats a push.
        if item.size == 0, item.identity != nil, entry.bytes != 0 {
          let before = entry.bytes.map { " instead of \(HumanReadable.bytes($0))" } ?? ""
          let why =
            "it was an input that can be read only once, and is empty now\(before); give it again"
          return body(intake.failed(record, .unreadable(why)))
        }
        return body(item)
      }
      && arguments.allSatisfy { wish in
        FileLocation(wish.path) == SpooledInput.argument
          ? each(SpooledInput.argument, as: wish)
          : Arguments.files(wish.path, home: home).allSatisfy { each($0, as: wish) }
      }
    guard goesOn else { return true }
    var isWhole = true
    if let list {
      let end = list.forEach(until: stop) { file in
        // In a list, "-" is a file like any other, also for who sends it again.
        goesOn =
          file == SpooledInput.argument
          ? intake.each(of: FileLocation("./\(file)"), in: folders, body) : each(file)
        return goesOn
      }
      if case .failed(let why) = end {
        let cause = Failure.Cause.unreadable("the rest of the list cannot be read: \(why)")
        _ = body(intake.failed(.ofList(list.title), cause))
      }
      guard goesOn else { return true }
      isWhole = end != .left
    }
    if let watch,
      let why = watch.run(until: stop, { body(intake.item(for: $0, below: watch.root)) })
    {
      _ = body(intake.failed(.ofWatch, .unreadable(why)))
    }
    return isWhole
  }

  /// The item for an input that can be read only once, which `record` describes.
  private func input(
    _ descriptor: Int32, of record: ItemRecord, _ intake: FileIntake,
    until stop: CancellationToken
  ) -> UploadItem {
    let isStandard = descriptor == STDIN_FILENO
    // Any other descriptor is one that hoist itself has opened.
    guard isStandard || SpooledInput.isInherited(descriptor) else {
      return intake.failed(record, .unreadable("descriptor \(descriptor) is not open"))
    }
    do throws(InputError) {
      guard
        let kept = try SpooledInput.keep(
          isStandard ? standardInput : descriptor, as: record.location, in: temporaryFolder,
          until: stop)
      else { return intake.failed(record, .cancelled) }
      var record = record
      record.location = kept
      return intake.item(of: record)
    } catch {
      return intake.failed(record, .unreadable(error.description))
    }
  }
}

extension ItemRecord {
  private static let (list, watch) = ("--from-file", "--watch")

  /// The record of a failed item that stands for the files that a list would have named, or a watch would have found.
  fileprivate static func ofList(_ title: String) -> ItemRecord { standIn("\(list) \(title)") }
  fileprivate static let ofWatch = standIn(watch)

  private static func standIn(_ words: String) -> ItemRecord {
    // No file has such a path, so a retry sends none in its place.
    ItemRecord(location: FileLocation(words), fileName: words)
  }

  /// Why the item cannot be sent again, if it stands for other files.
  fileprivate var standsFor: String? {
    guard (try? FileIdentity(of: location)) == nil,
      let option = [Self.list, Self.watch].first(where: { fileName.hasPrefix(scalars: $0) })
    else { return nil }
    return "a report does not know which files it stands for; push again with \(option)"
  }
}
