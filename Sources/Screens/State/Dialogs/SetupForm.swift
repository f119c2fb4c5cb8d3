/// The questions for a new target: where files go, and what that needs.
struct SetupForm: Sendable {
  /// A question.
  enum Field: Int, Sendable, CaseIterable {
    case url, name, field, variable

    var label: String {
      switch self {
      case .url: "URL"
      case .name: "Name"
      case .field: "Form field"
      case .variable: "Token in"
      }
    }

    var explanation: String {
      switch self {
      case .url: "where forms are uploaded to, such as https://host/upload"
      case .name: "what you call it: hoist FILE --to NAME"
      case .field: "the form field that carries the file; usually file"
      case .variable: "the environment variable with a bearer token, if it needs one"
      }
    }
  }

  /// Whether there is no target yet, and so nothing to go back to.
  let isFirst: Bool
  private(set) var texts: [TextField]
  var focus: Field
  /// What is wrong with the answers.
  var complaint: String?
  /// Whether the answers are being tried.
  var isTrying = false
  /// Whether all that is wrong is that nobody answers at the URL, which may change.
  var isGoodEnough = false

  /// - Parameter words: what the person has typed already: a URL, or a name for the target.
  init(isFirst: Bool = false, _ words: String = "") {
    self.isFirst = isFirst
    let isURL = words.unicodeScalars.contains { ":/.".unicodeScalars.contains($0) }
    focus = isURL ? .name : .url
    texts = Field.allCases.map { field in
      switch field {
      case .url: TextField(isURL ? words : "")
      case .name: TextField(isURL ? "" : words)
      case .field: TextField("file")
      case .variable: TextField()
      }
    }
  }

  subscript(field: Field) -> TextField { texts[field.rawValue] }

  mutating func edit(_ change: (inout TextField) -> Void) {
    change(&texts[focus.rawValue])
    (complaint, isGoodEnough) = (nil, false)
  }

  mutating func moveFocus(by step: Int) {
    let count = Field.allCases.count
    focus = Field(rawValue: (focus.rawValue + step + count) % count) ?? .url
  }

  /// The answers as they stand.
  var answers: TargetAnswers {
    TargetAnswers(
      url: self[.url].text, name: self[.name].text, field: self[.field].text,
      variable: self[.variable].text)
  }
}
