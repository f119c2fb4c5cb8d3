import ScalarText
import UploadModel

extension ItemState {
  /// The state for people.
  package var phrase: String {
    isDoubtful ? "doubtful" : word.replacing(scalars: "-", with: " ")
  }

  /// One word for lists and scripts.
  package var word: String {
    switch self {
    case .waiting, .retrying: "waiting"
    case .preparing, .sending: "sending"
    case .awaitingReply: "awaiting-reply"
    case .processing: "processing"
    case .paused: "paused"
    case .done: "done"
    case .failed(let failure) where failure.isNotTried: "not-tried"
    case .failed(let failure): failure.isOutcomeUnknown ? "unknown" : "failed"
    }
  }
}
