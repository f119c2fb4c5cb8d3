import ScalarText

/// The dialog that lists the files of a folder, to choose those to add.
struct Browser: Sendable {
  /// The folder that is shown; `nil` before the first has been read.
  private(set) var folder: Folder?
  /// The visible entries.
  private(set) var entries: [Folder.Entry] = []
  /// The longest texts of the entries in bytes of UTF-8, whatever the filter hides.
  private(set) var longest = (name: 0, type: 0)
  var list = ListState()
  /// The marked entries of all folders: paths and sizes in bytes.
  private(set) var marks: [[UInt8]: Int64] = [:]
  private(set) var order = Order.name
  private(set) var showsHidden = false
  private(set) var filter = ""
  /// The filter, while it is being typed.
  var prompt: TextField?

  /// The orders in which the entries of a folder can be shown; in each of them, folders come first.
  enum Order: String, CaseIterable {
    case name = "by name"
    case newest = "newest first"
    case largest = "largest first"

    var words: String { rawValue }

    func precedes(_ one: Folder.Entry, _ other: Folder.Entry) -> Bool {
      if one.isFolder != other.isFolder { return one.isFolder }
      switch self {
      case .newest where one.modified != other.modified: return one.modified > other.modified
      case .largest where one.size != other.size: return one.size > other.size
      case .name, .newest, .largest: return NaturalOrder.precedes(one.name, other.name)
      }
    }
  }

  var selected: Folder.Entry? { entries.indices.contains(list.cursor) ? entries[list.cursor] : nil }

  /// Shows another folder. If it is the parent of the previous one, the cursor goes to the previous one.
  mutating func show(_ next: Folder, height: Int) {
    let from = folder?.path
    (folder, filter, prompt) = (next, "", nil)
    list = ListState()
    refresh(height: height, keeping: from)
  }

  /// Shows only matching entries; the cursor goes to the best match.
  mutating func setFilter(_ text: String, height: Int) {
    filter = text
    refresh(height: height, keeping: selected?.path)
    let matcher = Matcher(text)
    guard !matcher.isEmpty,
      let best = entries.indices.ranked(by: matcher, { [entries[$0].name] }).first
    else { return }
    list.move(to: best, of: entries.count, height: height)
  }

  mutating func toggleHidden(height: Int) {
    showsHidden.toggle()
    refresh(height: height, keeping: selected?.path)
  }

  /// Filters and sorts the folder again; the cursor goes to the entry at `path`, or keeps its row number.
  private mutating func refresh(height: Int, keeping path: [UInt8]?) {
    let matcher = Matcher(filter)
    let all = (folder?.entries ?? []).filter { showsHidden || !$0.name.hasPrefix(scalars: ".") }
    longest = (all.map(\.nameLength).max() ?? 0, all.map(\.typeLength).max() ?? 0)
    entries = all.filter { matcher.matches($0.name) }
    // The entries of a folder come sorted by name.
    if order != .name { entries.sort(by: order.precedes) }
    let row = entries.firstIndex { $0.path == path } ?? list.cursor
    list.move(to: row, of: entries.count, height: height)
  }

  /// Shows the folder in the next order; the cursor goes to the first entry.
  mutating func turnOrder(height: Int) {
    let all = Order.allCases
    order = all[((all.firstIndex(of: order) ?? 0) + 1) % all.count]
    list = ListState()
    refresh(height: height, keeping: nil)
  }

  mutating func toggle(_ entry: Folder.Entry) {
    guard entry.isSendable else { return }
    marks[entry.path] = marks[entry.path] == nil ? entry.size : nil
  }

  /// Marks all visible files; if they are already marked, the folders too.
  mutating func markAll() {
    let files = entries.filter { !$0.isFolder && $0.isSendable }
    let isDone = files.allSatisfy { marks[$0.path] != nil }
    for entry in isDone ? entries : files where marks[entry.path] == nil { toggle(entry) }
  }

  /// Inverts the marks of the visible files.
  mutating func invertMarks() {
    for entry in entries where !entry.isFolder { toggle(entry) }
  }

  /// How many marked entries are in other folders, or hidden here.
  var unseenMarks: Int { marks.count - entries.count { marks[$0.path] != nil } }
  /// The total size of the marked files, without the contents of marked folders, whose sizes are not known.
  var markedBytes: Int64 { marks.values.reduce(0, &+) }

  /// The paths to add: those of the marked entries, or else of the one under the cursor.
  var chosen: [[UInt8]] {
    if !marks.isEmpty { return marks.keys.sorted { $0.lexicographicallyPrecedes($1) } }
    return selected.map { [$0.path] } ?? []
  }
}

extension Folder.Entry {
  /// The length of its name with the "/" of a folder.
  fileprivate var nameLength: Int { name.utf8.count + (isFolder ? 1 : 0) }

  /// The length of its media type behind what else is said of a file; 0 for what has no type.
  fileprivate var typeLength: Int {
    if isFolder || !isSendable { return 0 }
    return (kind.isEmpty ? 0 : kind.utf8.count + 1) + (mediaType?.utf8.count ?? 1)
  }
}
