import Receiver

/// The endpoints of `hoist receive --demo-endpoints`, so that every kind of target can be tried on one machine.
///
/// They are in the program and not in `Examples`: the recipes for them say how to try them with nothing but hoist ("Try
/// it: hoist receive --demo-endpoints"), and the tests of these recipes do just that.
package enum Demonstrations {
  package static func endpoints() -> [any ReceiverEndpoint] {
    [NotesEndpoint(), CatchLogEndpoint(), BookmarksEndpoint(), PresignEndpoint()]
  }
}
