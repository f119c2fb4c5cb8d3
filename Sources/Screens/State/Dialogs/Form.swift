import ScalarText
import UploadModel

/// A few text fields to fill in: how items are sent, or what a new target needs.
struct Form: Sendable {
  enum Subject: Sendable {
    /// These items are edited.
    case items([ItemID])
    /// A new target is described. If it is the first one, there is nothing to go back to.
    case target(isFirst: Bool)
  }

  /// What is asked for in a row.
  enum Field: Sendable {
    case fileName, type, field, target
    case url, name, usualField, variable

    var words: (label: String, explanation: String) {
      switch self {
      case .fileName: ("File name", "the name that the server is told")
      case .type: ("Type", "type/subtype, such as image/png")
      case .field: ("Field", "the form field that carries the file; empty for the target's own")
      case .target: ("Target", "Tab completes the name of a target")
      case .url: ("URL", "where forms are uploaded to, such as https://host/upload")
      case .name: ("Name", "what you call it: hoist FILE --to NAME")
      case .usualField: ("Form field", "the form field that carries the file; usually file")
      case .variable: ("Token in", "the environment variable with a bearer token, if it needs one")
      }
    }
  }

  struct Row: Sendable {
    let field: Field
    var text: TextField
    /// Whether the items differ in this field. If so, and it is left empty, each item keeps its own value.
    let isMixed: Bool
    private let original: String

    init(_ field: Field, _ values: Set<String>) {
      self.field = field
      isMixed = values.count > 1
      original = isMixed ? "" : values.first ?? ""
      text = TextField(original)
    }

    /// Whether the text has changed. Only changed rows are checked and applied, since an item may have come
    /// with a value that could not be entered here.
    var isChanged: Bool { text.text != original }
  }

  let subject: Subject
  var mode: Mode {
    if case .items = subject { .form } else { .setup }
  }

  private(set) var rows: [Row]
  var focus = 0
  /// What is wrong with what was entered last.
  var complaint: String?
  /// Whether the new target is being tried.
  var isTrying = false
  /// Whether the only problem is that nothing answers at the URL, which may change.
  var isGoodEnough = false

  init(_ items: [UploadItem], hasTargets: Bool) {
    subject = .items(items.map(\.id))
    func row(_ field: Field, _ value: (UploadItem) -> String) -> Row {
      Row(field, Set(items.map(value)))
    }
    // Several files cannot share a name.
    rows = items.count == 1 ? [row(.fileName) { $0.fileName }] : []
    rows += [row(.type) { $0.mediaType }, row(.field) { $0.field ?? "" }]
    if hasTargets { rows.append(row(.target) { $0.target }) }
  }

  /// - Parameter words: what the user has already typed: a URL, or a name for the target.
  init(forTarget words: String = "", isFirst: Bool = false) {
    subject = .target(isFirst: isFirst)
    let isURL = words.unicodeScalars.contains { ":/.".unicodeScalars.contains($0) }
    rows = [
      Row(.url, [isURL ? words : ""]), Row(.name, [isURL ? "" : words]),
      Row(.usualField, ["file"]), Row(.variable, []),
    ]
    focus = isURL ? 1 : 0
  }

  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&rows[focus].text)
    (complaint, isGoodEnough) = (nil, false)
  }

  mutating func moveFocus(by step: Int) { focus = (focus + step + rows.count) % rows.count }

  /// Completes what is typed of a target's name as far as it is clear; false if that adds nothing.
  mutating func complete(among targets: [String]) -> Bool {
    let (row, text) = (rows[focus], rows[focus].text.text)
    let names = targets.filter { $0.hasPrefix(scalars: text) }
    guard row.field == .target, row.isChanged, let first = names.first else { return false }
    let common = names.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    guard common.utf8.count > text.utf8.count else { return false }
    edit { $0.set(common) }
    return true
  }

  /// What is wrong with the input, and where; `nil` if nothing is.
  func firstError(targets: [String]) -> (row: Int, words: String)? {
    for (index, row) in rows.enumerated() where row.isChanged || row.field == .url {
      let text = row.text.text
      switch row.field {
      case .url where text.isEmpty: return (index, "a URL is required; press Esc to leave")
      case .fileName where text.isEmpty: return (index, "a file needs a name")
      case .type where !TypePattern.isType(text):
        return (index, "that is no media type; text/plain or image/png is one")
      case .target where !targets.contains(text):
        let all = targets.joined(separator: ", ")
        return (index, "no target is called that; t makes one; there are: \(all)")
      default: continue
      }
    }
    return nil
  }

  /// The item with the changes applied.
  func apply(to item: UploadItem) -> UploadItem {
    var item = item
    for row in rows where row.isChanged {
      let text = row.text.text
      switch row.field {
      case .fileName: (item.fileName, item.nameIsChosen) = (text, true)
      case .type:
        item.mediaType = text
        item.typeSource = UploadItem.chosenByHand
        (item.typeIsCertain, item.contentType) = (true, nil)
      case .field: item.field = text.isEmpty ? nil : text
      case .target: item.target = text
      case .url, .name, .usualField, .variable: break
      }
    }
    return item
  }

  /// What was answered about a new target.
  var answers: TargetAnswers {
    func text(_ field: Field) -> String { rows.first { $0.field == field }?.text.text ?? "" }
    return TargetAnswers(
      url: text(.url), name: text(.name), field: text(.usualField), variable: text(.variable))
  }
}
