import Receiver

/// What `hoist receive` speaks besides uploads, so that every kind of target can be tried on one machine.
/// The recipes in `config/recipes` are tested against it.
public enum Demonstrations {
  /// New endpoints, for one receiver.
  public static func endpoints() -> [any ReceiverEndpoint] {
    [NotesEndpoint(), CatchLogEndpoint(), BookmarksEndpoint(), PresignEndpoint()]
  }
}
