import JSONText
import UploadModel

/// How replies are read, and the requests of the server side.
extension TargetText {
  mutating func server() {
    let form = self
    let inherited = ReplyRules().inheriting(target.response)
    func table(_ call: ServerCall?, usually method: String) -> String? {
      call.map { TOMLText.table(form.call($0, usually: method, inherited: inherited)) }
    }
    let list = target.server.list.map { list in
      TOMLText.table(
        form.call(list.call, usually: "GET", inherited: inherited) + [
          ("items", form.pointer(list.items)), ("id", form.pointer(list.id)),
          ("title", form.pointer(list.title)), ("size", list.size.map(form.pointer)),
          ("location", list.location.map(form.pointer)), ("time", list.time.map(form.column)),
          ("next", list.next.map(form.next)), ("total", list.total.map(form.place)),
          ("columns", list.columns.isEmpty ? nil : TOMLText.array(list.columns.map(form.column))),
        ])
    }
    guard target.server != ServerSide() else { return }
    tables.append(
      (
        "server",
        [
          ("list", list), ("get", table(target.server.get, usually: "GET")),
          ("delete", table(target.server.delete, usually: "DELETE")),
          ("create", table(target.server.create, usually: "POST")),
        ]
      ))
  }

  private func pointer(_ pointer: JSONPointer) -> String { TOMLText.string(pointer.description) }

  private func column(_ column: Column) -> String {
    column.format == .text
      ? pointer(column.pointer)
      : TOMLText.table([
        ("pointer", pointer(column.pointer)), ("format", TOMLText.string(column.format.rawValue)),
      ])
  }

  private func next(_ next: NextPage) -> String {
    switch next {
    case .link: TOMLText.string("link")
    case .address(let place): TOMLText.table([("pointer", pointer(place))])
    case .token(let place, let query):
      TOMLText.table([
        ("pointer", pointer(place)), ("query", TOMLText.string(Template.braced(query))),
      ])
    case .number(let query, let from):
      TOMLText.table([("query", TOMLText.string(Template.braced(query))), ("from", "\(from)")])
    }
  }

  private func statuses(_ ranges: [ClosedRange<Int>]) -> String {
    let texts = ranges.map { range in
      range.count == 1
        ? "\(range.lowerBound)" : TOMLText.string("\(range.lowerBound)-\(range.upperBound)")
    }
    return texts.count == 1 ? texts[0] : TOMLText.array(texts)
  }

  private func failure(_ rule: FailureRule) -> String {
    let test: (key: String, value: String?) =
      switch rule.test {
      case .equals(let value): ("is", TOMLText.json(value, Template.braced))
      case .differs(let value): ("not", TOMLText.json(value, Template.braced))
      case .equalsText(let text): ("is", string(text))
      case .differsText(let text): ("not", string(text))
      }
    let place: (key: String, value: String?) =
      switch rule.place {
      case .pointer(let place): ("pointer", pointer(place))
      case .pattern(let pattern): ("regex", TOMLText.string(pattern.source))
      case .header(let name): ("header", TOMLText.string(Template.braced(name)))
      }
    let message: String? =
      switch rule.message {
      case .pointer(let place): pointer(place)
      case .text(let text): TOMLText.string(Template.braced(text))
      case nil: nil
      }
    return TOMLText.table([place, test, ("message", message)])
  }

  /// How a reply is judged, omitting what equals `usual`.
  private func judgement(_ rules: ReplyRules, usually usual: ReplyRules) -> TOMLText.Entries {
    let unreadable = rules.unreadable.map { TOMLText.string($0.rawValue) }
    return [
      ("ok", rules.ok == usual.ok ? nil : statuses(rules.ok)),
      (
        "fail_when",
        rules.failures == usual.failures ? nil : TOMLText.array(rules.failures.map(failure))
      ),
      ("unreadable", rules.unreadable == usual.unreadable ? nil : unreadable),
    ]
  }

  func reply(_ rules: ReplyRules) -> TOMLText.Entries {
    judgement(rules, usually: ReplyRules()) + [
      ("url", rules.url.map(place)), ("deletion_url", rules.deletionURL.map(place)),
    ]
  }

  func place(_ value: ReplyValue) -> String {
    let (key, text) =
      switch value.place {
      case .pointer(let pointer): ("pointer", pointer.description)
      case .pattern(let pattern): ("regex", pattern.source)
      case .header(let name): ("header", Template.braced(name))
      }
    let empty = Template(literal: "")
    if key == "pointer", value.prefix == empty, value.suffix == empty {
      return TOMLText.string(text)
    }
    return TOMLText.table([
      (key, TOMLText.string(text)),
      ("prefix", value.prefix == empty ? nil : string(value.prefix)),
      ("suffix", value.suffix == empty ? nil : string(value.suffix)),
    ])
  }

  func call(
    _ call: ServerCall, usually method: String, inherited: ReplyRules
  ) -> TOMLText.Entries {
    [
      ("url", string(call.url)),
      ("method", call.method == method ? nil : TOMLText.string(call.method)),
      ("json", call.json.flatMap(json)), ("form", pairs(call.form)), ("query", pairs(call.query)),
    ] + judgement(call.rules, usually: inherited)
  }
}
