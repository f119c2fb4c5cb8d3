import Receiver

/// What `hoist receive` offers besides plain uploads, so that every kind of target can be tried on one machine.
/// The recipes in `config/recipes` are tested against it.
package enum Demonstrations {
  /// New endpoints for one receiver.
  package static func endpoints() -> [any ReceiverEndpoint] {
    [NotesEndpoint(), CatchLogEndpoint(), BookmarksEndpoint(), PresignEndpoint()]
  }
}
