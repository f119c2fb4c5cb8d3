/// A text taken from a reply.
package struct ReplyValue: Hashable, Sendable {
  /// Where the text is.
  package var place: ReplyPlace
  /// What is put before the text.
  package var prefix: Template
  /// What is put after the text.
  package var suffix: Template
  /// Other texts that follow this one. All of them must be present.
  package var next: [ReplyValue] = []

  package init(_ place: ReplyPlace, prefix: String = "", suffix: String = "") {
    self.place = place
    self.prefix = Template(literal: prefix)
    self.suffix = Template(literal: suffix)
  }

  var places: [ReplyPlace] { [place] + next.map(\.place) }
  /// Whether the text differs for each file of a request.
  package var dependsOnFile: Bool { places.contains(where: \.dependsOnFile) }
  /// Whether the prefix and the suffix are the same for all files.
  var isLiteral: Bool { prefix.isLiteral && suffix.isLiteral }

  /// Where the text is, in words for people.
  package var words: String {
    switch place {
    case .pointer(let pointer): pointer.description
    case .pattern(let pattern): "text that matches \(pattern.source)"
    case .header(let name): "header field \(name)"
    }
  }

  /// The text in a reply, with what goes before and after it; nil if a part of it is missing.
  package func text(in end: TransferEnd, values: Template.Values? = nil) -> String? {
    var rules = ReplyRules()
    rules.url = self
    return text(in: end, rules.read(end.reply), values)
  }

  func text(
    in end: TransferEnd, _ content: ReplyContent, _ values: Template.Values? = nil
  ) -> String? {
    let text: String? =
      switch place {
      case .pointer(let pointer): pointer.text(in: content.document, file: end.place.index)
      case .pattern(let pattern): content.matches[pattern].flatMap(Pattern.value)
      case .header(let name): end.headers[name]
      }
    func around(_ template: Template) -> String {
      values.map(template.filled) ?? template.fixedText
    }
    guard var whole = text.map({ around(prefix) + $0 + around(suffix) }) else { return nil }
    for part in next {
      guard let text = part.text(in: end, content, values) else { return nil }
      whole += text
    }
    return whole
  }
}
