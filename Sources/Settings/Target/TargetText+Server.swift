import JSONText
import UploadModel

/// How replies are read, and what can be asked of the server besides.
extension TargetText {
  mutating func server() {
    let inherited = ReplyRules().inheriting(target.response)
    var rows: [(key: String, value: String)] = []
    if let list = target.server.list {
      let pointers: [(String, JSONPointer?)] = [
        ("items", list.items), ("id", list.id), ("title", list.title), ("size", list.size),
        ("location", list.location),
      ]
      let others: [(String, String?)] = [
        ("time", list.time.map(column)), ("next", list.next.map(next)),
        ("total", list.total.map(place)),
        (
          "columns",
          list.columns.isEmpty ? nil : TOMLText.array(list.columns.map(column))
        ),
      ]
      rows.append(
        (
          "list",
          TOMLText.table(
            call(list.call, usually: "GET", inherited: inherited)
              + pointers.compactMap { key, pointer in
                pointer.map { (key, TOMLText.string($0.description)) }
              } + others.compactMap { key, value in value.map { (key, $0) } })
        ))
    }
    if let get = target.server.get {
      rows.append(("get", TOMLText.table(call(get, usually: "GET", inherited: inherited))))
    }
    if let delete = target.server.delete {
      rows.append(
        ("delete", TOMLText.table(call(delete, usually: "DELETE", inherited: inherited))))
    }
    if let create = target.server.create {
      rows.append(("create", TOMLText.table(call(create, usually: "POST", inherited: inherited))))
    }
    if !rows.isEmpty { tables.append(("server", rows)) }
  }

  private func column(_ column: Column) -> String {
    let pointer = TOMLText.string(column.pointer.description)
    guard column.format != .text else { return pointer }
    return TOMLText.table([
      ("pointer", pointer), ("format", TOMLText.string(column.format.rawValue)),
    ])
  }

  private func next(_ next: NextPage) -> String {
    switch next {
    case .link: TOMLText.string("link")
    case .address(let pointer): TOMLText.table([("pointer", TOMLText.string(pointer.description))])
    case .token(let pointer, let query):
      TOMLText.table([
        ("pointer", TOMLText.string(pointer.description)), ("query", TOMLText.string(query)),
      ])
    case .number(let query, let from):
      TOMLText.table([("query", TOMLText.string(query)), ("from", "\(from)")])
    }
  }

  private func statuses(_ ranges: [ClosedRange<Int>]) -> String {
    let texts = ranges.map { range in
      range.count == 1
        ? "\(range.lowerBound)" : TOMLText.string("\(range.lowerBound)-\(range.upperBound)")
    }
    return texts.count == 1 ? texts[0] : TOMLText.array(texts)
  }

  private func failures(_ rules: [FailureRule]) -> String {
    TOMLText.array(
      rules.map { rule in
        var entries = [(key: "pointer", value: TOMLText.string(rule.pointer.description))]
        switch rule.test {
        case .equals(let value): entries.append(("is", TOMLText.json(value)))
        case .differs(let value): entries.append(("not", TOMLText.json(value)))
        }
        switch rule.message {
        case .pointer(let pointer):
          entries.append(("message", TOMLText.string(pointer.description)))
        case .text(let text): entries.append(("message", TOMLText.string(text)))
        case nil: break
        }
        return TOMLText.table(entries)
      })
  }

  func reply(_ rules: ReplyRules) -> [(key: String, value: String)] {
    var rows: [(key: String, value: String)] = []
    if rules.ok != ReplyRules().ok { rows.append(("ok", statuses(rules.ok))) }
    if !rules.failures.isEmpty { rows.append(("fail_when", failures(rules.failures))) }
    if let meaning = rules.unreadable {
      rows.append(("unreadable", TOMLText.string(meaning.rawValue)))
    }
    if let url = rules.url { rows.append(("url", place(url))) }
    if let url = rules.deletionURL { rows.append(("deletion_url", place(url))) }
    return rows
  }

  func place(_ url: ReplyValue) -> String {
    var entries: [(key: String, value: String)] = []
    switch url.place {
    case .pointer(let pointer): entries.append(("pointer", TOMLText.string(pointer.description)))
    case .pattern(let pattern): entries.append(("regex", TOMLText.string(pattern.source)))
    case .header(let name): entries.append(("header", TOMLText.string(name)))
    }
    if !url.prefix.isEmpty { entries.append(("prefix", TOMLText.string(url.prefix))) }
    if !url.suffix.isEmpty { entries.append(("suffix", TOMLText.string(url.suffix))) }
    let isPlain = entries.count == 1 && entries[0].key == "pointer"
    return isPlain ? entries[0].value : TOMLText.table(entries)
  }

  func call(
    _ call: ServerCall, usually method: String, inherited: ReplyRules
  ) -> [(key: String, value: String)] {
    var rows = [(key: "url", value: string(call.url))]
    if call.method != method { rows.append(("method", TOMLText.string(call.method))) }
    if let json = call.json.flatMap(json) { rows.append(("json", json)) }
    if let form = pairs(call.form) { rows.append(("form", form)) }
    if let query = pairs(call.query) { rows.append(("query", query)) }
    if call.rules.ok != ReplyRules().ok { rows.append(("ok", statuses(call.rules.ok))) }
    if call.rules.failures != inherited.failures {
      rows.append(("fail_when", failures(call.rules.failures)))
    }
    if call.rules.unreadable != inherited.unreadable, let meaning = call.rules.unreadable {
      rows.append(("unreadable", TOMLText.string(meaning.rawValue)))
    }
    return rows
  }
}
