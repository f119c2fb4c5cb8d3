import Foundation
import MultipartForm
import ProcessContext
import ScalarText
import Scheduling
import Screens
import UploadEngine
import UploadModel
import UploadStore

/// Answers the screen's questions beyond the queue: about folders, the server's files, the history, requests.
@MainActor
struct SessionAnswers {
  let loop: ScreenLoop
  let book: TargetCatalog
  let store: UploadStore
  let tokens: TokenSource
  let time: TimeSource
  private let requests = LatestRequest()
  private let attemptRequests = LatestRequest()

  func listFolder(_ path: [UInt8]?) {
    let (store, target) = (store, book.current.name)
    loop.answer({ Self.ticked(FolderReader.read(path), store, target) }) { [.folder($0)] }
  }

  /// The files of a folder are looked up in the history only if there are at most this many, so that the list appears
  /// at once.
  private nonisolated static let mostTicked = 2_000

  /// The folder, with a tick at each file that was sent to the target before.
  private nonisolated static func ticked(
    _ folder: Folder, _ store: UploadStore, _ target: String
  ) -> Folder {
    guard folder.entries.count <= mostTicked else { return folder }
    let items = folder.entries.indices.compactMap { index -> UploadItem? in
      let location = FileLocation(bytes: folder.entries[index].path)
      guard let identity = try? FileIdentity(of: location) else { return nil }
      return UploadItem(
        id: ItemID(Int64(index)), location: location, mediaType: "", typeSource: "",
        size: identity.size, identity: identity)
    }
    // If the history cannot be read, the list can do without ticks.
    guard let sent = try? store.sentBefore(items, to: target) else { return folder }
    var folder = folder
    for (id, earlier) in sent where earlier.isCertain {
      folder.entries[Int(id.rawValue)].wasSent = true
    }
    return folder
  }

  /// The maximum number of pages of a server's list that the screen requests.
  private nonisolated static let mostServerPages = 20

  /// Reads the server's list in the background: it can be long, and the main queue must answer keys.
  func listServer() {
    let (target, tokens) = (book.current, tokens)
    Task { [weak loop] in
      let listing = await Self.listing(of: target, tokens)
      // A reply for another target must not be shown for this one.
      if target.name == loop?.state.target { loop?.handle([.server(listing)]) }
    }
  }

  private nonisolated static func listing(
    of target: Target, _ tokens: TokenSource
  ) async -> Listing<ServerEntry> {
    do throws(Failure) {
      let found = try await ServerClient(target: target, tokens: tokens)
        .entries(pages: mostServerPages)
      // A time whose format the target specifies is already readable.
      let times = target.server.list?.time?.format == .text ? ServerTime() : nil
      return .rows(found.entries.map { shown($0, times) })
    } catch {
      let said = error.reply.message.map { " \"\($0)\"" } ?? ""
      return .failed("\(error.headline). \(error.explanation)\(said)")
    }
  }

  /// An entry with its time as the screen shows it, and without anything that the screen does not show.
  private nonisolated static func shown(_ entry: ServerEntry, _ times: ServerTime?) -> ServerEntry {
    var entry = entry
    if let times { entry.time = entry.time.map { times.local($0) } }
    entry.value = .null
    return entry
  }

  func deleteOnServer(_ rows: [ServerEntry]) {
    let client = ServerClient(target: book.current, tokens: tokens)
    Task {
      for row in rows {
        do throws(Failure) {
          try await client.delete(row.id)
        } catch {
          let said = error.reply.message.map { ": \($0)" } ?? ""
          loop.handle([.message("\(row.name) was not deleted: \(error.headline)\(said)")])
        }
      }
      // Ask the server for its list again, whatever the outcome.
      listServer()
    }
  }

  /// Opens the addresses that the server named for deleting files, and shows its answers, since only the server
  /// knows what they mean.
  func deleteUploaded(_ files: [UploadedFile]) {
    Task {
      for file in files {
        loop.handle([.message(await Self.delete(file, book, tokens))])
      }
    }
  }

