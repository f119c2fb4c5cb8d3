import UploadModel

extension ItemState {
  /// What a person calls a state.
  package enum Kind: Sendable {
    case waiting, sending, retrying, paused, sent, unknown, failed
  }

  /// The kind of this state. Doubtful items count as sent.
  package var kind: Kind {
    switch self {
    case .waiting: .waiting
    case .preparing, .sending, .awaitingReply, .processing: .sending
    case .retrying: .retrying
    case .paused: .paused
    case .done: .sent
    case .failed(let failure): failure.isOutcomeUnknown ? .unknown : .failed
    }
  }
}
