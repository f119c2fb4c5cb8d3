import UploadModel

/// What servers of resumable uploads have said of themselves, in this run or in one before.
extension UploadEngine {
  func server(of job: Job) -> ResumeServer? {
    if resumeServers[job.route] == nil, let address = job.upload.target.memorableAddress,
      let server = memory?.resumeServer(at: address)
    {
      resumeServers[job.route] = server
      recalled.insert(job.route)
    }
    return resumeServers[job.route]
  }

  func learn(_ server: ResumeServer?, of job: Job) {
    resumeServers[job.route] = server
    if let address = job.upload.target.memorableAddress { memory?.remember(server, at: address) }
  }

  /// Begins an attempt again with what is known by now.
  func startAgain(_ conversation: Conversation, _ job: Job) {
    converse(
      about: job.upload, at: conversation.url, attempt: conversation.attempt,
      keepsCredentials: conversation.keepsCredentials)
  }
}

extension Target {
  /// What its server is remembered by; nil where nothing is to be found out, or the address is a secret.
  fileprivate var memorableAddress: String? {
    guard resume.mode == .auto, let origin = Origin(url) else { return nil }
    let address = origin.description + url.path
    return secrets.hidden(in: address) == address ? address : nil
  }
}

extension TransferEnd {
  /// Whether the server does not do what was expected of it.
  var isRefusal: Bool {
    if case .unresumable = trouble { return true }
    return status.map((400..<500).contains) ?? false
  }
}
