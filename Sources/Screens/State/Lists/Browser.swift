import ScalarText

/// The list from which files are added.
struct Browser: Sendable {
  /// The folder that is shown; `nil` before the first has been read.
  private(set) var folder: Folder?
  /// The entries that are seen.
  private(set) var entries: [Folder.Entry] = []
  var list = ListState()
  /// The paths that are marked, in whatever folder they lie.
  private(set) var marks: Set<[UInt8]> = []
  private(set) var showsHidden = false
  private(set) var filter = ""
  /// The filter, while it is being typed.
  var prompt: TextField?

  var selected: Folder.Entry? {
    entries.indices.contains(list.cursor) ? entries[list.cursor] : nil
  }

  /// Shows another folder. Coming up from a folder, the cursor is on it.
  mutating func show(_ next: Folder, height: Int) {
    let from = folder?.path
    folder = next
    filter = ""
    prompt = nil
    refresh(height: height)
    list = ListState()
    let row = entries.firstIndex { $0.path == from } ?? 0
    list.move(to: row, of: entries.count, height: height)
  }

  mutating func setFilter(_ text: String, height: Int) {
    filter = text
    refresh(height: height)
  }

  mutating func toggleHidden(height: Int) {
    showsHidden.toggle()
    refresh(height: height)
  }

  /// Looks through the folder again; the cursor stays on its entry.
  private mutating func refresh(height: Int) {
    let path = selected?.path
    let matcher = Matcher(filter)
    entries = (folder?.entries ?? []).filter {
      (showsHidden || !$0.name.hasPrefix(scalars: ".")) && matcher.matches($0.name)
    }
    let row = entries.firstIndex { $0.path == path } ?? list.cursor
    list.move(to: row, of: entries.count, height: height)
  }

  mutating func toggleMark() {
    guard let selected else { return }
    marks.formSymmetricDifference([selected.path])
  }

  /// Marks all files that are seen, or inverts their marks. Folders are marked by hand.
  mutating func markFiles(inverting: Bool) {
    let files = Set(entries.lazy.filter { !$0.isFolder }.map(\.path))
    if inverting {
      marks.formSymmetricDifference(files)
    } else {
      marks.formUnion(files)
    }
  }

  /// How many of the marks are in other folders, or on files that the filter leaves out.
  var unseenMarks: Int { marks.count - entries.count { marks.contains($0.path) } }

  /// What is to be added: what is marked, else what the cursor is on.
  var chosen: [[UInt8]] {
    if !marks.isEmpty { return marks.sorted { $0.lexicographicallyPrecedes($1) } }
    return selected.map { [$0.path] } ?? []
  }
}
