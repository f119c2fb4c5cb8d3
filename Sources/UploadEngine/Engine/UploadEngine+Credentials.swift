import Dispatch
import UploadModel

/// Credentials: which ones a request carries, and what its result tells about them.
extension UploadEngine {
  /// The credentials that a request goes with.
  struct Authorization: Sendable {
    let route: Route
    /// The token that it went with, and its number.
    let token: BearerToken?
    let number: Int
    /// Whom it went to.
    let origin: Origin?
    /// Whether it carried what the target's own origin knows us by.
    let showsCredentials: Bool
    let items: [ItemID]
  }

  /// The credentials for a request with these uploads to an origin: those that their route has now.
  ///
  /// - Parameter keepsCredentials: whether no other origin has chosen where it goes.
  func authorization(
    of items: [ItemID], to origin: Origin?, keepsCredentials: Bool = true
  ) -> Authorization? {
    guard let first = items.first, let route = jobs[first]?.route else { return nil }
    return Authorization(
      route: route, token: tokens[route], number: scheduler.token(on: route), origin: origin,
      showsCredentials: keepsCredentials && origin == route.origin, items: items)
  }

  /// Evaluates what the result of a request tells about its credentials.
  func judgeCredentials(
    of authorization: Authorization, _ end: TransferEnd, to target: Target
  ) -> Credentials.Consequence {
    let route = authorization.route
    // A reply to what was sent without credentials tells nothing about them.
    guard let status = end.status, authorization.showsCredentials else { return .stands }
    if (200..<300).contains(status) {
      perform(
        scheduler.recordAccepted(
          on: route, with: authorization.number, hasCommand: target.tokenCommand != nil))
    }
    guard status == 401 || status == 403 else { return .stands }
    let failure = Failure(
      deniedCause(for: target, on: route) ?? .refused, status: status, reply: end.reply)
    let (consequence, actions) = scheduler.recordRefused(
      on: route, with: authorization.number, status: status,
      isSecondTime: authorization.items.contains { jobs[$0]?.wasAuthorizedAgain == true },
      command: target.tokenCommand, authorization.token?.secrets.hidden(in: failure) ?? failure)
    perform(actions)
    return consequence
  }

  /// Has uploads go again with a newer token.
  func authorize(again items: [ItemID]) {
    for id in items { jobs[id]?.wasAuthorizedAgain = true }
    handle(items.map { ($0, .startOver) })
  }

  /// The cause of a refusal that persists after the token was renewed.
  func deniedCause(for target: Target, on route: Route) -> Failure.Cause? {
    guard let command = target.tokenCommand, tokens[route] != nil else { return nil }
    return .denied("also with a new token from \(command.name)")
  }

  func renew(_ route: Route, with command: TokenCommand) {
    DispatchQueue.global(qos: .userInitiated).async { [weak self] in
      let result = Result { () throws(BearerToken.Missing) in try BearerToken(command) }
      self?.onQueue { $0.handle(result, for: route) }
    }
  }

  private func handle(_ result: Result<BearerToken, BearerToken.Missing>, for route: Route) {
    switch result {
    case .success(let token):
      tokens[route] = token
      perform(scheduler.recordRenewed(route))
    case .failure(let missing):
      tokens[route] = nil
      perform(scheduler.recordRenewalFailure(route, Failure(.denied(missing.reason))))
    }
    fillSoon()
  }
}
