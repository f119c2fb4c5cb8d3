import UploadModel

/// The failures by reason, and what is done about all files with the same one.
extension AppState {
  mutating func openFailures() -> [Effect] {
    guard queue.totals.failed + queue.totals.unknown + queue.totals.doubtful > 0 else {
      return refuse("nothing here has failed")
    }
    open(.failures(FailureList()))
    return []
  }

  mutating func perform(_ name: Action.Name, in failures: FailureList) -> [Effect] {
    let groups = failures.groups(of: queue)
    var failures = failures
    let height = FailuresBox.lines(groups.count, in: size)
    if failures.list.move(name, of: groups.count, height: height) {
      dialog = .failures(failures)
      return []
    }
    guard name != .close, groups.indices.contains(failures.list.cursor) else {
      if name == .close { dialog = nil }
      return []
    }
    let ids = groups[failures.list.cursor].members
    let items = ids.compactMap(item)
    switch name {
    case .accept:
      dialog = nil
      change(.filter(""))
      list.mark(Set(ids))
      if let row = ids.first.flatMap(index) { moveCursor(to: row) }
      return []
    case .retry:
      dialog = nil
      let effects = retry(items)
      if case .retry? = effects.first {
        message = "sending \(HumanReadable.count(ids.count, "file")) again"
      }
      return effects
    case .remove:
      dialog = nil
      return remove(Set(ids))
    case .writeList: return [.writeLists(failedPaths(of: items))]
    default: return []
    }
  }

  /// The paths of items by their targets, in the order of the queue. A file that is queued twice is listed once.
  private func failedPaths(of items: [UploadItem]) -> [FailedPaths] {
    var (lists, known) = ([FailedPaths](), Set<FailedPaths>())
    for item in items {
      let path = FailedPaths(target: targetName(of: item), paths: [item.location.bytes])
      guard known.insert(path).inserted else { continue }
      if let place = lists.firstIndex(where: { $0.target == path.target }) {
        lists[place].paths += path.paths
      } else {
        lists.append(path)
      }
    }
    return lists
  }
}
