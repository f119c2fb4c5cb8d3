import Dispatch
import Foundation
import MultipartForm
import Screens
import Settings
import UploadEngine
import UploadModel
import UploadStore

/// What the screen asks for beside the queue: folders, targets, the history, requests.
extension ScreenSession {
  func listFolder(_ path: [UInt8]?) {
    look({ FolderReader.read(path) }) { [.folder($0)] }
  }

  func switchTarget(_ name: String) {
    switch book.turn(to: name) {
    case .success(let target):
      keeper.hide(target.secrets)
      intake = FileIntake(for: target)
      take([
        .target(
          name: target.name, url: TargetURL.shown(target.url),
          listsServer: target.server.list != nil)
      ])
    case .failure(let cause): take([.message(Failure(cause).explanation)])
    }
  }

  func listServer() {
    let client = ServerClient(target: book.current)
    Task {
      do throws(Failure) {
        take([.server(.rows(try await client.entries().map(ServerRow.init)))])
      } catch {
        take([.server(.failed("\(error.headline). \(error.explanation)"))])
      }
    }
  }

  func deleteOnServer(_ rows: [ServerRow]) {
    let client = ServerClient(target: book.current)
    Task {
      for row in rows {
        do throws(Failure) {
          try await client.delete(row.id)
        } catch {
          take([.message("\(row.name) was not deleted: \(error.headline)")])
        }
      }
      // Whatever became of it, the server says what is there now.
      listServer()
    }
  }

  func listHistory() {
    let store = keeper.store
    look({
      Result { () throws(StoreError) -> [HistoryRow] in
        var query = HistoryQuery()
        query.limit = 1000
        return try store.history(query).reversed().map(HistoryRow.init)
      }
    }) { result in
      switch result {
      case .success(let rows): [.history(.rows(rows))]
      case .failure(let error): [.history(.failed("\(error)"))]
      }
    }
  }

  func inspect(_ id: ItemID) {
    guard let item = items[id], case .success(let target) = book.target(of: item) else { return }
    look({
      let (outline, faults) = RequestOutline.of(
        [UploadJob(item: item, target: target)], now: Date())
      return outline?.lines(target) ?? faults.map { Failure($0.cause).explanation }
    }) { [.request(id, $0)] }
  }

  func copyAsCurl(_ id: ItemID) {
    guard let item = items[id], case .success(let target) = book.target(of: item) else { return }
    do throws(CurlCommand.Mistake) {
      front.copy(try CurlCommand([item], to: target, now: Date()).text)
      take([.message("copied as a curl command, with secrets as $NAME")])
    } catch {
      take([.message("no curl command does this: \(error.description)")])
    }
  }

  /// Does work beside the screen and takes in what came of it.
  private func look<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then events: @escaping @Sendable (Value) -> [AppEvent]
  ) {
    intakeQueue.async {
      let value = work()
      DispatchQueue.main.async { [weak self] in
        MainActor.assumeIsolated { self?.take(events(value)) }
      }
    }
  }
}

extension ServerRow {
  /// What the server says of a file, for the screen.
  fileprivate init(_ entry: ServerEntry) {
    self.init(id: entry.id, name: entry.title)
  }
}

extension HistoryRow {
  /// What the history knows of an attempt, for the screen.
  fileprivate init(_ entry: HistoryEntry) {
    let isSent = entry.outcome == "done"
    let words = entry.message ?? entry.outcome ?? "under way"
    self.init(
      id: "\(entry.item) \(entry.attempt) \(entry.began.timeIntervalSince1970)",
      name: entry.name, target: entry.target, size: entry.size,
      time: Self.local(entry.ended ?? entry.began), isSent: isSent,
      outcome: entry.status.map { Failure.statusLine($0) } ?? (isSent ? "sent" : words),
      url: entry.url, path: entry.location.description, reply: Reply(text: entry.reply ?? ""))
  }

  /// The time by the clock on the wall: "2026-11-20 22:15".
  private static func local(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateTimeSeparator(.space).time(
        includingFractionalSeconds: false)
    ).prefix(16).description
  }
}

extension TimeSource {
  /// Seconds since midnight, by the clock on the wall, at moment 0 of its other clock.
  func midnight() -> Double {
    let date = date()
    let today = Calendar.current.startOfDay(for: date)
    return date.timeIntervalSince(today) - now().seconds
  }
}
