import Foundation
import MultipartForm

@testable import Screens
@testable import UploadModel

/// Screens in states that the tests share.
enum Fixture {
  static let sizes = [
    Size(width: 40, height: 12), Size(width: 80, height: 24), Size(width: 120, height: 40),
  ]

  static func empty(ascii: Bool = false, size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = AppState(
      target: "photos", url: "https://api.example.com/upload", isASCII: ascii, size: size,
      now: Instant(seconds: 100))
    state.options.configuration = "~/.config/hoist/config.toml"
    return state
  }

  static func item(
    _ id: Int64, _ name: String, type: String = "text/plain", certain: Bool = true,
    size: Int64 = 1000, state: ItemState = .waiting
  ) -> UploadItem {
    UploadItem(
      id: ItemID(id), location: FileLocation("/home/me/\(name)"), fileName: name, mediaType: type,
      typeSource: certain ? "by extension (shared-mime-info)" : "a guess", typeIsCertain: certain,
      size: size, identity: FileIdentity(device: 1, inode: 1, size: size, modified: 0), state: state
    )
  }

  /// Targets of these names.
  static func rows(_ names: String...) -> [TargetRow] {
    names.map { TargetRow(name: $0, url: "http://\($0)/") }
  }

  /// Targets of these names that show no URL.
  static func choices(_ names: String...) -> [TargetRow] {
    names.map { TargetRow(name: $0, url: "") }
  }

  /// The target's server cannot be reached, for eight seconds from the beginning.
  static let away = AppEvent.reachability(
    server: "https://api.example.com",
    .away(
      Failure(.connectionRefused("Could not connect to server")), nextTry: Instant(seconds: 108)))

  static let tooLarge = Failure(
    .refused, status: 413,
    reply: Reply(
      text: "{\"error\": \"maximum upload size is 100 MB\"}\r\n", mediaType: "application/json"),
    attempts: 1)

  static let unavailable = Failure(.refused, status: 503, attempts: 1, retryAfter: 8)

  static let receipt = Receipt(
    status: 201, url: "https://api.example.com/f/42",
    reply: Reply(text: "{\"id\": 42}", mediaType: "application/json"), attempts: 1, seconds: 2,
    bytes: 1_100)

