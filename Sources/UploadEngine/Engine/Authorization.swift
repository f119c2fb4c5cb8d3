import UploadModel

/// The credentials that a request carries.
struct Authorization: Sendable {
  /// How the files were to be sent when the request was made.
  let plan: SendPlan
  var route: Route { plan.route }
  /// The token of the route, and the token's number.
  let token: BearerToken?
  let number: Int
  /// Where the request goes.
  let origin: Origin?
  /// Whether the request carries the target's own credentials.
  let showsCredentials: Bool
  /// Gives new tokens, if the target has such a command.
  let command: TokenCommand?
  let items: [ItemID]

  /// What to do about an upload whose attempt does not count: send it again when its server can be reached, or with
  /// newer credentials.
  enum Restart {
    /// Once the server can be reached, which it cannot be, for this reason.
    case wait(Failure.Cause)
    /// With another token, or with the credentials that its target has been given meanwhile. The refusal is how the
    /// upload has failed if there will be no other attempt.
    case authorize(Failure)
  }
}
