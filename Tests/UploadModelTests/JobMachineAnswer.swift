import UploadModel

/// What the machine wants done, and the states that it reports.
enum JobMachineAnswer: Hashable, Sendable {
  case breakOff
  case ask(String, seconds: Int)
  case timer(seconds: Int)
  case waiting, preparing(Int), underWay, processing, paused
  /// Failures are named by their codes.
  case retrying(String, next: Int, of: Int?, at: Int)
  case failed(String, attempts: Int)
  case done(attempts: Int)

  init(_ action: JobMachine.Action) {
    switch action {
    case .breakOff: self = .breakOff
    case .ask(let url, let seconds): self = .ask(url.path, seconds: Int(seconds))
    case .startTimer(let seconds): self = .timer(seconds: Int(seconds))
    case .report(let state): self.init(state)
    }
  }

  private init(_ state: ItemState) {
    switch state {
    case .waiting: self = .waiting
    case .preparing(let attempt): self = .preparing(attempt)
    case .sending, .awaitingReply: self = .underWay
    case .processing: self = .processing
    case .retrying(let failure, let next, let all, let instant):
      self = .retrying(failure.code, next: next, of: all, at: Int(instant.seconds))
    case .paused: self = .paused
    case .done(let receipt): self = .done(attempts: receipt.attempts)
    case .failed(let failure): self = .failed(failure.code, attempts: failure.attempts)
    }
  }
}
