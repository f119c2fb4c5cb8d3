import UploadModel

/// Servers repeat what they were sent, in error pages above all. Whatever they say of a token is kept
/// from everybody: what is told ends up on screens, in logs and in the history.
extension BearerToken {
  /// The failure without the token.
  func hidden(in failure: Failure) -> Failure { secrets.hidden(in: failure) }

  /// The state without the token.
  func hidden(in state: ItemState) -> ItemState { secrets.hidden(in: state) }
}
