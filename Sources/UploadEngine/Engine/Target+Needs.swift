import UploadModel

extension Target {
  /// The needs of each upload to a target, besides its own request.
  struct Needs {
    /// Whether anything must be found out or made before the request.
    let preparation: Bool
    /// Whether requests follow that create records or confirm the delivery.
    let records: Bool
    /// Whether there is anything to do before the first file or after the last one.
    let run: Bool
    /// Whether files can resume.
    let resuming: Bool
    /// Whether each file is sent in a single request of its own, which can be prepared ahead.
    let oneRequestForEachFile: Bool
    /// What must be hidden in addresses that are kept; empty if none are.
    let secrets: Secrets

    init(_ target: Target) {
      secrets = target.protectsAddresses ? target.secrets : Secrets([])
      preparation =
        target.prepare != nil || target.exists != nil || target.ticket != nil
        || !target.digests.isEmpty || target.signsContent
      records = target.server.create != nil || target.ticket?.confirmation != nil
      (run, resuming) = (target.run.isOn, target.resume.isOn)
      // A signature would become stale while its request waits.
      oneRequestForEachFile =
        !preparation && !records && !run && target.sigV4 == nil && target.batch == nil && !resuming
    }
  }
}