  static let doubtful: Receipt = {
    var receipt = Receipt(
      status: 200, url: "https://api.example.com/f/43",
      reply: Reply(text: #"{"ok":false,"error":"quota exceeded"}"#), bytes: 1_100)
    receipt.doubt = "quota exceeded"
    return receipt
  }()

  static let folder = Folder(
    path: Array("/home/me/pictures".utf8), name: "/home/me/pictures",
    parent: Array("/home/me".utf8),
    entries: [
      ("IMG_0001.jpg", "image/jpeg", 3_200_000), ("IMG_0002.jpg", "image/jpeg", 2_900_000),
      ("holiday 漢字", nil, 0), (".thumbnails", nil, 0), ("notes.txt", "text/plain", 1_100),
      ("caf\u{E9}.png", "image/png", 0),
    ].map { name, type, size in
      Folder.Entry(
        name: name, path: Array("/home/me/pictures/\(name)".utf8),
        isFolder: type == nil, size: size, mediaType: type)
    })

  static let serverRows = [
    ServerEntry(
      id: "1", name: "IMG_0001.jpg", size: 3_200_000, time: "2026-11-20 22:15",
      url: "https://api.example.com/f/1"),
    ServerEntry(id: "2", name: "漢字かな.png", size: 812_000),
    ServerEntry(id: "3", name: "backup.tar.gz", time: "yesterday"),
  ]

  static let historyRows = [
    HistoryRow(
      id: "1", name: "notes.txt", target: "photos", size: 1_100, time: "2026-11-20 22:15",
      end: .sent,
      outcome: "201 Created", url: "https://api.example.com/f/42", path: "/home/me/notes.txt",
      reply: Reply(text: "{\"id\": 42, \"tags\": []}", mediaType: "application/json")),
    HistoryRow(
      id: "2", name: "disk.img", target: "tickets", size: 4_100_000_000, time: "2026-11-19 08:02",
      end: .failed, outcome: "413 Content Too Large", path: "/home/me/disk.img"),
    HistoryRow(
      id: "3", name: "movie.mp4", target: "photos", size: 700_000_000, time: "2026-11-19 08:01",
      end: .open, outcome: "stopped", path: "/home/me/movie.mp4"),
  ]

  /// How the file of a row was sent; the same for the same file.
  static func record(_ row: HistoryRow) -> ItemRecord {
    ItemRecord(
      uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), target: row.target,
      location: FileLocation(row.path), fileName: row.name)
  }

  /// One item in every state, after four seconds of sending.
  static func mixed(ascii: Bool = false, size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = empty(ascii: ascii, size: size)
    let start = state.now
    play(
      &state,
      .added([
        item(1, "IMG_0001.jpg", type: "image/jpeg", size: 3_200_000),
        item(2, "report.pdf", type: "application/pdf", size: 812_000),
        item(3, "notes.txt", size: 1_100),
        item(4, "disk.img", type: "application/octet-stream", certain: false, size: 4_100_000_000),
        item(5, "clip.mp4", type: "video/mp4", size: 210_000_000),
        item(6, "a name that is much longer than any column.tar.gz", type: "application/gzip"),
        item(7, "漢字かな交じり文.png", type: "image/png"),
        item(8, "paused.bin", type: "application/octet-stream"),
        item(9, "lost.bin", type: "application/octet-stream"),
        item(10, "gone.txt"),
        item(11, "stopped.txt"),
        item(12, "e\u{301}te\u{301}.txt", size: 0),
      ]),
      .engine(
        [1, 2, 4].map { (ItemID($0), .sending(attempt: 1, sent: 0, total: bytes(of: $0))) },
        at: start))
    for second in 1...4 {
      play(
        &state,
        .engine(
          [
            (
              ItemID(1), .sending(attempt: 1, sent: Int64(second) * 625_000, total: 3_200_000)
            ),
            (
              ItemID(4),
              .sending(attempt: 1, sent: Int64(second) * 82_000_000, total: 4_100_000_000)
            ),
          ], at: start + Double(second)))
    }
    let now = start + 4
    play(
      &state,
      .engine(
        [
          (ItemID(2), .awaitingReply(attempt: 1, since: start + 2)),
          (ItemID(3), .done(receipt)),
          (ItemID(4), .failed(tooLarge)),
          (ItemID(5), .retrying(unavailable, next: 2, of: 5, at: now + 8)),
          (ItemID(6), .preparing(attempt: 1)),
          (ItemID(8), .paused),
          (
            ItemID(9),
            .failed(Failure(.outcomeUnknown("the connection was closed"), attempts: 1))
          ),
          (ItemID(10), .failed(Failure(.missing))),
          (ItemID(11), .failed(Failure(.cancelled, attempts: 1))),
        ], at: now))
    return state
  }

  private static func bytes(of id: Int64) -> Int64 {
    switch id {
    case 1: 3_200_000
    case 2: 812_000
    default: 4_100_000_000
    }
  }

  /// What is asked for then, but for what the prompt would add, and for looks into files: `previews` and `looks` have
  /// those.
  @discardableResult
  static func play(_ state: inout AppState, _ events: AppEvent...) -> [Effect] {
    events.flatMap { reduce(&state, $0) }.filter { preview($0) == nil && look($0) == nil }
  }

  /// Answers that no target has an edited file yet. Returns the other effects, and those of the answer.
  static func answered(_ effects: [Effect], _ state: inout AppState) -> [Effect] {
    var all: [Effect] = []
    for effect in effects {
      if case .lookForEdited(let edited) = effect {
        all += play(&state, .editedFound(edited, LeftOut()))
      } else {
        all.append(effect)
      }
    }
    return all
  }

  /// The looks into files that are asked for then.
  static func looks(_ state: inout AppState, _ events: AppEvent...) -> [FilePreview.Request?] {
    events.flatMap { reduce(&state, $0) }.compactMap(look)
  }

  private static func look(_ effect: Effect) -> FilePreview.Request?? {
    if case .previewFile(let request) = effect { .some(request) } else { nil }
  }

  /// The texts of which it is asked what they would add, while `text` is typed.
  static func previews(_ text: String, _ state: inout AppState) -> [String] {
    text.flatMap { reduce(&state, .key(.character($0))) }.compactMap(preview)
  }

  private static func preview(_ effect: Effect) -> String? {
    if case .previewLine(let text) = effect { text } else { nil }
  }

  /// Presses keys, one for each character.
  @discardableResult
  static func type(_ text: String, _ state: inout AppState) -> [Effect] {
    text.flatMap { play(&state, .key(.character($0))) }
  }
}

extension AppState {
  /// What stands in the questions for a new target.
  var setupAnswers: TargetAnswers? {
    if case .form(let form) = dialog, form.mode == .setup { form.answers } else { nil }
  }
}

extension Frame {
  /// The frame as lines of text, without the spaces at their ends.
  var text: [String] {
    (0..<size.height).map { row in
      let line = line(row).map(\.glyph.text).joined()
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The roles of the cells, a letter each; capitals in the row under the cursor.
  var roles: [String] {
    (0..<size.height).map { row in
      let line = line(row).map { cell in
        let letter = cell.style.role.letter
        return cell.style.ground == .selected ? (letter == "." ? "#" : letter.uppercased()) : letter
      }.joined()
      return String(line.reversed().drop { $0 == "." }.reversed())
    }
  }
}

extension Role {
  fileprivate var letter: String {
    switch self {
    case .plain: "."
    case .dim: "d"
    case .heading: "h"
    case .rule: "r"
    case .accent: "a"
    case .good: "g"
    case .bad: "b"
    case .warning: "w"
    case .barFull: "f"
    case .barRest: "e"
    case .match: "M"
    case .media: "m"
    case .archive: "z"
    case .barEnd, .selection, .marked: "?"
    case .field: "i"
    case .button: "u"
    }
  }
}
