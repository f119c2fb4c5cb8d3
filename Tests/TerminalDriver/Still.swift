import Screens
import UploadModel

/// What there is to see in the panes beside the queue, and in files, while nothing moves.
enum Still {
  static let history = [
    row("1", "holiday.mp4", "2026-11-21 14:22", .sent, "201 Created"),
    row("2", "disk.img", "2026-11-21 09:08", .failed, "413 Content Too Large"),
    row("3", "漢字.png", "2026-11-20 22:15", .unknown, "the connection was closed"),
    row("4", "notes.txt", "2026-11-20 22:14", .open, "stopped"),
  ]

  private static func row(
    _ id: String, _ name: String, _ time: String, _ end: HistoryRow.End, _ outcome: String
  ) -> HistoryRow {
    HistoryRow(
      id: id, name: name, target: "photos", size: 3_200_000, time: time, end: end, outcome: outcome,
      path: "/data/\(name)")
  }

  static let targets = [
    TargetRow(name: "album", url: "https://nas.local/upload", limits: "4 at once"),
    TargetRow(
      name: "photos", url: "https://api.example.com/upload", isUsual: true,
      limits: "2 at once, at most 2.0 MB/s"),
  ]

  static let folder = Folder(
    path: Array("/data".utf8), name: "/data", parent: Array("/".utf8),
    entries: [
      ("clips", nil, 0, ""), ("backup.tar.gz", "application/gzip", 48_000_000, ""),
      ("IMG_0001.jpg", "image/jpeg", 3_200_000, ""), ("notes.txt", "text/plain", 1_100, ""),
      ("pipe", nil, 0, "no file"), ("漢字.png", "image/png", 812_000, "link"),
    ].map { name, type, size, kind in
      Folder.Entry(
        name: name, path: Array("/data/\(name)".utf8), isFolder: type == nil && kind.isEmpty,
        size: size, kind: kind, mediaType: type, isSendable: kind != "no file",
        time: "2026-11-20 22:15")
    })

  static let preview = FilePreview(
    "text", lines: ["# Notes", "", "Two lines, and 漢字.", "\tThe end."], isCut: true)

  /// Emoji of Unicode 6, 14, 15 and 16, scripts with marks and with wide letters, and what looks like padding in terminfo.
  static let hardNames = [
    "😀.png", "🫠 melting.png", "🫨 shaking 🪿.png", "🫩 tired.png", "हिन्दी किताब.txt", "தமிழ் கொடி.pdf",
    "한글 이름.hwp", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.txt", "漢字とかな.txt",
    String(repeating: "e\u{301}", count: 90) + ".txt",
    String(repeating: "क\u{93F}", count: 60) + ".txt", String(repeating: "漢", count: 70),
    String(repeating: "🫨", count: 70), "a\u{300}\u{301}\u{302}b.txt", "👩‍👩‍👧 🇩🇪 👍🏽.jpg",
    "ＦＵＬＬ.txt", "שלום عربي.txt", "น้ำ.txt", "$<50>padding.txt",
  ]
}
