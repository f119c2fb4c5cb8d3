import Scheduling
import UploadEngine
import UploadModel

/// Where a queue is kept. The engine's work is noted here before anyone else sees it.
package protocol QueueStore: AnyObject, Sendable {
  /// Whether what is not sent is kept for the next process. Then each file is claimed before it is sent.
  var isLasting: Bool { get }
  /// Remembers the protocols that servers speak, and the digests of files.
  var memory: (any ResumeMemory & DigestMemory)? { get }
  /// The addresses that files were sent to before.
  var addresses: SentAddresses { get }
  /// What servers have asked for, and is not over.
  var waits: [ServerWait] { get }
  /// Notes what a turn of the engine has brought, after those before it, and then calls `then`:
  /// `EngineHooks.admission`.
  func write(_ turn: QueueTurn, then: @escaping @Sendable (Set<ItemID>?) -> Void)
  /// How many requests may be claimed ahead of each lane: `EngineHooks.claimsAhead`.
  func claimsAhead(ofRequestsTaking seconds: Double) -> Int
  /// Notes where an upload can resume: `EngineHooks.keeping`.
  func keep(_ point: ResumePoint?, of id: ItemID)
  /// Notes what is known of a run: `EngineHooks.keepingRun`.
  func keepRun(_ point: RunPoint?, of target: String) -> Bool
  /// Notes how a run ended.
  func record(_ news: RunNews, of target: String)
  /// Whether a file for a target has failed before it could be sent: `EngineHooks.hasUnsent`.
  func hasUnsent(_ target: String) -> Bool
  /// Notes an address that a file is about to be sent to: `EngineHooks.keepingAddress`.
  func keep(_ address: SentAddresses.Entry)
}

extension QueueStore {
  package var waits: [ServerWait] { [] }
}
