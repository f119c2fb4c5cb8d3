import ScalarText
import UploadModel

/// A few text fields to fill in: how items are sent, or what a new target needs.
struct Form: Sendable {
  enum Subject: Sendable {
    /// These items are edited.
    case items([ItemID])
    /// A new target is described. If it is the first one, there is nothing to go back to.
    case target(isFirst: Bool)
    /// This target is edited.
    case edited(TargetRow)
  }

  /// The value that a row asks for.
  enum Field: Sendable {
    case path, fileName, names, type, field, target
    case url, name, usualField, token, isUsual

    var words: (label: String, explanation: String) {
      switch self {
      case .path: ("Path", "where the file is now")
      case .fileName: ("File name", "the name sent to the server")
      case .names: ("File names", "such as {file.stem}-{index|03}.{file.ext}, or s/from/to/")
      case .type: ("Type", "type/subtype, such as image/png")
      case .field:
        ("Field", "the form field that carries the file; leave empty for the target's own")
      case .target: ("Target", "Tab completes the name of a target")
      case .url: ("URL", "where forms are uploaded to, such as https://host/upload")
      case .name: ("Name", "what you call it: hoist FILE --to NAME")
      case .usualField: ("Form field", "the form field that carries the file; usually file")
      case .isUsual: ("Default", "upload here by default: yes or no")
      case .token:
        (
          "Token in",
          "an environment variable or a file (/…, ~/…) with a bearer token, if one is needed"
        )
      }
    }
  }

  struct Row: Sendable {
    let field: Field
    var text: TextField
    /// Whether the items differ in this field. If they do and the row is left empty, each item keeps its own value.
    let isMixed: Bool
    private let original: String

    init(_ field: Field, _ values: Set<String>) {
      self.field = field
      isMixed = values.count > 1
      original = isMixed ? "" : values.first ?? ""
      text = TextField(original)
    }

    /// Whether the text has changed. An unchanged row is not applied, nor is it checked unless it is the URL, since an
    /// item may have come with a value that could not be entered here.
    var isChanged: Bool { text.text != original }
  }

  /// The new name of a file, and whether another file will have the same name.
  typealias NewName = (old: String, new: String, isTwice: Bool)

  let subject: Subject
  private var items: [UploadItem] = []
  /// The new names of the first files, as a preview.
  private(set) var newNames: [NewName] = []
  private static let mostShown = 100
  var mode: Mode { if case .items = subject { .form } else { .setup } }

  private(set) var rows: [Row]
  var focus = 0
  /// What is wrong with the last input.
  var complaint: String?
  /// Whether it is being looked up which targets have the edited items already.
  var isLookedUp = false
  /// Whether the new target is being tried.
  var isTrying = false

  /// A form to edit items. `names` is what the user has already typed for the new names; if it is nil, a single item
  /// is not asked for a rule.
  init(_ items: [UploadItem], hasTargets: Bool, names: String? = nil) {
    subject = .items(items.map(\.id))
    self.items = items
    func row(_ field: Field, _ value: (UploadItem) -> String) -> Row {
      Row(field, Set(items.map(value)))
    }
    // Several files cannot share a name.
    let isOne = items.count == 1 && names == nil
    rows = isOne ? [row(.fileName) { $0.fileName }] : [Row(.names, [])]
    if items.count == 1, items[0].state.failure?.cause.isOfThePath == true {
      rows.insert(row(.path) { $0.location.description }, at: 0)
    }
    rows += [row(.type) { $0.mediaType }, row(.field) { $0.field ?? "" }]
    if hasTargets { rows.append(row(.target) { $0.target }) }
    guard let names, let index = rows.firstIndex(where: { $0.field == .names }) else { return }
    focus = index
    edit { $0.set(names) }
  }

