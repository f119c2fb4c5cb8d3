import UploadModel

/// Edits of the queue: each is noted so that it can be undone, and told as effects that say all that
/// whoever keeps the queue needs to do the same.
extension AppState {
  // MARK: Edits

  /// Takes items out, and keeps the cursor on its row, or on what came after it.
  mutating func remove(_ ids: Set<ItemID>, saying word: String = "removed") -> [Effect] {
    let places = queue.places(of: ids)
    guard !places.isEmpty else { return [] }
    edits.record(
      .removal(
        places.compactMap { place in
          queue.row(place.id).map { QueuePosition(item: $0.item.asRemoved, before: place.before) }
        }))
    let key = keymap.label(.undo, in: .queue, ascii: isASCII)
    message =
      "\(HumanReadable.count(places.count, "file")) \(word)"
      + (key.isEmpty ? "" : " · \(key) undoes")
    return drop(places.map(\.id)) + leaveIfDone()
  }

  /// Moves items, in their order, before another one or to the end.
  mutating func move(_ ids: [ItemID], before other: ItemID?) -> [Effect] {
    let places = ids.map { Place(id: $0, before: other) }
    edits.record(.moves(from: queue.places(of: Set(ids)), to: places))
    return move(places)
  }

  /// Puts the whole queue in another order.
  mutating func reorder(_ order: [ItemID]) -> [Effect] {
    let before = self.order
    guard order != before else { return [] }
    edits.record(.order(before: before, after: order))
    return arrange(order)
  }

  /// Changes how items shall be sent.
  mutating func edit(_ changed: [UploadItem]) -> [Effect] {
    let changes = changed.compactMap { item -> QueueEdit.Change? in
      guard let before = queue.row(item.id)?.item, before != item else { return nil }
      return QueueEdit.Change(before: before, after: item)
    }
    guard !changes.isEmpty else { return [] }
    edits.record(.fields(changes))
    return replace(changes.map(\.after))
  }

  // MARK: Undoing

  mutating func undo() -> [Effect] {
    guard let edit = edits.undo() else { return refuse("nothing to undo") }
    let effects: [Effect]
    switch edit {
    case .removal(let places): effects = restore(places)
    case .moves(let places, _): effects = move(places)
    case .order(let before, _): effects = arrange(before)
    case .fields(let changes): effects = replace(changes.map(\.before))
    }
    return told(effects, "undone: \(edit.words)")
  }

  mutating func redo() -> [Effect] {
    guard let edit = edits.redo() else { return refuse("nothing to redo") }
    let effects: [Effect]
    switch edit {
    case .removal(let places):
      let ids = places.map(\.item.id).filter { queue.row($0) != nil }
      if ids.contains(where: { queue.row($0)?.item.state.isActive == true }) {
        _ = edits.undo()
        return refuse("not redone: it is being sent; x removes it all the same")
      }
      effects = drop(ids)
    case .moves(_, let places): effects = move(places)
    case .order(_, let after): effects = arrange(after)
    case .fields(let changes): effects = replace(changes.map(\.after))
    }
    return told(effects, "redone: \(edit.words)")
  }

  private mutating func told(_ effects: [Effect], _ words: String) -> [Effect] {
    guard !effects.isEmpty else { return refuse("those files are no longer in the queue") }
    message = words
    return effects + leaveIfDone()
  }

  private mutating func drop(_ ids: [ItemID]) -> [Effect] {
    guard !ids.isEmpty else { return [] }
    let begun = ids.compactMap(item).filter { $0.resumePoint != nil && !$0.state.isDone }
    forget(ids)
    return [.remove(ids, begun: begun)]
  }

  /// Items are gone, whoever took them out.
  mutating func forget(_ ids: [ItemID]) {
    let gone = Set(ids)
    keepingCursor(leaving: gone) { $0.queue.remove(gone) }
    speeds.forget(gone)
    list.forget(gone)
    limitScroll()
  }

  private mutating func restore(_ places: [QueuePosition]) -> [Effect] {
    // What is there again was put back by somebody else.
    let missing = places.filter { queue.row($0.item.id) == nil }
    guard !missing.isEmpty else { return [] }
    keepingCursor { $0.queue.restore(missing) }
    // On what came back, unless the filter hides it.
    let seen = missing.first { index(of: $0.item.id) != nil }
    if let row = seen.flatMap({ index(of: $0.item.id) }) { moveCursor(to: row) }
    return [.restore(missing)]
  }

  private mutating func move(_ places: [Place]) -> [Effect] {
    let moved = places.filter { queue.position(of: $0.id) != nil }
    guard let first = moved.first else { return [] }
    keepingCursor { $0.queue.move(moved) }
    if moved.count > 1 { return [.reorder(order)] }
    let before = first.before.flatMap { queue.position(of: $0) == nil ? nil : $0 }
    return [.move(first.id, before: before)]
  }

  private mutating func arrange(_ order: [ItemID]) -> [Effect] {
    keepingCursor { $0.queue.arrange(order) }
    return [.reorder(self.order)]
  }

  private mutating func replace(_ items: [UploadItem]) -> [Effect] {
    let items = items.compactMap { item in self.item(item.id).map { item.with($0.state) } }
    // What happened since is not undone. Under another name an item may come into sight, or go out of it.
    keepingCursor {
      $0.queue.append(items)
      $0.queue.noteEdited(items.map(\.id))
    }
    return items.isEmpty ? [] : [.edit(items)]
  }
}
