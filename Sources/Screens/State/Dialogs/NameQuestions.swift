import UploadModel

/// Files whose names are taken on the server, and that wait until the user says what becomes of them.
struct NameQuestions: Sendable {
  /// The files that are asked about, one after the other.
  var waiting: [ItemID] = []
  /// The answers that hold for all further files of a target, as long as anything is being sent.
  var rules: [String: IfThere] = [:]

  mutating func add(_ ids: [ItemID]) { waiting += ids.filter { !waiting.contains($0) } }
}

extension AppState {
  /// Takes note of files whose names are taken. If an answer holds for all of them, it is carried out.
  mutating func noteTaken(_ ids: [ItemID]) -> [Effect] {
    var known: Set<ItemID> = []
    let asking = ids.filter { known.insert($0).inserted }.compactMap(item)
      .filter { $0.state.failure?.taken?.asks == true }
    guard !asking.isEmpty else { return [] }
    var effects: [Effect] = []
    for (rule, items) in Dictionary(grouping: asking, by: { names.rules[targetName(of: $0)] }) {
      if let rule { effects += decide(rule, about: items) } else { names.add(items.map(\.id)) }
    }
    return effects
  }

  /// Says so if servers have kept what files were to replace.
  mutating func noteKept(_ ids: [ItemID]) {
    let kept = ids.compactMap { id -> (name: String, other: String)? in
      guard let item = item(id), item.record.ifThere == .replace else { return nil }
      return item.state.receipt?.fate?.renamed.map { (item.fileName, $0) }
    }
    guard let first = kept.first else { return }
    let more = kept.count > 1 ? " (and \(HumanReadable.grouped(kept.count - 1)) more)" : ""
    say("\(first.name) replaced nothing: the server keeps both, this one as \(first.other)\(more)")
  }

  /// Asks about the next file whose name is taken, unless something else is on the screen.
  mutating func askAboutNames() {
    names.waiting = names.waiting.filter { item($0)?.state.failure?.taken != nil }
    if isAtTheEnd, names.waiting.isEmpty { names.rules = [:] }
    guard dialogs.isEmpty, !isReading, let id = names.waiting.first else { return }
    let canRename = item(id)?.state.failure?.taken?.isFixed != true
    dialog = .question(Question(.nameTaken(id, canRename: canRename)))
  }

  /// Carries out the answer to a question about a name: for its file or, if it holds for all, for all files to the same
  /// target that wait for an answer, and for those that come to it while anything is being sent.
  mutating func answer(_ name: Action.Name, about id: ItemID) -> [Effect] {
    let rule: IfThere
    switch name {
    case .replaceThere, .replaceAllThere: rule = .replace
    case .skipThere, .skipAllThere: rule = .skip
    case .keepBoth, .keepAllBoth: rule = .rename
    default:
      // The files stay as they are; retrying asks again.
      names.waiting = []
      return []
    }
    guard let item = item(id) else { return [] }
    guard [.replaceAllThere, .skipAllThere, .keepAllBoth].contains(name) else {
      names.waiting.removeAll { $0 == id }
      return decide(rule, about: [item])
    }
    let target = targetName(of: item)
    names.rules[target] = rule
    let items = ([id] + names.waiting.filter { $0 != id }).compactMap(self.item)
      .filter { targetName(of: $0) == target }
    names.waiting.removeAll { waiting in items.contains { $0.id == waiting } }
    return decide(rule, about: items)
  }

  private mutating func decide(_ rule: IfThere, about items: [UploadItem]) -> [Effect] {
    let what =
      switch rule {
      case .replace: "sent, to replace what is there"
      case .skip: "skipped"
      case .rename: "both are kept"
      case .fail, .ask: "left as they are"
      }
    let subject = items.count == 1 ? items[0].fileName : HumanReadable.count(items.count, "file")
    let edits = edit(
      items.map { item in
        var item = item
        item.record.ifThere = rule
        return item
      })
    // They are about to be sent, so nothing is over yet.
    for item in items { _ = queue.change(item.id, to: .waiting, at: now) }
    message = "\(subject): \(what)"
    return edits + [.retry(items.map(\.id))]
  }
}
