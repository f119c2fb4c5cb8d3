import Dispatch

/// The queues on which a session does what the main queue must not wait for. They are serial: what is asked for first
/// comes first, and serial queues do not use Dispatch's global pool.
struct SideQueues {
  /// Finds files, in the order of requests, and reads the queue. A folder may take a long time.
  let intake = DispatchQueue(label: "hoist.intake", qos: .userInitiated)
  /// Answers keys and orders, even while files are still being found.
  let answers = DispatchQueue(label: "hoist.answers", qos: .userInitiated)
}
