import Scheduling
import UploadModel

/// Edits of the queue. Each is recorded so that it can be undone, and returned as effects, so that the stored queue is
/// changed in the same way.
extension AppState {
  /// Removes items. The cursor stays on its item or moves to the next one that is left.
  mutating func remove(_ ids: Set<ItemID>, saying word: String = "removed") -> [Effect] {
    let places = queue.places(of: ids)
    guard !places.isEmpty else { return [] }
    let count = HumanReadable.count(places.count, "file")
    let key = keyLabel(.undo)
    message = "\(count) \(word)" + (key.isEmpty ? "" : " · \(key) undoes")
    log(word, places.compactMap { item($0.id) })
    let positions = places.compactMap { place in
      item(place.id).map { QueuePosition(item: $0.asRemoved, before: place.before) }
    }
    return perform(
      .remove(places.map(\.id)), undo: .restore(positions), words: "removal of \(count)")
      + leaveIfDone()
  }

  /// Moves items, in the given order, before another one or to the end.
  mutating func move(_ ids: [ItemID], before other: ItemID?) -> [Effect] {
    perform(
      .move(ids.map { QueuePlace(id: $0, before: other) }),
      undo: .move(queue.places(of: Set(ids))), words: "move")
  }

  /// Puts the whole queue in another order.
  mutating func reorder(_ order: [ItemID]) -> [Effect] {
    order == self.order
      ? [] : perform(.arrange(order), undo: .arrange(self.order), words: "sorting")
  }

  /// Changes how items are sent.
  mutating func edit(_ changed: [UploadItem]) -> [Effect] {
    let changes = changed.compactMap { after in
      item(after.id).flatMap { $0 == after ? nil : (before: $0, after: after) }
    }
    guard !changes.isEmpty else { return [] }
    log("changed", changes.map(\.after))
    return perform(
      .replace(changes.map(\.after)), undo: .replace(changes.map(\.before)),
      words: "edit of \(HumanReadable.count(changes.count, "file"))")
  }

  /// Counts those items that may have arrived as sent, since the user has found them on the server.
  mutating func confirmArrival(of items: [UploadItem]) -> [Effect] {
    let unclear = items.filter(\.mayHaveArrived)
    guard !unclear.isEmpty else {
      return refuse("only files that may have arrived can be confirmed")
    }
    list.clearMarks()
    let count = HumanReadable.count(unclear.count, "file")
    let key = keyLabel(.undo)
    message = "\(count) confirmed by hand" + (key.isEmpty ? "" : " · \(key) undoes")
    return perform(
      .confirm(unclear), undo: .unconfirm(unclear), words: "noting \(count) as arrived")
  }

  /// Logs what is done with items, and also said in a message.
  private mutating func log(_ word: String, _ items: [UploadItem]) {
    record("\(name(of: items)) \(word)", isSaid: true)
  }

  private mutating func perform(_ step: QueueEdit.Step, undo: QueueEdit.Step, words: String)
    -> [Effect]
  {
    edits.record(QueueEdit(undo: undo, redo: step, words: words))
    return perform(step)
  }

  private mutating func perform(_ step: QueueEdit.Step) -> [Effect] {
    switch step {
    case .restore(let places): return restore(places)
    case .remove(let ids): return drop(ids.filter { item($0) != nil })
    case .move(let places): return move(places)
    case .arrange(let order):
      keepingCursor { $0.queue.arrange(order) }
      return [.reorder(self.order)]
    case .replace(let items): return replace(items)
    case .confirm(let items):
      let ids = items.map(\.id).filter { item($0)?.mayHaveArrived == true }
      return ids.isEmpty ? [] : [.confirm(ids)]
    case .unconfirm(let items):
      let confirmed = items.filter { item($0.id)?.state.receipt?.isConfirmed == true }
      return confirmed.isEmpty ? [] : [.unconfirm(confirmed)]
    }
  }

  mutating func undo() -> [Effect] {
    guard let edit = edits.undo() else { return refuse("nothing to undo") }
    if let obstacle = obstacle(to: edit.undo) {
      // Once it is paused, it can be undone after all.
      if obstacle.mayPass { _ = edits.redo() }
      return refuse("not undone: \(words(of: obstacle))")
    }
    return announcing(perform(edit.undo), "undone: \(edit.words)", of: edit.undo)
  }

  mutating func redo() -> [Effect] {
    guard let edit = edits.redo() else { return refuse("nothing to redo") }
    if case .remove(let ids) = edit.redo, ids.contains(where: { item($0)?.state.isActive == true })
    {
      _ = edits.undo()
      let there = ids.filter { item($0) != nil }
      let isChosen = choose(there, for: .remove)
      let it = there.count == 1 ? "it" : "them"
      return refuse(
        "not redone: a file is being sent"
          + (isChosen ? "; \(keyLabel(.remove)) removes \(it) anyway" : ""))
    }
    if let obstacle = obstacle(to: edit.redo) {
      if obstacle.mayPass { _ = edits.undo() }
      return refuse("not redone: \(words(of: obstacle))")
    }
    return announcing(perform(edit.redo), "redone: \(edit.words)", of: edit.redo)
  }

