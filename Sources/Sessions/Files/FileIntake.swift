import FileDiscovery
import Foundation
import MediaTypes
import MultipartForm
import Synchronization
import UploadModel

/// Turns paths into items of the queue: examines each file once, guesses its type, and marks what cannot be sent.
package final class FileIntake: Sendable {
  // The guesser reads its tables when the first file is examined, so that the screen need not wait for them.
  private var guesser: MediaTypeGuesser { .system }
  private let limits: UploadLimits?
  private let companions: CompanionFinder
  /// How every file is sent, unless the user says otherwise for one.
  private let usual: FileArgument?
  private let lastID = Atomic<Int64>(0)
  /// The last guess with its explanation, which consecutive files of the same type share.
  private let lastGuess = Mutex<(guess: MediaTypeGuess, words: String)?>(nil)

  /// Examines files for `target`. A file that exceeds its limits becomes a failed item. `usual` says how files are sent
  /// unless the user says otherwise for one.
  package init(for target: Target? = nil, as usual: FileArgument? = nil) {
    self.usual = usual
    // The limits apply to the output of a prepare command. It does not exist yet, so the engine checks it later.
    limits = target?.prepare == nil ? target?.limits : nil
    companions = CompanionFinder(target?.companions ?? [])
  }

  /// The item for a file, which may be in an added folder (`root`) and have another name for the server. If the file
  /// cannot be sent, the item has failed with the reason.
  package func item(
    at location: FileLocation, below root: FileLocation? = nil, named name: String? = nil,
    as wish: FileArgument? = nil
  ) -> UploadItem {
    examined(unexamined(at: location, below: root, named: name, as: wish))
  }

  private func unexamined(
    at location: FileLocation, below root: FileLocation?, named name: String? = nil,
    as wish: FileArgument?
  ) -> UploadItem {
    var item = UploadItem(id: nextID(), location: location, fileName: name)
    if let root { item.folder = location.folder(below: root) }
    usual?.apply(to: &item)
    wish?.apply(to: &item)
    return item
  }

  /// The item that a record describes, with its file as it is now.
  func item(of record: ItemRecord) -> UploadItem {
    var item = UploadItem(id: nextID(), record)
    usual?.apply(to: &item)
    return examined(item)
  }

  private func examined(_ item: UploadItem) -> UploadItem {
    if item.state.isFinished { return item }
    let item = look(at: item)
    guard !item.state.isFinished, let refusal = limits?.refusal(of: item) else { return item }
    return item.with(.failed(Failure(refusal)))
  }

  /// A failed item for something that is not a file, such as a folder that cannot be read.
  func failed(
    _ location: FileLocation, named name: String? = nil, _ cause: Failure.Cause
  ) -> UploadItem {
    UploadItem(id: nextID(), location: location, fileName: name, state: .failed(Failure(cause)))
  }

  /// A failed item in place of one with this record.
  func failed(_ record: ItemRecord, _ cause: Failure.Cause) -> UploadItem {
    UploadItem(id: nextID(), record, state: .failed(Failure(cause)))
  }

  /// Passes `body` the item that a record describes, until it returns false. If a folder could not be read, the record
  /// stands for the files in it.
  func each(
    of record: ItemRecord, in rules: FolderRules?, _ body: (UploadItem) -> Bool
  ) -> Bool {
    guard let rules, Directory.isFolder(record.location) else { return body(item(of: record)) }
    let isInside = record.fileName.hasSuffix(scalars: "/")
    return each(of: record.location, in: rules) { item in
      var item = item
      if isInside { item.folder = record.folder + record.fileName + item.folder }
      if let field = record.field { item.field = field }
      return body(item)
    }
  }

  /// Passes `body` an item for a file, or for each file in a folder, until it returns false. A folder that cannot be
  /// read becomes a failed item. Without `rules`, folders are not searched. Returns false if `body` ended the search.
  func each(
    of file: FileLocation, in rules: FolderRules?, as wish: FileArgument? = nil,
    _ body: (UploadItem) -> Bool
  ) -> Bool {
    guard let rules, Directory.isFolder(file) else { return body(item(at: file, as: wish)) }
    var (scan, examination) = (FolderScan(file, rules: rules), Examination())
    while true {
      var items: [UploadItem] = []
      while items.count < examination.count, let entry = scan.next() {
        items.append(unexamined(for: entry, below: file, as: wish))
      }
      if items.isEmpty { return true }
      for item in examination.examine(items, examined) where !body(item) { return false }
    }
  }

  /// The item for what was found in the folder `root`.
  func item(
    for entry: FolderScan.Entry, below root: FileLocation, as wish: FileArgument? = nil
  ) -> UploadItem {
    examined(unexamined(for: entry, below: root, as: wish))
  }

  private func unexamined(
    for entry: FolderScan.Entry, below root: FileLocation, as wish: FileArgument?
  ) -> UploadItem {
    switch entry {
    case .file(let file): unexamined(at: file, below: root, as: wish)
    case .unreadable(let place, let reason): unreadable(place, below: root, reason)
    }
  }

  /// A failed item for what cannot be read in the folder `root`. It may be a folder, so its name ends in a slash, and
  /// the files that are found in it later keep their places below `root`.
  private func unreadable(
    _ place: FileLocation, below root: FileLocation, _ reason: String
  ) -> UploadItem {
    let isInside = !place.withoutTrailingSlashes.bytes.elementsEqual(
      root.withoutTrailingSlashes.bytes)
    var item = failed(
      place, named: isInside ? place.name + "/" : nil, .unreadable(reason))
    item.folder = place.folder(below: root)
    return item
  }

  /// The item with a note, if its file accompanies another one; nil if it is sent on its own.
  package func accompanying(_ item: UploadItem) -> UploadItem? {
    guard let owner = companions.owner(of: item.location) else { return nil }
    var item = item
    item.note = "goes with \(owner)"
    return item
  }

  private func nextID() -> ItemID { ItemID(lastID.add(1, ordering: .relaxed).newValue) }

  /// The item after its file has been examined, for the first time or again before a retry.
  package func look(at item: UploadItem) -> UploadItem {
    var item = item
    do throws(FileError) {
      let identity = try FileIdentity(ofReadable: item.location)
      item.identity = identity
      item.size = identity.size
      item.state = .waiting
      // What could not be read was thought to be a folder.
      if !item.nameIsChosen, item.fileName.utf8.last == UInt8(ascii: "/") {
        item.fileName = item.location.name
      }
      // Spooled standard input has a name only in the request, so guess its type from that.
      let byName =
        item.isSpooled ? guesser.guess(name: Array(item.fileName.utf8)) : nil
      setType(byName ?? guesser.guess(path: item.location.bytes), of: &item)
    } catch {
      if let guess = guesser.guess(name: item.location.bytes) { setType(guess, of: &item) }
      // What may not be read still has a size.
      if let identity = try? FileIdentity(of: item.location) { item.size = identity.size }
      let isBroken = error.reason == .vanished && item.location.isLink
      item.state = .failed(
        Failure(isBroken ? .brokenLink : Failure.Cause(error, wasSeen: false)))
    }
    return item
  }

  /// Frees the memory that is only needed to examine files, since the next file may be a while away.
  func rest() { guesser.unload() }

  /// The type of a file that a target's command has made; nil if it is uncertain.
  static let mediaType: @Sendable (FileLocation) -> String? = { location in
    let guess = MediaTypeGuesser.system.guess(path: location.bytes)
    return guess.source.isCertain ? guess.type.description : nil
  }

  private func setType(_ guess: MediaTypeGuess, of item: inout UploadItem) {
    // The user's choice stays.
    if item.typeSource == UploadItem.chosenByHand { return }
    let (guess, words) = lastGuess.withLock { last in
      if let last, last.guess == guess { return last }
      last = (guess, guess.explanation)
      return (guess, guess.explanation)
    }
    item.record.setType(
      guess.type.description, source: words, isCertain: guess.source.isCertain,
      contentType: guess.contradiction?.description)
  }
}

extension MediaTypeGuess.Source {
  /// Whether the type is known, and not only a default.
  fileprivate var isCertain: Bool {
    switch self {
    case .override, .extensionTable, .content: true
    case .unknown: false
    }
  }
}

extension UploadItem {
  /// How the user refers to the file: by its path, which is `-` for standard input.
  var path: FileLocation { SpooledInput.argument(at: location) ?? location }

  /// Whether the file disappears with this process, since it is an input that can be read only once.
  var isSpooled: Bool { SpooledInput.holds(location) }
}
