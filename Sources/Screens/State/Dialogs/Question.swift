import UploadModel

/// A question that is answered with one of a few buttons.
struct Question: Sendable {
  enum Subject: Sendable {
    /// `canFinish`: whether anything is left to finish before quitting.
    case quitting(AppState.Background, canFinish: Bool)
    /// Everything would be paused, and items being sent would start again from their first byte.
    case pausing
    /// These items would be paused, and some of them would start again from their first byte.
    case breakingOff([ItemID])
    /// These items would be removed. When the question was asked, `active` of them were being sent.
    case removing(Set<ItemID>, active: Int, mayHaveArrived: Bool)
    case deleting([ServerEntry])
    /// These uploaded files would be deleted at the addresses that the server gave.
    case deletingUploaded([UploadedFile])
    /// The target of this name would be removed from the configuration.
    case deletingTarget(String)
    /// A target does not seem to take uploads, for this reason, or its secret does not work; it may be saved anyway.
    case keepingTarget(String, isAboutSecret: Bool)
    /// These files were left out and may still be added.
    case addingAgain(LeftOut)
    /// These items would be sent again, and some of them may have arrived. `canConfirm`: whether a person can say that
    /// they have.
    case sendingAgain([ItemID], canConfirm: Bool)
    /// These items would be changed as edited, and their new targets have some of them already, or may have.
    case editingAnyway([UploadItem], LeftOut)
    /// A target would get this rule.
    case savingRule(RuleDraft)
    /// The name of this item is taken on the server. `canRename`: whether it can be sent under another one.
    case nameTaken(ItemID, canRename: Bool)
    /// These files of the history would be sent again, and some of them may have arrived.
    case queueingAgain([HistoryRow])
  }

  let subject: Subject
  /// The button that Enter presses.
  var lit = 0

  init(_ subject: Subject) {
    self.subject = subject
    // The safe answer is preselected: what is deleted cannot be restored, and what is sent twice is stored twice.
    if mode == .sendingAgain {
      lit = buttons.count - 1
    } else if [.deleting, .deletingTarget, .keepingTarget, .addingAgain, .nameTaken].contains(mode)
    {
      lit = 1
    }
  }

  var mode: Mode {
    switch subject {
    case .quitting: .quitting
    case .pausing: .pausing
    case .breakingOff: .breakingOff
    case .removing: .removing
    case .deleting, .deletingUploaded: .deleting
    case .deletingTarget: .deletingTarget
    case .keepingTarget: .keepingTarget
    case .addingAgain: .addingAgain
    case .savingRule: .savingRule
    case .nameTaken: .nameTaken
    case .sendingAgain, .queueingAgain, .editingAnyway: .sendingAgain
    }
  }

  /// A button for each of the mode's actions that has a hint. The hint is the label of the button.
  var buttons: [Action] {
    var buttons = Action.inMode(mode).filter { $0.hint != nil }
    // What the history has, or another target, may have left this queue.
    if case .sendingAgain(_, canConfirm: true) = subject {
    } else {
      buttons.removeAll { $0.name == .arrived }
    }
    if case .nameTaken(_, false) = subject { buttons.removeAll { $0.name == .keepBoth } }
    guard case .quitting(let background, let canFinish) = subject else { return buttons }
    if !canFinish { buttons.removeAll { $0.name == .finishThenQuit } }
    guard let index = buttons.firstIndex(where: { $0.name == .goOnInBackground })
    else { return buttons }
    switch background {
    case .offered: break
    case .preferred: buttons.insert(buttons.remove(at: index), at: 0)
    case .unavailable: buttons.remove(at: index)
    }
    return buttons
  }

  /// The action of the button that Enter presses.
  var answer: Action.Name { buttons.indices.contains(lit) ? buttons[lit].name : .close }

  /// Lights the button above or below. The last one leads out and loses nothing: from the first, the next one above is
  /// the last; from the last, none comes below, since it would be a surprise.
  mutating func light(step: Int) {
    let last = max(0, buttons.count - 1)
    lit = lit + step < 0 ? last : min(lit + step, last)
  }
}
