import ScalarText
import UploadModel

/// The dialog that lists the files of a folder, to choose those to add.
struct BrowserBox {
  let browser: Browser
  let size: Size
  /// The preview of the entry under the cursor, once it has come.
  var preview: FilePreview?

  /// How many entries are visible at once.
  static func lines(in size: Size) -> Int { max(1, size.height - 5) }

  /// The line of the first entry, and the columns of the box.
  static func place(in size: Size) -> (top: Int, columns: Range<Int>) {
    let whole = whole(in: size)
    return (2, isWide(size) ? whole.prefix(min(100, whole.count * 3 / 5)) : whole)
  }

  /// The box beside the list for the preview of an entry; nil if there is no room for it.
  static func preview(in size: Size) -> Layout.Box? {
    guard isWide(size) else { return nil }
    let (top, columns) = place(in: size)
    return Layout.Box(
      rows: top - 1..<top + lines(in: size) + 1,
      columns: columns.upperBound..<whole(in: size).upperBound)
  }

  private static func isWide(_ size: Size) -> Bool { size.width > 120 }

  /// The columns of the list and of the preview beside it.
  private static func whole(in size: Size) -> Range<Int> {
    size.columns(of: isWide(size) ? 190 : 100)
  }

  func paint(on canvas: inout Canvas) {
    let (top, columns) = Self.place(in: size)
    let visible = Self.lines(in: size)
    paintBoxes(on: &canvas)
    if let words {
      canvas.put(
        words, row: top, column: columns.lowerBound + 4, width: columns.count - 6,
        style: Style(browser.folder?.failure == nil ? .dim : .warning))
    }
    let rows = browser.list.visible(of: browser.entries.count, height: visible)
    for (row, index) in zip(top..<top + visible, rows) {
      let isLit = index == browser.list.cursor
      paint(browser.entries[index], isLit: isLit, row: row, columns, on: &canvas)
    }
    paintLastLine(row: top + visible, columns, on: &canvas)
  }

  private func paintBoxes(on canvas: inout Canvas) {
    let (top, columns) = Self.place(in: size)
    let height = Self.lines(in: size) + 2
    let title = title(columns.count - 6)
    let beside = Self.preview(in: size)
    canvas.box(
      row: top - 1, columns: Self.whole(in: size), height: height,
      title: beside == nil ? title : "")
    guard let beside else { return }
    canvas.outline(
      Layout.Box(rows: beside.rows, columns: columns), [(title, .heading)], keys: canvas.keys)
    let selected = browser.selected?.name ?? ""
    let name = TextFitting.middle(selected, to: beside.columns.count - 6, ascii: canvas.ascii)
    canvas.outline(beside, [(name, .heading)])
    guard let preview else { return }
    let inner = beside.innerColumns.dropFirst().dropLast()
    canvas.put(preview, rows: beside.innerRows, columns: inner)
  }

  private func title(_ width: Int) -> String {
    guard let folder = browser.folder else { return "Add files" }
    return TextFitting.middle(folder.name, to: max(5, width), ascii: false)
  }

  private var words: String? {
    guard let folder = browser.folder else { return "reading…" }
    if let failure = folder.failure { return failure }
    guard browser.entries.isEmpty else { return nil }
    return folder.entries.isEmpty ? "this folder is empty" : "no entries to show"
  }