  private typealias Obstacle = (words: String, mayPass: Bool, toPause: [ItemID])

  /// What an obstacle is, and what to do. The items that are to be paused are chosen for that.
  private mutating func words(of obstacle: Obstacle) -> String {
    if obstacle.toPause.isEmpty { return obstacle.words }
    let it = obstacle.toPause.count == 1 ? "it" : "them"
    return choose(obstacle.toPause, for: .pause)
      ? "\(obstacle.words); \(keyLabel(.pause)) pauses \(it), then undo"
      : "\(obstacle.words); pause \(it) first"
  }

  /// Why none of the items of an edit can be edited; nil if some can, or all have left the queue. `mayPass`: whether they
  /// can be later; `toPause`: the items that have to be paused for it.
  private func obstacle(to step: QueueEdit.Step) -> Obstacle? {
    guard case .replace(let items) = step else { return nil }
    let known = items.compactMap { item($0.id) }
    guard let first = known.first, known.allSatisfy({ $0.state.isActive || $0.state.isDone })
    else { return nil }
    let isOne = known.count == 1
    let (name, it) = isOne ? (first.fileName, "it") : ("the files", "them")
    if known.allSatisfy(\.state.isDone) {
      let words = "\(name) \(isOne ? "has" : "have") been sent"
      return ("\(words); \(keyLabel(.add)) adds \(it) again", false, [])
    }
    // What the server has in full can no longer be held back.
    if known.allSatisfy({ $0.state.isHandedOver || $0.state.isDone }) {
      let words = "\(name) \(isOne ? "awaits its reply" : "await their replies")"
      return ("\(words), and cannot be changed until then", true, [])
    }
    return (
      "\(name) \(isOne ? "is" : "are") being sent", true, known.filter(\.canBePaused).map(\.id)
    )
  }

  private mutating func announcing(
    _ effects: [Effect], _ words: String, of step: QueueEdit.Step
  ) -> [Effect] {
    guard !effects.isEmpty else {
      switch step {
      case .restore: return refuse("those files are back in the queue already")
      case .confirm(let items), .unconfirm(let items):
        if items.contains(where: { item($0.id) != nil }) {
          return refuse("those files have been sent again since")
        }
      case .remove, .move, .arrange, .replace: break
      }
      return refuse("those files are no longer in the queue")
    }
    say(words)
    return effects + leaveIfDone()
  }

  mutating func drop(_ ids: [ItemID]) -> [Effect] {
    guard !ids.isEmpty else { return [] }
    let begun = ids.compactMap(item).filter { $0.resumePoint != nil && !$0.state.isDone }
    let wasAtTheEnd = isAtTheEnd
    forget(ids)
    return [.remove(ids, begun: begun)] + (wasAtTheEnd ? [] : endAfterRemoval())
  }

  /// Forgets items that are gone, no matter how they were removed.
  mutating func forget(_ ids: [ItemID]) {
    let gone = Set(ids)
    let isSorted = sortedNow != nil
    keepingCursor(leaving: gone) { $0.known.forget(gone) }
    noteGone(gone, wasSorted: isSorted)
  }

  /// Takes note that items have left the queue.
  mutating func noteGone(_ gone: Set<ItemID>, wasSorted: Bool) {
    // If the items were sorted before, the remaining ones still are.
    let version = queue.version
    if wasSorted { sorted?.version = version }
    list.forget(gone)
    limitScroll()
  }

  private mutating func restore(_ places: [QueuePosition]) -> [Effect] {
    // Items that are already back were restored by another process.
    let missing = places.filter { queue.row($0.item.id) == nil }
    guard !missing.isEmpty else { return [] }
    keepingCursor { $0.queue.restore(missing) }
    // The cursor goes to the first restored item that the filter does not hide.
    let seen = missing.first { index(of: $0.item.id) != nil }
    if let row = seen.flatMap({ index(of: $0.item.id) }) { moveCursor(to: row) }
    return [.restore(missing)]
  }

  private mutating func move(_ places: [QueuePlace]) -> [Effect] {
    let moved = places.filter { queue.position(of: $0.id) != nil }
    guard let first = moved.first else { return [] }
    keepingCursor { $0.queue.move(moved) }
    if moved.count > 1 { return [.reorder(order)] }
    let before = first.before.flatMap { queue.position(of: $0) == nil ? nil : $0 }
    return [.move(first.id, before: before)]
  }

  private mutating func replace(_ items: [UploadItem]) -> [Effect] {
    // Changes of state since the edit are not undone. Items that are being sent, or have been, stay as the server
    // knows them.
    let items = items.compactMap { item in
      self.item(item.id).flatMap {
        $0.state.isActive || $0.state.isDone ? nil : item.with($0.state)
      }
    }
    // A different name can make the filter show or hide an item.
    keepingCursor { $0.queue.append(items) }
    return items.isEmpty ? [] : [.edit(items)]
  }
}