  private nonisolated static func delete(
    _ file: UploadedFile, _ book: TargetCatalog, _ tokens: TokenSource
  ) async -> String {
    guard let url = URL(written: file.deletionURL) else {
      return "\(file.name) was not deleted: \(file.deletionURL) is not a URL"
    }
    // Without the target's table there are no credentials, but such an address rarely needs any.
    let target = book.target(named: file.target) ?? Target(name: file.target, url: url)
    do throws(Failure) {
      let answer = try await ServerClient(target: target, tokens: tokens).open(url)
      let isPage = answer.mediaType?.lowercased().hasPrefix(scalars: "text/html") == true
      return "deleting \(file.name): the server answered \(Failure.statusLine(answer.status))"
        + (isPage ? " with a page, which may ask you to confirm: \(file.deletionURL)" : "")
    } catch {
      let said = error.reply.message.map { ": \($0)" } ?? ""
      return "deleting \(file.name) failed: \(error.headline)\(said)"
    }
  }

  /// How many attempts are read at once: the queue is written to in between.
  private nonisolated static let portion = 500

  func listHistory(_ request: HistoryRequest) {
    let number = requests.next()
    // What the queue still has to send has not failed for good, whatever the last attempt came to.
    let unfinished = loop.state.queue.totals.busy > 0 ? loop.state.triedAgain : [:]
    loop.answer({ [store, time, requests] in
      let now = (date: time.date(), instant: time.now())
      return Result { () throws(StoreError) -> Found? in
        var found = Found(total: try store.filesInHistory())
        var search = HistorySearch(request)
        var known: Set<ItemID> = []
        var next: Int64?
        repeat {
          // While somebody types, only the last request counts.
          guard requests.isLast(number) else { return nil }
          let page = try store.history(before: next, count: Self.portion)
          for entry in page.entries where !search.isDone {
            var row = HistoryRow(entry, at: now)
            let isLast = known.insert(entry.item).inserted
            if isLast, let state = unfinished[entry.item] {
              row.goOn(as: state, word: state.phrase)
            }
            guard search.takes(row) else { continue }
            found.rows.append((row, isLast && row.end == .open ? entry.item : nil))
          }
          next = page.next
        } while next != nil && !search.isDone
        (found.isCut, found.counts) = (search.isFull, search.counts)
        return found
      }
    }) { [weak loop] result in
      switch result {
      // If an attempt has not ended, the queue knows the state of its file.
      case .success(let found?):
        let shown = found.rows.map { row, item in
          var row = row
          if let state = item.flatMap({ loop?.state.item($0)?.state }) {
            if state.isFinished {
              row.outcome = state.phrase
            } else {
              row.goOn(as: state, word: state.phrase)
            }
          }
          return row
        }
        return [
          .history(.rows(shown), total: found.total, isCut: found.isCut, counts: found.counts)
        ]
      case .success(nil): return []
      case .failure(let error): return [.history(.failed("\(error)"))]
      }
    }
  }

  /// Reads what the history says of the attempts at an item.
  func readAttempts(_ id: ItemID) {
    let number = attemptRequests.next()
    loop.answer({ [store, time, requests = attemptRequests] in
      // While somebody moves the cursor, only the last request counts.
      guard requests.isLast(number) else { return [ItemList.Attempt]() }
      let now = (date: time.date(), instant: time.now())
      let entries = (try? store.attempts(of: id, count: ItemList.mostAttempts)) ?? []
      return entries.compactMap { ItemList.Attempt($0, at: now) }
    }) { $0.isEmpty ? [] : [.attempts(id, $0)] }
  }

  /// What was found in the history.
  private struct Found: Sendable {
    var rows: [(row: HistoryRow, item: ItemID?)] = []
    var total: Int
    var isCut = false
    var counts: [String: Int]?
  }

  func inspect(_ id: ItemID) {
    guard let item = loop.state.item(id) else { return }
    loop.answer({ [book, time] in
      do throws(Failure.Cause) {
        let destination = try book.target(of: item).get()
        let (outline, faults) = RequestOutline.of(
          [UploadJob(item: item, destination: destination)], now: time.date())
        guard let outline else { return faults.map { Failure($0.cause).explanation } }
        let note =
          "(the file before the target's command, which is not run here and may change its name, type and size)"
        let target = destination.target
        let run = try RequestOutline.Run(of: destination, now: time.date())
        return (target.prepare == nil ? [] : [note]) + run.firstLines + outline.lines(target)
          + run.lastLines
      } catch {
        return [Failure(error).explanation]
      }
    }) { [.request(id, $0)] }
  }

