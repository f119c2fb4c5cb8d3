import Digests
import Foundation
import MultipartForm
import ScalarText

/// The addresses that files were sent to, so that no file overwrites another.
///
/// Reports and the queue store them, since what is sent later continues the session before it: what had arrived there would
/// be overwritten just the same.
package struct SentAddresses: Sendable {
  /// An address and the file that was sent to it. Only hashes are kept, since there may be very many.
  package struct Entry: Hashable, Sendable {
    package let address: UInt64
    package let item: UInt64
    package let inode: UInt64
    package let path: UInt64
    /// The last item that the address is closed to; nil if it is closed to every item but this one.
    package var last: ItemID?

    package init(
      address: UInt64, item: UInt64, inode: UInt64, path: UInt64, last: ItemID? = nil
    ) {
      (self.address, self.item, self.inode, self.path) = (address, item, inode, path)
      self.last = last
    }

    /// Whether both are the same file: listed twice, retried, or written anew at the same path.
    func isSame(as other: Entry) -> Bool {
      item == other.item || path == other.path || inode == other.inode && inode != 0
    }
  }

  private var entries: [UInt64: Entry] = [:]
  /// The files that were refused because they would have overwritten another one, and the items that were refused. Adding
  /// such a file once more does not make it another file.
  private var refused: [Refusal: Set<ItemID>] = [:]

  /// A file, by its path, that was not sent to an address.
  private struct Refusal: Hashable {
    let address: UInt64
    let path: UInt64
  }

  package init() {}

  /// `refused` are the items of the queue that were refused.
  package init(_ entries: [Entry], refused: [(clash: Clash, path: [UInt8], item: ItemID)] = []) {
    self.entries = Dictionary(entries.map { ($0.address, $0) }) { $1 }
    for case (.address(let address), let path, let id) in refused {
      let refusal = Refusal(address: Self.hash(address.utf8), path: Self.hash(path))
      self.refused[refusal, default: []].insert(id)
    }
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// Notes that a file goes to an address, or says why it must not: another file has gone there and would be
  /// overwritten. The same file may go again. The secrets of the target are hidden in what is kept. `isNew` is called
  /// with what is to be stored.
  package mutating func claim(
    _ address: String, for item: UploadItem, of target: Target, hiding secrets: Secrets,
    isNew: (Entry) -> Void = { _ in }
  ) -> Failure.Cause? {
    guard target.protectsAddresses, item.record.ifThere != .replace else { return nil }
    let shown = SecretQuery.hidden(in: secrets.hidden(in: address))
    let clash = Clash.address(shown)
    if item.record.clash == clash { return .clash(clash) }
    let entry = Entry(Self.hash(shown.utf8), item)
    let refusal = Refusal(address: entry.address, path: entry.path)
    if target.ifThere != .replace, let others = refused[refusal], others != [item.id] {
      refused[refusal]?.insert(item.id)
      return .clash(clash)
    }
    guard let other = entries.updateValue(entry, forKey: entry.address) else {
      isNew(entry)
      return nil
    }
    if !other.isSame(as: entry), other.last.map({ item.id <= $0 }) ?? true {
      entries[entry.address] = other
      refused[refusal, default: []].insert(item.id)
      return .clash(clash)
    }
    if other.last != nil || !other.isSame(as: entry) { isNew(entry) }
    return nil
  }

  /// Forgets that items were refused, because they have left the queue.
  package mutating func forget(_ items: some Sequence<ItemID>) {
    guard !refused.isEmpty else { return }
    let gone = Set(items)
    refused = refused.mapValues { $0.subtracting(gone) }.filter { !$0.value.isEmpty }
  }

  /// A hash that is the same in every process.
  fileprivate static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Two are equal if they have the same addresses. Who was refused does not count.
extension SentAddresses: Hashable {
  package static func == (one: SentAddresses, other: SentAddresses) -> Bool {
    one.entries == other.entries
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension SentAddresses.Entry {
  fileprivate init(_ address: UInt64, _ item: UploadItem) {
    self.init(
      address: address,
      item: withUnsafeBytes(of: item.uuid.uuid) { $0.load(as: UInt64.self) },
      // Of two files on different devices, both numbers are rarely the same.
      inode: item.identity.map { $0.inode ^ $0.device << 48 } ?? 0,
      path: SentAddresses.hash(item.location.bytes))
  }
}

extension SentAddresses: Codable {
  package init(from decoder: any Decoder) throws {
    let texts = try [String: [String]](from: decoder)
    self.init(
      try texts.map { address, file in
        let numbers = ([address] + file).compactMap { UInt64($0, radix: 16) }
        guard numbers.count == 4 else {
          throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "no sent address"))
        }
        return Entry(address: numbers[0], item: numbers[1], inode: numbers[2], path: numbers[3])
      })
  }

  package func encode(to encoder: any Encoder) throws {
    let texts = entries.map { address, entry in
      (
        String(address, radix: 16),
        [entry.item, entry.inode, entry.path].map { String($0, radix: 16) }
      )
    }
    try Dictionary(uniqueKeysWithValues: texts).encode(to: encoder)
  }
}

extension Target {
  /// Whether no two files of a session may have the same address.
  package var protectsAddresses: Bool {
    (address != nil || ticket?.uploadURL.isLiteral == false) && method == "PUT" && !takesSameNames
  }
}