  /// A form for a new target. `words` are what the user has already typed: a URL, or a name for the target.
  init(forTarget words: String = "", isFirst: Bool = false) {
    subject = .target(isFirst: isFirst)
    let isURL = words.unicodeScalars.contains { ":/.".unicodeScalars.contains($0) }
    rows = [
      Row(.url, [isURL ? words : ""]), Row(.name, [isURL ? "" : words]),
      Row(.usualField, ["file"]), Row(.token, []),
    ]
    focus = isURL ? 1 : 0
  }

  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&rows[focus].text)
    complaint = nil
    if rows[focus].field == .names { showNewNames() }
  }

  /// The rule for new names; nil if the field is unchanged or contains no valid rule.
  private var renaming: Renaming? {
    let row = rows.first { $0.field == .names && $0.isChanged }
    return row.flatMap { try? Renaming($0.text.text) }
  }

  private mutating func showNewNames() {
    guard let renaming else {
      newNames = []
      return
    }
    let names = items.prefix(Self.mostShown).enumerated().map { index, item in
      renaming.name(of: item, number: index + 1, of: items.count) ?? item.fileName
    }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    newNames = zip(items, names).map { (old: $0.fileName, new: $1, isTwice: counts[$1] != 1) }
  }

  /// What is wrong with the new names; nil if they are valid.
  private func firstError(ofNames text: String) -> String? {
    do throws(InvalidInput) {
      let renaming = try Renaming(text)
      var renamed: [(item: UploadItem, name: String)] = []
      for (index, item) in items.enumerated() {
        guard let name = renaming.name(of: item, number: index + 1, of: items.count) else {
          return "the search in \(item.fileName) takes too long"
        }
        renamed.append((item, name))
      }
      if let nameless = renamed.first(where: { $0.name.isEmpty }) {
        return "\(nameless.item.fileName) would have no name"
      }
      return Renaming.sameName(in: renamed).map {
        "\($0.first.fileName) and \($0.second.fileName) would both be \($0.name)"
      }
    } catch {
      return error.description
    }
  }

  init(_ row: TargetRow) {
    subject = .edited(row)
    rows = [
      Row(.url, [row.url]), Row(.name, [row.name]), Row(.isUsual, [row.isUsual ? "yes" : "no"]),
    ]
  }

  func changed(_ row: TargetRow) -> TargetRow {
    var row = row
    (row.url, row.name) = (answers.url, answers.name)
    row.isUsual = rows.contains { $0.field == .isUsual && $0.text.text == "yes" }
    return row
  }

  /// Says why the target cannot be saved, and moves to the faulty field.
  mutating func refuse(_ words: String, at part: TargetAnswers.Part) {
    (isTrying, complaint) = (false, words)
    let field: Field =
      switch part {
      case .url: .url
      case .name: .name
      case .token: .token
      }
    focus = rows.firstIndex { $0.field == field } ?? focus
  }

  /// Adds the scheme to an address without one, `http` for servers on this machine and `https` for all others, and
  /// replaces `~` at the beginning of a path with the home folder.
  mutating func expand(home: String?) {
    for index in rows.indices {
      let text = rows[index].text.text
      switch rows[index].field {
      case .url where !text.isEmpty && !text.contains(scalars: "://"):
        guard let origin = Origin(text: "http://" + text) else { break }
        rows[index].text.set((origin.isLoopback ? "http://" : "https://") + text)
      case .path where text.hasPrefix(scalars: "~/"):
        if let home { rows[index].text.set(home + text.dropFirst()) }
      default: break
      }
    }
  }

  mutating func moveFocus(by step: Int) { focus = (focus + step + rows.count) % rows.count }

  /// Completes a partly typed name of a target as far as it is unambiguous; returns false if that adds nothing.
  mutating func complete(among targets: [String]) -> Bool {
    let (row, text) = (rows[focus], rows[focus].text.text)
    let names = targets.filter { $0.hasPrefix(scalars: text) }
    guard row.field == .target, row.isChanged, let first = names.first else { return false }
    let common = names.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    guard common.utf8.count > text.utf8.count else { return false }
    edit { $0.set(common) }
    return true
  }

  private var isEdited: Bool { if case .edited = subject { true } else { false } }

  /// What is wrong with the input, and where; `nil` if it is valid.
  func firstError(targets: [String]) -> (row: Int, words: String)? {
    for (index, row) in rows.enumerated() where row.isChanged || row.field == .url {
      let text = row.text.text
      switch row.field {
      case .url where text.isEmpty: return (index, "a URL is required; press Esc to leave")
      case .name where text.isEmpty && isEdited: return (index, "a target needs a name")
      case .isUsual where !["yes", "no"].contains(text): return (index, "answer yes or no")
      case .isUsual where text == "no":
        return (index, "to change the default, make another target the default")
      case .path where !text.hasPrefix(scalars: "/"):
        return (index, "the path must begin with / or ~/")
      case .fileName where text.isEmpty: return (index, "a file needs a name")
      case .names:
        if let words = firstError(ofNames: text) { return (index, words) }
      case .type where !TypePattern.isType(text):
        return (index, "not a media type; try text/plain or image/png")
      case .target where !targets.contains(text):
        let all = targets.joined(separator: ", ")
        return (index, "no target has that name; make one with t, or choose from: \(all)")
      default: continue
      }
    }
    return nil
  }

  func apply(to items: [UploadItem]) -> [UploadItem] {
    let renaming = renaming
    let numbers = Dictionary(uniqueKeysWithValues: self.items.enumerated().map { ($1.id, $0 + 1) })
    return items.map { item in
      var item = apply(to: item)
      if let number = numbers[item.id],
        let name = renaming?.name(of: item, number: number, of: self.items.count)
      {
        (item.fileName, item.nameIsChosen) = (name, true)
      }
      return item
    }
  }

  private func apply(to item: UploadItem) -> UploadItem {
    var item = item
    for row in rows where row.isChanged {
      let text = row.text.text
      switch row.field {
      // The name sent to the server stays the one that the form shows.
      case .path: item.move(to: text)
      case .fileName: (item.fileName, item.nameIsChosen) = (text, true)
      case .type:
        item.mediaType = text
        item.typeSource = UploadItem.chosenByHand
        (item.typeIsCertain, item.contentType) = (true, nil)
      case .field: item.field = text.isEmpty ? nil : text
      case .target: item.target = text
      case .names, .url, .name, .usualField, .token, .isUsual: break
      }
    }
    return item
  }

  var answers: TargetAnswers {
    func text(_ field: Field) -> String { rows.first { $0.field == field }?.text.text ?? "" }
    return TargetAnswers(
      url: text(.url), name: text(.name), field: text(.usualField), token: text(.token))
  }
}
