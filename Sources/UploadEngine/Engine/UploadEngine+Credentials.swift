import Foundation
import UploadModel

/// Credentials: which ones a request carries, and what its result tells about them.
extension UploadEngine {
  /// The credentials that a request carries.
  struct Authorization: Sendable {
    let route: Route
    /// The token that it carried, and the token's number.
    let token: BearerToken?
    let number: Int
    /// Where it went.
    let origin: Origin?
    /// Whether it carried the credentials for the target's own origin.
    let showsCredentials: Bool
    let items: [ItemID]
  }

  /// The current credentials of the uploads' route, for a request to an origin.
  ///
  /// - Parameter keepsCredentials: false if another origin has chosen where the request goes.
  func authorization(
    of items: [ItemID], to origin: Origin?, keepsCredentials: Bool = true
  ) -> Authorization? {
    guard let first = items.first, let route = jobs[first]?.route else { return nil }
    return Authorization(
      route: route, token: tokens[route], number: scheduler.token(on: route), origin: origin,
      showsCredentials: keepsCredentials && origin == route.origin, items: items)
  }

  /// Works out what the result of a request says about its credentials.
  func judgeCredentials(
    of authorization: Authorization, _ end: TransferEnd, to target: Target
  ) -> Credentials.Consequence {
    let route = authorization.route
    // A reply to a request without credentials says nothing about them.
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

  /// Sends uploads again with a newer token.
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
    let refused = tokens[route]
    Thread.detachNewThread { [weak self, tokenSource] in
      let result = Result { () throws(BearerToken.Missing) in
        try tokenSource.token(of: command, insteadOf: refused)
      }
      self?.onQueue { $0.handle(result, for: route) }
    }
  }

  private func handle(
    _ result: Result<(token: BearerToken, isNew: Bool), BearerToken.Missing>, for route: Route
  ) {
    switch result {
    case .success(let (token, isNew)):
      tokens[route] = token
      if !isNew {
        // Others had it before, so it may have expired too, and the uploads may need another one.
        for (id, job) in jobs where job.route == route { jobs[id]?.wasAuthorizedAgain = false }
      }
      perform(scheduler.recordRenewed(route, isNew: isNew))
    case .failure(let missing):
      tokens[route] = nil
      perform(scheduler.recordRenewalFailure(route, Failure(.denied(missing.reason))))
    }
    fillSoon()
  }
}