  /// Writes the paths of each target's files into a new file in the current folder, for `--from-file`.
  func write(_ lists: [FailedPaths]) {
    loop.answer({
      Result { () throws(UserError) in
        try lists.map { list throws(UserError) in try Self.write(list) }.joined(separator: "; ")
      }
    }) { result in
      switch result {
      case .success(let words): [.message(words)]
      case .failure(let error): [.message("\(error)")]
      }
    }
  }

  /// Writes a list, and returns the command that sends its files.
  nonisolated private static func write(_ list: FailedPaths) throws(UserError) -> String {
    // The paths of a list are on lines of their own, unless one has a line break in it.
    let hasBreaks = list.paths.contains { $0.contains(UInt8(ascii: "\n")) }
    let end = hasBreaks ? UInt8(0) : UInt8(ascii: "\n")
    let names = [""] + (2...999).map { "-\($0)" }
    let free = names.first { access("hoist-failed\($0).txt", F_OK) != 0 && errno == ENOENT }
    guard let free else {
      throw UserError("no list was written: all names up to hoist-failed-999.txt are taken here")
    }
    let name = "hoist-failed\(free).txt"
    try AtomicFile.write(list.paths.flatMap { $0 + [end] }, to: name)
    let target = TargetName(list.target)
    let again =
      target.options.isEmpty
      ? " --to \(ShellWord.quoted(target.base))"
      : ", with \(TargetName.words(target.options)) as before"
    return "\(HumanReadable.count(list.paths.count, "path")) in \(name): "
      + SafeText.line("hoist push --from-file \(name)\(hasBreaks ? " -0" : "")\(again)")
  }

  func copyAsCurl(_ id: ItemID) {
    guard let item = loop.state.item(id), case .success(let destination) = book.target(of: item)
    else { return }
    loop.answer({ [time] in
      Result { () throws(InvalidInput) in
        let run = try CurlCommand.run(of: destination, now: time.date())
        let upload = UploadJob(item: item, destination: destination)
        return [run.open].compactMap(\.self)
          + (try CurlCommand.folders(for: [upload], now: time.date()))
          + (try CurlCommand.all(for: [upload], now: time.date()))
          + [run.close].compactMap(\.self)
      }
    }) { [weak loop] commands in
      switch commands {
      case .success(let commands):
        loop?.interface.copy(commands.map(\.text).joined(separator: "\n"))
        let kind = commands.count == 1 ? "a curl command" : "\(commands.count) curl commands"
        return [.message("copied as \(kind), with secrets as $NAME")]
      case .failure(let error): return [.message("curl cannot do this: \(error.description)")]
      }
    }
  }
}

extension ItemList.Attempt {
  /// An attempt that has ended.
  fileprivate init?(_ entry: HistoryEntry, at now: (date: Date, instant: Instant)) {
    guard let ended = entry.ended else { return nil }
    func instant(_ date: Date) -> Instant { now.instant + date.timeIntervalSince(now.date) }
    self.init(
      number: entry.attempt, from: instant(entry.began), to: instant(ended),
      reached: entry.bytes ?? 0, words: entry.outcomeWords,
      isGood: [.sent, .skipped].contains(entry.end))
  }
}

extension HistoryRow {
  /// What the history knows of an attempt, for the screen.
  init(_ entry: HistoryEntry, at now: (date: Date, instant: Instant)) {
    self.init(
      id: "\(entry.item) \(entry.attempt) \(entry.began.timeIntervalSince1970)",
      name: entry.name, target: entry.target, size: entry.size,
      time: entry.began.localMinute, day: entry.began.dayWord(at: now.date),
      at: now.instant + entry.began.timeIntervalSince(now.date), end: entry.end,
      attempt: entry.attempt, outcome: entry.outcomeWords, message: entry.message ?? "",
      url: entry.url, path: entry.location.description, reply: Reply(text: entry.reply ?? ""))
    mayHaveArrived = entry.arrival != nil
    record = entry.record
    deletionURL = entry.deletionURL
    pieces = entry.pieces
    if entry.isRefused { status = entry.status }
  }
}

extension AppState {
  /// The states of the files that are yet to be sent, or tried again.
  fileprivate var triedAgain: [ItemID: ItemState] {
    items.lazy.filter { !$0.state.isFinished && $0.state != .paused }
      .reduce(into: [:]) { $0[$1.id] = $1.state }
  }
}
