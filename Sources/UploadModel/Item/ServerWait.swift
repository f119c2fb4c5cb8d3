import Foundation

/// The wait that a server has asked for, as the queue keeps it for the next process that sends.
package struct ServerWait: Hashable, Sendable {
  /// The server's address: `Origin.description`.
  package var address: String
  /// When the wait is over.
  package var until: Date
  /// The failure with which the server has asked for it.
  package var failure: Failure

  package init(address: String, until: Date, failure: Failure) {
    (self.address, self.until, self.failure) = (address, until, failure)
  }
}
