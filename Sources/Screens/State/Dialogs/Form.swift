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
  enum Field: Hashable, Sendable {
    case path, fileName, names, type, field, target
    case service, url, name, usualField, token, newToken, isUsual
    /// The answer to a question of the chosen service.
    case answer(Int)

    /// Whether the value is chosen from a list.
    var isChoice: Bool { self == .service || self == .target }
    /// Whether the value is yes or no.
    var isSwitch: Bool { self == .isUsual }

    fileprivate var words: (label: String, explanation: String) {
      switch self {
      case .path: ("Path", "where the file is now")
      case .fileName: ("File name", "the name sent to the server")
      case .names: ("File names", "such as {file.stem}-{index|03}.{file.ext}, or s/from/to/")
      case .type: ("Type", "type/subtype, such as image/png")
      case .field:
        ("Field", "the form field that carries the file; leave empty for the target's own")
      case .target: ("Target", "Space lists the targets; or type a name or a URL")
      case .service: ("Service", "Enter lists the services that hoist knows")
      case .url: ("URL", "where forms are uploaded to, such as https://host/upload")
      case .name: ("Name", "what you call it: hoist FILE --to NAME; may be left empty")
      case .usualField: ("Form field", "the form field that carries the file; usually file")
      case .isUsual: ("Default", "upload here by default; Space switches between yes and no")
      case .token: ("Token", "if one is needed: $VARIABLE, a file (/…, ~/…), or the token itself")
      case .newToken: ("Token", "a new one: $VARIABLE, a file (/…, ~/…), or itself; empty keeps it")
      case .answer: ("", "")
      }
    }
  }

  struct Row: Sendable {
    let field: Field
    let label: String
    /// What is asked for, in a line.
    let explanation: String
    /// Whether the text may be a secret.
    let isSecret: Bool
    var text: TextField
    /// Whether the items differ in this field. If they do and the row is left empty, each item keeps its own value.
    let isMixed: Bool
    private var original: String

    init(_ field: Field, _ values: Set<String>) {
      self.field = field
      (label, explanation) = field.words
      isSecret = field == .token || field == .newToken
      isMixed = values.count > 1
      original = isMixed ? "" : values.first ?? ""
      text = TextField(original)
    }

    fileprivate init(_ question: ServiceChoice.Question, number: Int) {
      field = .answer(number)
      let subject = ["The ", "Your "].lazy.compactMap { question.words.removingPrefix(scalars: $0) }
      let label = subject.first ?? question.words
      self.label = label.prefix(1).uppercased() + label.dropFirst()
      let sample = question.isSecret || question.isUsual ? "" : ", such as \(question.sample)"
      let ways = question.isSecret ? ": $VARIABLE, a file (/…, ~/…), or itself" : ""
      explanation = question.words + sample + ways
      isSecret = question.isSecret
      isMixed = false
      original = question.isUsual ? question.sample : ""
      text = TextField(original)
    }

    /// Whether the text is a secret that must not be shown. The beginning of a variable's name, or of a path, is not.
    var isHidden: Bool {
      guard isSecret, case .value(let text) = SecretAnswer(text.text) else { return false }
      return text != "$" && text != "~"
    }

    /// Whether the text is a path, which can be completed.
    var isPath: Bool {
      if field == .path { return !text.text.isEmpty }
      guard isSecret, case .file = SecretAnswer(text.text) else { return false }
      return true
    }

    /// Whether the text has changed. An unchanged row is not applied, nor is it checked unless it is the URL, since an
    /// item may have come with a value that could not be entered here.
    var isChanged: Bool { text.text != original }

    /// Shows a value that follows from another row.
    fileprivate mutating func propose(_ value: String) {
      original = value
      text = TextField(value)
    }
  }

  /// The new name of a file, and whether another one that is edited will have the same name.
  typealias NewName = (old: String, new: String, isTwice: Bool)

  let subject: Subject
  private var items: [UploadItem] = []
  /// The name of the only file that is edited, as it was when the form was opened: it may be gone by now.
  var name: String { items.first?.fileName ?? "" }
  /// The new names of the first files, as a preview.
  private(set) var newNames: [NewName] = []
  private static let mostShown = 100
  /// How many other files were to be edited, but have been sent, or are being sent.
  var (alreadySent, beingSent) = (0, 0)
  /// How many files are edited.
  var count: Int { if case .items(let ids) = subject { ids.count } else { 0 } }
  var mode: Mode { if case .items = subject { .form } else { .setup } }

  private(set) var rows: [Row]
  /// The service that the form is filled in for; nil for any server.
  private(set) var service: ServiceChoice?
  /// The paths that begin with what has been typed, if there are several.
  private(set) var candidates: [String] = []
  var focus = 0 { didSet { candidates = [] } }
  /// What is wrong with the last input.
  var complaint: String?
  /// Why the target did not seem to take uploads, if it is saved anyway.
  var obstacle: String?
  /// Whether it is being looked up which targets have the edited items already.
  var isLookedUp = false
  /// Whether the new target is being tried.
  var isTrying = false
  /// Whether the form waits for an answer, and takes no input until then.
  var isWaiting: Bool { isTrying || isLookedUp }

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
      rows.insert(row(.path) { String(rawBytes: $0.location.bytes) }, at: 0)
    }
    rows += [row(.type) { $0.mediaType }, row(.field) { $0.field ?? "" }]
    if hasTargets { rows.append(row(.target) { $0.target }) }
    guard let names, let index = rows.firstIndex(where: { $0.field == .names }) else { return }
    focus = index
    edit { $0.set(names) }
  }

  /// A form for a new target. `words` are what the user has already typed: a URL, or a name for the target.
  init(forTarget words: String = "", isFirst: Bool = false, services: Bool = false) {
    subject = .target(isFirst: isFirst)
    let isURL = words.unicodeScalars.contains { ":/.".unicodeScalars.contains($0) }
    rows = services ? [Row(.service, [Self.anyServer])] : []
    rows += Self.rowsOfAnyServer
    edit(.url) { $0.set(isURL ? words : "") }
    edit(.name) { $0.set(isURL ? "" : words) }
    focus = rows.firstIndex { $0.field == (isURL ? .name : .url) } ?? 0
  }

  /// Whether the user has not answered anything yet.
  var isUntouched: Bool { service == nil && !isWaiting && !rows.contains(where: \.isChanged) }

  private static let anyServer = "any server, by its URL"
  private static var rowsOfAnyServer: [Row] {
    [Row(.url, []), Row(.name, []), Row(.usualField, ["file"]), Row(.token, [])]
  }

  private mutating func edit(_ field: Field, _ change: (inout TextField) -> Void) {
    guard let index = rows.firstIndex(where: { $0.field == field }) else { return }
    change(&rows[index].text)
  }

  mutating func edit(_ change: (inout TextField) -> Void) {
    // What is chosen is not typed.
    guard !isWaiting, !rows[focus].field.isChoice, !rows[focus].field.isSwitch else { return }
    change(&rows[focus].text)
    (complaint, candidates) = (nil, [])
    switch rows[focus].field {
    case .names: showNewNames()
    case .path: showNameOfPath()
    default: break
    }
  }

  /// Shows the name that goes with the path that is being typed.
  private mutating func showNameOfPath() {
    guard var item = items.first,
      let index = rows.firstIndex(where: { $0.field == .fileName }), !rows[index].isChanged
    else { return }
    let name = item.fileName
    item.move(to: rows[focus].text.text)
    rows[index].propose(item.fileName.isEmpty ? name : item.fileName)
  }

  /// The lists that values are chosen from: each choice with a note.
  static func choices(of services: [ServiceChoice]) -> [(name: String, note: String)] {
    [(anyServer, "")] + services.map { ($0.title, $0.name) }
  }

  /// Takes what was chosen from the list for the row with the focus.
  mutating func choose(_ choice: Int, from targets: [String], _ services: [ServiceChoice]) {
    complaint = nil
    switch rows[focus].field {
    case .target where targets.indices.contains(choice): rows[focus].text.set(targets[choice])
    case .service: fillIn(choice > 0 ? services[choice - 1] : nil)
    default: break
    }
  }

  /// Takes a target for the files that are edited: the name of one, or an address.
  mutating func send(to target: String) {
    edit(.target) { $0.set(target) }
    (focus, complaint) = (rows.firstIndex { $0.field == .target } ?? focus, nil)
  }

  /// Asks what a service needs, or what any server does.
  private mutating func fillIn(_ service: ServiceChoice?) {
    let name = rows.first { $0.field == .name }?.text.text ?? ""
    self.service = service
    rows = [Row(.service, [service?.title ?? Self.anyServer])]
    if let service {
      rows += service.questions.enumerated().map { Row($1, number: $0) } + [Row(.name, [])]
    } else {
      rows += Self.rowsOfAnyServer
    }
    edit(.name) { $0.set(name) }
    focus = 1
  }

  /// Completes the path that is being typed, as far as it is clear, or shows how it may go on. Returns false if nothing
  /// begins with it.
  mutating func offer(_ paths: [String], for text: String) -> Bool {
    // If the user has typed on, the answer is outdated.
    guard !isWaiting, rows[focus].isPath, rows[focus].text.head == text else { return true }
    guard let first = paths.first else { return false }
    let common = paths.dropFirst().reduce(first) { $0.sharedPrefix(with: $1) }
    if common.utf8.count > text.utf8.count || paths.count == 1, !common.hasSameScalars(as: text) {
      edit { $0.replaceHead(with: common) }
    } else if paths.count == 1 {
      moveFocus(by: 1)
    } else {
      candidates = paths
    }
    return true
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
      for (index, item) in items.enumerated() {
        guard let name = renaming.name(of: item, number: index + 1, of: items.count) else {
          return "the search in \(item.fileName) takes too long"
        }
        if name.isEmpty { return "\(item.fileName) would have no name" }
      }
      return nil
    } catch {
      return error.description
    }
  }

  init(_ row: TargetRow) {
    subject = .edited(row)
    rows = [
      Row(.url, [row.url]), Row(.name, [row.name]),
      Row(.isUsual, [row.isUsual ? Self.yes : Self.no]), Row(.newToken, []),
    ]
  }

  /// Says what is wrong with the new names of edited items, and moves to where they come from.
  mutating func refuse(names words: String) {
    complaint = words
    let sources: [Field] = [.names, .fileName, .path]
    focus = rows.firstIndex { sources.contains($0.field) && $0.isChanged } ?? focus
  }

  /// Says what is wrong with the path that was looked up, and moves to it.
  mutating func refuse(path words: String) {
    (isLookedUp, complaint) = (false, words)
    focus = rows.firstIndex { $0.field == .path } ?? focus
  }

  func changed(_ row: TargetRow) -> TargetRow {
    var row = row
    (row.url, row.name) = (answers.url, answers.name)
    row.isUsual = rows.contains { $0.field == .isUsual && $0.text.text == Self.yes }
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
      case .answer(let number): .answer(number)
      }
    focus = rows.firstIndex { $0.field == field || field == .token && $0.isSecret } ?? focus
  }

  /// Whether the field with the focus is for a secret.
  var isAtSecret: Bool { rows.indices.contains(focus) && rows[focus].isSecret }

  /// Adds the scheme to an address without one, `http` for servers on this machine and `https` for all others, and
  /// replaces `~` at the beginning of a path with the home folder.
  mutating func expand(home: String?) {
    for index in rows.indices {
      let text = rows[index].text.text
      switch rows[index].field {
      case .url where !text.isEmpty:
        rows[index].text.set(Origin.addingScheme(to: text))
      case .path where text == "~" || text.hasPrefix(scalars: "~/"):
        if let home { rows[index].text.set(home + text.dropFirst()) }
      default: break
      }
    }
  }

  /// Turns the value with the focus from yes to no and back; nil turns it to the other one. Returns false if that cannot
  /// be.
  mutating func turn(to isOn: Bool? = nil) -> Bool {
    guard !isWaiting else { return false }
    let row = rows[focus]
    let isOn = isOn ?? (row.text.text == Self.no)
    if !isOn, case .edited(let target) = subject, target.isUsual {
      complaint = "to change the default, make another target the default"
      return false
    }
    complaint = nil
    rows[focus].text.set(isOn ? Self.yes : Self.no)
    return true
  }

  private static let (yes, no) = ("yes", "no")

  mutating func moveFocus(by step: Int) { focus = (focus + step + rows.count) % rows.count }

  private var isEdited: Bool { if case .edited = subject { true } else { false } }

  /// What is wrong with the input, and where; `nil` if it is valid.
  func firstError(targets: [String]) -> (row: Int, words: String)? {
    for (index, row) in rows.enumerated() where row.isChanged || row.field == .url {
      let text = row.text.text
      switch row.field {
      case .url where text.isEmpty:
        let isNew = rows.first?.field == .service
        return (
          index, "a URL is required" + (isNew ? ", or a service (↑)" : "; press Esc to leave")
        )
      case .name where text.isEmpty && isEdited: return (index, "a target needs a name")
      case .path where text.isEmpty: return (index, "a file needs a path")
      case .fileName where text.isEmpty: return (index, "a file needs a name")
      case .names:
        if let words = firstError(ofNames: text) { return (index, words) }
      case .type where !TypePattern.isType(text):
        return (index, "not a media type; try text/plain or image/png")
      case .target where !targets.contains(text) && Origin(text: text) == nil:
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
        let name = renaming?.name(of: item, number: number, of: self.items.count),
        !name.utf8.elementsEqual(item.fileName.utf8)
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
      case .path: item.move(to: text)
      case .fileName: (item.fileName, item.nameIsChosen) = (text, true)
      case .type:
        item.mediaType = text
        item.typeSource = UploadItem.chosenByHand
        (item.typeIsCertain, item.contentType) = (true, nil)
      case .field: item.field = text.isEmpty ? nil : text
      case .target: item.target = text
      case .names, .service, .url, .name, .usualField, .token, .newToken, .isUsual, .answer: break
      }
    }
    return item
  }

  var answers: TargetAnswers {
    func text(_ field: Field) -> String { rows.first { $0.field == field }?.text.text ?? "" }
    var answers = TargetAnswers(
      url: text(.url), name: text(.name), field: text(.usualField), token: text(.token))
    if let service {
      answers.service = service.name
      answers.replies = service.questions.indices.map { text(.answer($0)) }
    }
    return answers
  }

  /// Where the new token of an edited target is, or the token itself; empty to keep what the target has.
  var newToken: String { rows.first { $0.field == .newToken }?.text.text ?? "" }
}
