import UploadModel

/// A question that is answered with one of a few buttons.
struct Question: Sendable {
  enum Subject: Sendable {
    /// `canFinish`: whether anything is left to finish before quitting.
    case quitting(AppState.Background, canFinish: Bool)
    /// Everything is to be paused, and what is being sent would start again from its first byte.
    case pausing
    /// These are to be paused, and some of them would start again from their first byte.
    case breakingOff([ItemID])
    /// These items are to be removed, `active` of which were being sent when the question was asked.
    case removing(Set<ItemID>, active: Int, mayHaveArrived: Bool)
    case deleting([ServerEntry])
    /// These were uploaded, and the server gave the addresses that delete them.
    case deletingUploaded([UploadedFile])
    /// The target of this name is to be removed from the configuration.
    case deletingTarget(String)
    /// This is why a target does not seem to take uploads, and it may be written all the same.
    case keepingTarget(String)
    /// These files were left out and may still be added.
    case addingAgain(LeftOut)
    /// These are to be sent again, and some of them may have arrived.
    case sendingAgain([ItemID])
    /// These of the history are to be sent again, and some of them may have arrived.
    case queueingAgain([HistoryRow])
  }

  let subject: Subject
  /// The button that Enter presses.
  var lit = 0

  init(_ subject: Subject) {
    self.subject = subject
    // Nothing brings back what is deleted on the server, and what is sent twice is there twice. So the safe
    // answer is preselected.
    if [.deleting, .deletingTarget, .keepingTarget, .addingAgain, .sendingAgain].contains(mode) {
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
    case .sendingAgain, .queueingAgain: .sendingAgain
    }
  }

  /// The mode's actions that have a hint, which labels the button.
  var buttons: [Action] {
    var buttons = Action.inMode(mode).filter { $0.hint != nil }
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

  /// The button that is pressed with Enter.
  var answer: Action.Name { buttons.indices.contains(lit) ? buttons[lit].name : .close }

  mutating func light(step: Int) {
    lit = (lit + step + buttons.count) % max(1, buttons.count)
  }
}
