import UploadModel

/// The actions while the pane of targets has the keyboard focus.
extension AppState {
  mutating func performInTargets(_ name: Action.Name) -> [Effect] {
    switch name {
    case .add:
      guard options.configuration != nil else { return refuse("there is no configuration") }
      // A URL that files go to without a target is what one is made for.
      let bare = targets.selected.flatMap { $0.isConfigured ? nil : $0.url }
      return openTargetForm(bare ?? "")
    case .refresh:
      trials = [:]
      return [.readTargets]
    case .undo: return [.restoreTarget]
    default: break
    }
    guard let row = targets.selected else { return [.bell] }
    if !row.isConfigured, [.details, .makeDefault, .delete, .edit].contains(name) {
      let key = keyLabel(.add, in: .targets)
      return refuse("this is a URL without a target in the configuration; \(key) makes one")
    }
    switch name {
    case .target:
      return row.name == target ? refuse("\(row.name) is already chosen") : switchTarget(row.name)
    case .details: return [.showTarget(row.name)]
    case .tryTarget:
      if case .over(let obstacle)? = trials[row.name] {
        trials[row.name] = .underWay(before: obstacle)
      } else {
        trials[row.name] = .underWay(before: nil)
      }
      return [.tryTarget(row.name)]
    case .makeDefault:
      return row.isUsual ? refuse("\(row.name) is already the default") : [.makeDefault(row.name)]
    case .delete where row.isUsual:
      return refuse("\(row.name) is the default: make another target the default first")
    case .delete where row.name == target:
      return refuse("\(row.name) is in use: choose another target first")
    case .delete: return ask(.deletingTarget(row.name))
    case .edit:
      dialog = .form(Form(row))
      return []
    default: return []
    }
  }

  /// Says that the files that failed because of a target's credentials are sent again, or else shows the key that
  /// retries those that it refused with 403: the credentials that it accepts may permit them.
  mutating func offerRetry(of name: String) {
    let failures = queue.rows.lazy.filter { $0.item.target == name && $0.item.state.isFailed }
      .compactMap(\.item.state.failure)
    let again = failures.count(where: \.awaitsCredentials)
    if again > 0 {
      message = "\(name) answers; sending \(HumanReadable.count(again, "file")) again"
      return
    }
    let refused = failures.count { $0.status == 403 }
    let key = keyLabel(.retryAll)
    guard refused > 0, !key.isEmpty else { return }
    let files = HumanReadable.count(refused, "file")
    message = "\(name) answers; \(key) in the queue retries the \(files) it refused"
  }

  /// How many files in the queue are still to be sent to a target.
  func filesToSend(to name: String) -> Int {
    queue.rows.count { $0.item.target == name && !$0.item.state.isFinished }
  }

  /// Says that a target was changed by a form, and notes what its trial has shown.
  mutating func noteChange(by form: Form) {
    guard case .edited(let old) = form.subject else { return }
    let new = form.changed(old)
    message = "\(new.name) changed"
    // A new name alone, or a new default, is not tried.
    guard new.url != old.url || !form.newToken.isEmpty else { return }
    // The trial was of the new address.
    let rows = targets.rows.all.map { row in
      var row = row
      if row.name == old.name { row.url = new.url }
      return row
    }
    targets.update(with: .rows(rows), height: layout.rows.count)
    trials[new.name] = .over(obstacle: form.obstacle)
  }

  /// Takes the targets of the configuration, which has been read again.
  mutating func setTargets(_ rows: [TargetRow]) {
    let names = rows.map(\.name).filter { name in !options.targets.contains { $0.name == name } }
    let isFirst = options.targets.isEmpty
    options.targets = rows
    let state = self
    var added: Form?
    changeDialogs { dialog in
      // The target being tried has been added to the configuration, so close its form.
      if case .form(let form) = dialog, form.isTrying, !names.isEmpty {
        added = form
        return nil
      }
      guard case .menu(var menu) = dialog else { return dialog }
      menu.update(targets: rows, height: MenuBox.lines(menu, in: state.size))
      return .menu(menu)
    }
    let usual = targets.rows.all.first(where: \.isUsual)?.name
    // The result of trying a target no longer applies if its URL has changed.
    for old in targets.rows.all where rows.first(where: { $0.name == old.name })?.url != old.url {
      trials[old.name] = nil
    }
    let all = rows + targetsInUse(besides: rows)
    targets.update(with: .rows(all), height: layout.rows.count)
    if let added, let name = names.first {
      trials[name] = .over(obstacle: added.obstacle)
      // The target was made for the files that are being edited.
      if case .form(var form) = dialog, form.mode == .form {
        form.send(to: name)
        dialog = .form(form)
        if !isFirst {
          message = "\(name) is saved; files added from now on still go to \(target)"
        }
      }
    }
    if let now = rows.first(where: \.isUsual)?.name, pane == .targets, usual != nil, now != usual {
      message = "\(now) is the default from now on"
    }
  }
}