  private func paint(
    _ entry: Folder.Entry, isLit: Bool, row: Int, _ columns: Range<Int>, on canvas: inout Canvas
  ) {
    let inner = columns.lowerBound + 1..<columns.upperBound - 1
    let ground = canvas.row(
      row, columns: inner, isSelected: isLit, isMarked: browser.marks[entry.path] != nil)
    func style(_ role: Role) -> Style { Style(role, on: ground) }
    if entry.wasSent {
      canvas.put(
        [canvas.sign("✓")], row: row, column: inner.lowerBound + Columns.sign, style: style(.good))
    }
    var rest = ColumnsFromRight(end: inner.upperBound - 1)
    func put(_ text: String, _ place: Range<Int>, _ role: Role) {
      canvas.putRight(text, row: row, columns: place, style: style(role))
    }
    if inner.count >= 70 { put(entry.time, rest.take(16, gap: 2), .dim) }
    let hasSize = !entry.isFolder && entry.isSendable
    put(hasSize ? HumanReadable.bytes(entry.size) : "", rest.take(8), .plain)
    let place = rest.take(8, gap: 2, if: inner.count >= 76)
    // The blocks compare the size with that of the largest visible file.
    if hasSize, browser.largest > 0 {
      // Blocks without a track behind them, so that this does not look like progress.
      let cells = Double(entry.size) / Double(browser.largest) * Double(place.count)
      let block = Glyph(base: canvas.ascii ? "#" : "▪")
      let blocks = Array(repeating: block, count: min(place.count, Int(cells.rounded(.up))))
      canvas.put(blocks, row: row, column: place.lowerBound, style: style(.dim))
    }
    let typeColumns = rest.take(Self.typeWidth(inner.count))
    if hasSize {
      let label = entry.mediaType.map { TypeLabel($0) } ?? TypeLabel("", mark: "?")
      canvas.put(
        label.fitting(typeColumns.count, ascii: canvas.ascii), row: row,
        column: typeColumns.lowerBound, style: style(.dim))
    }
    if !entry.kind.isEmpty {
      put(entry.kind, rest.take(max(8, entry.kind.utf8.count)), entry.isSendable ? .dim : .warning)
    }
    let start = inner.lowerBound + Columns.name
    canvas.putMiddle(
      entry.isFolder ? entry.name + "/" : entry.name, row: row,
      columns: start..<max(start, rest.end), style: style(entry.role),
      lighting: Matcher(browser.filter))
  }

  /// The width of the types' column in a list of a given width; 0 if there is no room for it.
  private static func typeWidth(_ width: Int) -> Int {
    width < 50 ? 0 : Columns.shortType + min(15, max(0, width - 78) / 2)
  }

  private func paintLastLine(row: Int, _ columns: Range<Int>, on canvas: inout Canvas) {
    let inner = columns.lowerBound + 2..<columns.upperBound - 2
    if let prompt = browser.prompt {
      canvas.put("/", row: row, column: inner.lowerBound, style: Style(.accent))
      canvas.field(
        prompt, row: row,
        columns: inner.lowerBound + 1..<min(inner.upperBound, inner.lowerBound + 31))
      return
    }
    var facts: [String] = []
    if !browser.marks.isEmpty {
      let unseen = browser.unseenMarks
      let words = unseen > 0 ? ", \(unseen) not shown" : ""
      // The sizes of folders are not known, so the total of the marked entries can be 0.
      let size = browser.markedBytes > 0 ? " · \(HumanReadable.bytes(browser.markedBytes))" : ""
      let all = max(browser.folder?.entries.count { $0.isSendable } ?? 0, browser.marks.count)
      facts.append("\(HumanReadable.grouped(browser.marks.count))/\(all) marked\(size)\(words)")
    }
    if !browser.filter.isEmpty { facts.append("with \"\(browser.filter)\"") }
    if browser.order != .name { facts.append(browser.order.words) }
    if browser.showsHidden { facts.append("hidden shown") }
    if browser.entries.count > Self.lines(in: size) {
      facts.append(
        "\(HumanReadable.grouped(browser.list.cursor + 1)) of \(HumanReadable.grouped(browser.entries.count))"
      )
    }
    guard !facts.isEmpty else { return }
    canvas.putRight(
      " \(facts.joined(separator: " · ")) ", row: row, columns: inner, style: Style(.dim))
  }
}

extension Folder.Entry {
  private static let media: Set = [
    "avif", "bmp", "gif", "heic", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp",
    "avi", "m4v", "mkv", "mov", "mp4", "webm", "aac", "flac", "m4a", "mp3", "ogg", "opus", "wav",
  ]
  private static let archives: Set = [
    "7z", "bz2", "deb", "gz", "iso", "jar", "rar", "rpm", "tar", "tgz", "xz", "zip", "zst",
  ]

  /// The role of the entry's name, by the kind of file that its extension stands for.
  fileprivate var role: Role {
    if !isSendable { return .dim }
    if isFolder { return .accent }
    let ending = name.split(scalar: ".").last.map { $0.lowercased() } ?? ""
    return Self.media.contains(ending) ? .media : Self.archives.contains(ending) ? .archive : .plain
  }
}
