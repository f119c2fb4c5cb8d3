import Scheduling
import Synchronization
import UploadEngine
import UploadModel

/// Keeps nothing of a queue but what the process itself needs. Whatever holds the items forgets them when they end.
package final class MemoryStore: QueueStore {
  package let isLasting = false
  package let memory: (any ResumeMemory & DigestMemory)?
  package let addresses: SentAddresses
  private let runs: Mutex<[String: RunPoint]>

  /// - Parameters:
  ///   - memory: remembers servers and files beyond this process; nil if nothing does.
  ///   - addresses: the addresses that files were sent to before.
  ///   - runs: the runs that an earlier process has left open, by target.
  package init(
    memory: (any ResumeMemory & DigestMemory)?, addresses: SentAddresses, runs: [String: RunPoint]
  ) {
    (self.memory, self.addresses) = (memory, addresses)
    self.runs = Mutex(runs)
  }

  /// What was known last of a target's run, even if it is over; nil if a secret was in it.
  package func run(of target: String) -> RunPoint? { runs.withLock { $0[target] } }

  package func write(_ turn: QueueTurn, then: @escaping @Sendable (Set<ItemID>?) -> Void) {
    then(Set(turn.claims))
  }

  package func claimsAhead(ofRequestsTaking seconds: Double) -> Int { 1 }

  package func keep(_ point: ResumePoint?, of id: ItemID) {}

  package func keepRun(_ point: RunPoint?, of target: String) -> Bool {
    if let point { runs.withLock { $0[target] = point } }
    return true
  }

  package func record(_ news: RunNews, of target: String) {}

  package func hasUnsent(_ target: String) -> Bool { false }

  package func keep(_ address: SentAddresses.Entry) {}
}
