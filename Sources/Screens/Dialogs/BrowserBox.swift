import ScalarText
import UploadModel

/// The dialog that lists the files of a folder, to choose those to add.
struct BrowserBox {
  let browser: Browser
  let size: Size
  /// The preview of the entry under the cursor, once it has come.
  var preview: FilePreview?
  /// Whether the file at a path waits in the queue for the target that files are added for.
  let isQueued: (_ path: [UInt8]) -> Bool

  /// The upper edge of the box.
  private static let edge = 1

  /// Whether there is a line for the headings of the columns.
  private static func hasHeadings(_ size: Size) -> Bool { size.height >= 12 }

  /// How many entries are visible at once.
  static func lines(in size: Size) -> Int {
    max(1, size.height - 5 - (hasHeadings(size) ? 1 : 0))
  }

  /// The line of the first entry, and the columns of the box.
  static func place(in size: Size) -> (top: Int, columns: Range<Int>) {
    let whole = whole(in: size)
    return (
      edge + (hasHeadings(size) ? 2 : 1),
      isWide(size) ? whole.prefix(min(100, whole.count * 3 / 5)) : whole
    )
  }

  /// The lines of the box, with its edges.
  private static func rows(in size: Size) -> Range<Int> {
    edge..<place(in: size).top + lines(in: size) + 1
  }

  /// The box beside the list for the preview of an entry; nil if there is no room for it.
  static func preview(in size: Size) -> Layout.Box? {
    guard isWide(size) else { return nil }
    return Layout.Box(
      rows: rows(in: size),
      columns: place(in: size).columns.upperBound..<whole(in: size).upperBound)
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
    if Self.hasHeadings(size) { paintHeadings(row: top - 1, columns, on: &canvas) }
    let rows = browser.list.visible(of: browser.entries.count, height: visible)
    for (row, index) in zip(top..<top + visible, rows) {
      let isLit = index == browser.list.cursor
      paint(browser.entries[index], isLit: isLit, row: row, columns, on: &canvas)
    }
    paintLastLine(row: top + visible, columns, on: &canvas)
  }

  private func paintBoxes(on canvas: inout Canvas) {
    let columns = Self.place(in: size).columns
    let title = title(columns.count - 6)
    let beside = Self.preview(in: size)
    canvas.box(
      row: Self.edge, columns: Self.whole(in: size), height: Self.rows(in: size).count,
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
    if let (sign, role): (Unicode.Scalar, Role) =
      isQueued(entry.path) ? ("·", .accent) : entry.wasSent ? ("✓", .good) : nil
    {
      canvas.put(
        [canvas.sign(sign)], row: row, column: inner.lowerBound + Columns.sign, style: style(role))
    }
    let places = BrowserColumns(in: inner, for: browser.longest)
    canvas.putMiddle(
      entry.isFolder ? entry.name + "/" : entry.name, row: row, columns: places.name,
      style: style(entry.role), lighting: Matcher(browser.filter))
    canvas.putRight(entry.time, row: row, columns: places.time, style: style(.dim))
    guard !entry.isFolder, entry.isSendable else {
      // What is no file has neither a type nor a size.
      let style = style(entry.isSendable ? .dim : .warning)
      if places.type.isEmpty {
        canvas.putRight(entry.kind, row: row, columns: places.size, style: style)
      } else {
        canvas.put(entry.kind, row: row, columns: places.type, style: style)
      }
      return
    }
    canvas.putRight(
      HumanReadable.bytes(entry.size), row: row, columns: places.size, style: style(.plain))
    // A link comes before the type of what it leads to.
    let kind = entry.kind.isEmpty || places.type.isEmpty ? "" : "\(entry.kind) "
    let used = canvas.put(kind, row: row, column: places.type.lowerBound, style: style(.dim))
    let label = entry.mediaType.map { TypeLabel($0) } ?? TypeLabel("", mark: "?")
    canvas.put(
      label.glyphs(
        isWhole: places.typesAreWhole, width: places.type.count - used, ascii: canvas.ascii),
      row: row, column: places.type.lowerBound + used, style: style(.dim))
  }

  private func paintHeadings(row: Int, _ columns: Range<Int>, on canvas: inout Canvas) {
    let places = BrowserColumns(in: columns.dropFirst().dropLast(), for: browser.longest)
    func head(_ word: String, _ order: Browser.Order, _ sign: Unicode.Scalar) -> String {
      browser.order == order ? "\(word) \(Glyph(sign: sign, ascii: canvas.ascii).text)" : word
    }
    let style = Style(.heading)
    canvas.put(head("NAME", .name, "▲"), row: row, columns: places.name, style: style)
    canvas.put("TYPE", row: row, columns: places.type, style: style)
    canvas.putRight(head("SIZE", .largest, "▼"), row: row, columns: places.size, style: style)
    canvas.put(head("CHANGED", .newest, "▼"), row: row, columns: places.time, style: style)
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
      let words = unseen > 0 ? ", \(HumanReadable.grouped(unseen)) not shown" : ""
      // The sizes of folders are not known, so the total of the marked entries can be 0.
      let size = browser.markedBytes > 0 ? " · \(HumanReadable.bytes(browser.markedBytes))" : ""
      let all = max(browser.folder?.entries.count { $0.isSendable } ?? 0, browser.marks.count)
      facts.append(
        "\(HumanReadable.grouped(browser.marks.count))/\(HumanReadable.grouped(all)) marked\(size)\(words)"
      )
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

/// The columns of the list of files. In narrow lists, some are empty.
private struct BrowserColumns {
  let name, type, size, time: Range<Int>
  /// Whether all media types are whole; otherwise, all have their short forms.
  let typesAreWhole: Bool

  init(in columns: Range<Int>, for longest: (name: Int, type: Int)) {
    var rest = ColumnsFromRight(end: columns.upperBound - 1)
    let width = columns.count
    let start = columns.lowerBound + Columns.name
    time = rest.take(16, gap: 2, if: width >= 70)
    // Without types, the size has to make room for why something is no file.
    let hasTypes = width >= 50
    size = rest.take(hasTypes ? 8 : 9)
    // Whole types have what names leave, or a part of a wide list.
    let names = rest.end - start - Columns.shortType - 1
    let whole = max(0, longest.type - Columns.shortType)
    let isRoomy = whole <= max(0, names - longest.name, (width - 78) / 2)
    type = rest.take(Columns.shortType + (isRoomy ? whole : 0), if: hasTypes)
    typesAreWhole = isRoomy
    name = start..<max(start, rest.end)
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
