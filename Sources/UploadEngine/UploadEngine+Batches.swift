import Crypto
import Foundation
import UploadModel

/// Several files in one request: who goes with whom.
extension UploadEngine {
  /// Files that go together and with nobody else: so that a request that is repeated is the same one,
  /// and a half of one that was refused stays a half.
  struct Company {
    /// What `{uuid}` stands for in their request.
    let key: UUID
    let members: [ItemID]

    /// The key of files that go together: always the same for the same files in the same order, also
    /// after a crash, so that the server knows the repetition. A file alone is known by its own.
    static func key(of members: [UUID]) -> UUID {
      if members.count == 1 { return members[0] }
      var hash = SHA256()
      for member in members { withUnsafeBytes(of: member.uuid) { hash.update(bufferPointer: $0) } }
      var bytes = Array(hash.finalize().prefix(16))
      // Of the kind whose making is one's own (RFC 9562 §5.8).
      bytes[6] = bytes[6] & 0x0F | 0x80
      bytes[8] = bytes[8] & 0x3F | 0x80
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
  }

  /// How far down the line companions are looked for.
  private static let lookAhead = 1000

  /// The files that go in one request with `id`, whose turn it is. They are on its lane from now on.
  func batch(ledBy id: ItemID) -> [ItemID] {
    guard let job = jobs[id], let rule = job.upload.target.batch else { return [id] }
    if let members = gather(job.company) {
      for member in members { lanes.join(member, to: id) }
      return members
    }
    // A server that may not be there is probed with one file.
    let isInDoubt = origin(of: id).map { gates[$0] != nil } ?? false
    guard !isInDoubt, let first = candidate(id) else { return [id] }
    let others = lanes.waiting.prefix(Self.lookAhead).lazy.compactMap { self.candidate($0) }
    let members = Batch.plan(first, before: others, by: rule)
    for member in members { lanes.join(member, to: id) }
    if members.count > 1 { settle([members]) }
    return members
  }

  /// Has files go together from now on.
  func settle(_ companies: [[ItemID]]) {
    for members in companies {
      let company = Company(
        key: Company.key(of: members.compactMap { jobs[$0]?.upload.item.uuid }), members: members)
      for member in members { jobs[member]?.company = company }
    }
  }

  /// The members of a company, all of them in line, or nil: then there is no such company any more.
  private func gather(_ company: Company?) -> [ItemID]? {
    guard let company else { return nil }
    let members = company.members.filter { jobs[$0]?.company?.key == company.key }
    let isWhole = members.count == company.members.count && members.allSatisfy(isAvailable)
    guard isWhole else {
      for member in members { jobs[member]?.company = nil }
      return nil
    }
    for member in members where jobs[member]?.machine.state == .retrying {
      // Their timers fire at the same moment, and one has to be the first.
      handle(.timerFired, for: member)
    }
    for member in members {
      leaveDoor(member)
      leaveGate(member, wasInLine: false)
    }
    return members
  }

  private func isAvailable(_ id: ItemID) -> Bool {
    switch jobs[id]?.machine.state {
    case .waiting, .retrying: true
    case .running, .paused, .finished, nil: false
    }
  }

  private func candidate(_ id: ItemID) -> Batch.Candidate? {
    guard let job = jobs[id] else { return nil }
    return Batch.Candidate(
      id: id, bytes: job.upload.item.size,
      kind: Batch.Kind(
        target: job.upload.destination, field: job.upload.item.field,
        attempts: job.machine.attempts,
        isTaken: job.company != nil))
  }
}
