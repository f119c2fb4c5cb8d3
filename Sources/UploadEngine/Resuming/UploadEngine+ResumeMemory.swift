import UploadModel

/// What is known of servers that take resumable uploads, from this run or an earlier one.
extension UploadEngine {
  func server(of job: Job) -> ResumeServer? {
    if resumeServers[job.route] == nil, let address = job.upload.target.memorableAddress,
      askedMemory.insert(job.route).inserted, let server = memory?.resumeServer(at: address),
      job.upload.target.wantsRemembered(server)
    {
      resumeServers[job.route] = server
      recalled.insert(job.route)
    }
    return resumeServers[job.route]
  }

  func learn(_ server: ResumeServer?, of job: Job) {
    resumeServers[job.route] = server
    let target = job.upload.target
    // What was found out where a redirect led is not kept for the server that it came from.
    if server != nil, case .running(let run) = job.machine.state, run.redirects > 0 { return }
    guard target.wantsRemembered(server), let address = target.memorableAddress else { return }
    memory?.remember(server, at: address)
  }

  /// Restarts an attempt with what is now known.
  func startAgain(_ conversation: Conversation, _ job: Job) {
    converse(
      about: job.upload, at: conversation.url, attempt: conversation.attempt,
      keepsCredentials: conversation.keepsCredentials)
  }
}

extension Target {
  /// Whether later runs should know this. If the target says which protocol the server speaks, only a failure of that
  /// protocol is worth remembering.
  fileprivate func wantsRemembered(_ server: ResumeServer?) -> Bool {
    resume.mode == .auto || server == .usual
  }

  /// The address that its server is remembered by; nil if there is nothing to find out, or the address is secret.
  fileprivate var memorableAddress: String? {
    guard [.auto, .http].contains(resume.mode), let origin = Origin(url) else { return nil }
    let address = origin.description + url.path
    return secrets.hidden(in: address) == address ? address : nil
  }
}
