import UploadModel

// Which machine speaks which protocol. A further protocol is a machine in a file of its own and a row here.

extension ResumeRules.Mode {
  /// The machine that speaks this protocol; nil if the choice depends on the server.
  var machine: (any ResumeMachine.Type)? {
    switch self {
    case .tus: TusMachine.self
    case .http, .off: HTTPResumeMachine.self
    case .auto: nil
    }
  }
}

extension ResumeStart {
  /// The machine that the rules require, or else the one that began the upload, or else the one for the protocol that
  /// the server is known to speak.
  package func machine() throws(Failure.Cause) -> any ResumeMachine {
    if target.resume.pieces != nil { return try PieceMachine(self) }
    if let machine = target.resume.mode.machine ?? point?.machine { return try machine.init(self) }
    return if case .tus? = server { try TusMachine(self) } else { try HTTPResumeMachine(self) }
  }
}

extension ResumePoint {
  /// The only machine that can continue the upload: the one that began it.
  var machine: any ResumeMachine.Type {
    pieces != nil ? PieceMachine.self : mode?.machine ?? TusMachine.self
  }

  /// The request that makes the server forget the upload; nil if there is no such request.
  package func termination(at target: Target, _ values: Template.Values) -> ResumeRequest? {
    machine.termination(of: self, at: target, values)
  }
}
