import UploadModel

/// What is known about servers that accept resumable uploads, from this session or an earlier one.
struct KnownServers {
  private var servers: [Route: ResumeServer] = [:]
  /// Routes already looked up in `memory`. Each is looked up only once, since another process's write can delay a
  /// lookup.
  private var asked: Set<Route> = []
  /// Routes whose server is known only from an earlier session, not confirmed by an upload of this one.
  private var recalled: Set<Route> = []
  private let memory: (any ResumeMemory)?

  init(_ memory: (any ResumeMemory)?) { self.memory = memory }

  mutating func server(on route: Route, of target: Target) -> ResumeServer? {
    if servers[route] == nil, let address = target.memorableAddress, asked.insert(route).inserted,
      let server = memory?.resumeServer(at: address), target.wantsRemembered(server)
    {
      servers[route] = server
      recalled.insert(route)
    }
    return servers[route]
  }

  /// The server as an earlier session found it, if no upload of this one has confirmed that.
  func recalledServer(on route: Route) -> ResumeServer? {
    recalled.contains(route) ? servers[route] : nil
  }

  /// Records that an upload has confirmed or refuted an earlier session's findings. Returns whether it is the first
  /// upload of this session to do so.
  mutating func settle(_ route: Route) -> Bool { recalled.remove(route) != nil }

  /// Assumes something about a server until this session ends.
  mutating func assume(_ server: ResumeServer, on route: Route) { servers[route] = server }

  /// Records findings about a server; nil deletes them. A server elsewhere, where a redirect led, is not remembered for
  /// later sessions, since they start at the redirecting server.
  mutating func record(
    _ server: ResumeServer?, on route: Route, of target: Target, isElsewhere: Bool
  ) {
    servers[route] = server
    guard server == nil || !isElsewhere, target.wantsRemembered(server),
      let address = target.memorableAddress
    else { return }
    memory?.remember(server, at: address)
  }
}

extension Target {
  /// Whether a finding is remembered for later sessions. That a server speaks tus is remembered only if the target leaves
  /// the protocol open.
  fileprivate func wantsRemembered(_ server: ResumeServer?) -> Bool {
    if case .tus? = server { resume.mode == .auto } else { true }
  }

  /// The address under which the server is remembered; nil if there is nothing to find out, or the address is secret.
  fileprivate var memorableAddress: String? {
    guard [.auto, .http].contains(resume.mode), let origin = Origin(url) else { return nil }
    let address = origin.description + url.path
    return secrets.areAbsent(from: address) ? address : nil
  }
}
