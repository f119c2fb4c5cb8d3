import ScalarText
import UploadModel

/// How some items shall be sent, being edited.
struct EditForm: Sendable {
  enum Field: Int, Sendable, CaseIterable {
    case name, type, field, target

    var label: String {
      switch self {
      case .name: "File name"
      case .type: "Type"
      case .field: "Field"
      case .target: "Target"
      }
    }

    var explanation: String {
      switch self {
      case .name: "the name that the server is told"
      case .type: "type/subtype, such as image/png"
      case .field: "the form field that carries the file; empty for the target's own"
      case .target: "Tab completes the name of a target"
      }
    }
  }

  struct Row: Sendable {
    let field: Field
    var text: TextField
    /// Whether the items differ here. Then what is left empty stays as it is for each.
    let isMixed: Bool
    private let original: String

    init(_ field: Field, _ values: Set<String>) {
      self.field = field
      isMixed = values.count > 1
      original = isMixed ? "" : values.first ?? ""
      text = TextField(original)
    }

    /// Whether another text stands here than at first. Only that is looked at and taken over: an
    /// item may have come with what could not be entered here.
    var isChanged: Bool { text.text != original }
  }

  let ids: [ItemID]
  private(set) var rows: [Row]
  var focus = 0
  /// What is wrong with what was entered last.
  var complaint: String?

  init(_ items: [UploadItem], hasTargets: Bool) {
    ids = items.map(\.id)
    func row(_ field: Field, _ value: (UploadItem) -> String) -> Row {
      Row(field, Set(items.map(value)))
    }
    // Several files never have the same name.
    rows = items.count == 1 ? [row(.name) { $0.fileName }] : []
    rows += [row(.type) { $0.mediaType }, row(.field) { $0.field ?? "" }]
    if hasTargets { rows.append(row(.target) { $0.target }) }
  }

  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&rows[focus].text)
    complaint = nil
  }

  mutating func moveFocus(by step: Int) { focus = (focus + step + rows.count) % rows.count }

  /// Completes what is typed of a target's name as far as it is clear; false where that adds nothing.
  mutating func complete(among targets: [String]) -> Bool {
    let (row, text) = (rows[focus], rows[focus].text.text)
    let names = targets.filter { $0.hasPrefix(scalars: text) }
    guard row.field == .target, row.isChanged, let first = names.first else { return false }
    let common = names.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    guard common.utf8.count > text.utf8.count else { return false }
    edit { $0.set(common) }
    return true
  }

  /// What is wrong with what was entered, and where; `nil` where nothing is.
  func firstError(targets: [String]) -> (row: Int, words: String)? {
    for (index, row) in rows.enumerated() where row.isChanged {
      let text = row.text.text
      switch row.field {
      case .name where text.isEmpty: return (index, "a file needs a name")
      case .type where !TypePattern.isType(text):
        return (index, "that is no media type; text/plain or image/png is one")
      case .target where !targets.contains(text):
        return (
          index,
          "no target is called that; t makes one; there are: \(targets.joined(separator: ", "))"
        )
      case .name, .type, .field, .target: continue
      }
    }
    return nil
  }

  /// The item as it shall be sent from now on.
  func apply(to item: UploadItem) -> UploadItem {
    var item = item
    for row in rows where row.isChanged {
      let text = row.text.text
      switch row.field {
      case .name: (item.fileName, item.nameIsChosen) = (text, true)
      case .type:
        item.mediaType = text
        item.typeSource = UploadItem.chosenByHand
        (item.typeIsCertain, item.contentType) = (true, nil)
      case .field: item.field = text.isEmpty ? nil : text
      case .target: item.target = text
      }
    }
    return item
  }
}
