import Receiver

/// The endpoints of `hoist receive --demo-endpoints`, so that every kind of target can be tried on one machine. The
/// recipes for these endpoints are tested against them.
package enum Demonstrations {
  package static func endpoints() -> [any ReceiverEndpoint] {
    [NotesEndpoint(), CatchLogEndpoint(), BookmarksEndpoint(), PresignEndpoint()]
  }
}
