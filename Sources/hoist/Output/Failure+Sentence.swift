import UploadModel

extension Failure {
  /// What happened to a request that is not an upload, in one sentence without its full stop.
  var sentence: String {
    switch cause {
    case .rejected(let why), .unusable(let why), .unsendable(let why), .insecure(let why),
      .network(let why), .connectionRefused(let why), .unreachable(let why, _),
      .proxyUnreachable(let why), .connectionLost(let why), .outcomeUnknown(let why):
      "\(headline): \(why)"
    default: reply.message.map { "\(headline): \($0)" } ?? headline
    }
  }
}

extension UserError {
  init(_ failure: Failure, doing: String) {
    self.init("\(doing): \(SafeText.line(failure.sentence))", status: .someFailed)
  }
}
