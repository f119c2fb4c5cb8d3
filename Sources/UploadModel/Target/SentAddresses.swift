import Digests
import Foundation
import MultipartForm
import ScalarText

/// The addresses that files were sent to, so that no file overwrites another.
///
/// A report stores them, since a retry belongs to the run before it: what had arrived there would be overwritten just
/// the same.
package struct SentAddresses: Hashable, Sendable {
  /// A file that has an address. Only hashes are kept, since there may be very many.
  fileprivate struct File: Hashable, Sendable {
    let item: UInt64
    let inode: UInt64
    let path: UInt64

    /// Whether both are the same file: listed twice, retried, or written anew at the same path.
    func isSame(as other: File) -> Bool {
      item == other.item || path == other.path || inode == other.inode && inode != 0
    }
  }

  private var files: [UInt64: File] = [:]

  package init() {}

  package var isEmpty: Bool { files.isEmpty }

  /// Notes that a file goes to an address, or says why it must not: another file has gone there and would be
  /// overwritten. The same file may go again. The secrets of the target are hidden in what is kept.
  package mutating func claim(
    _ address: String, for item: UploadItem, of target: Target, hiding secrets: Secrets
  ) -> Failure.Cause? {
    guard target.protectsAddresses else { return nil }
    let shown = SecretQuery.hidden(in: secrets.hidden(in: address))
    let clash = Clash.address(shown)
    if item.record.clash == clash { return .clash(clash) }
    let place = Self.hash(shown.utf8)
    let file = File(item)
    if let other = files[place], !file.isSame(as: other) { return .clash(clash) }
    files[place] = file
    return nil
  }

  /// A hash that is the same in every process.
  fileprivate static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension SentAddresses.File {
  fileprivate init(_ item: UploadItem) {
    self.item = withUnsafeBytes(of: item.uuid.uuid) { $0.load(as: UInt64.self) }
    // Of two files on different devices, both numbers are rarely the same.
    inode = item.identity.map { $0.inode ^ $0.device << 48 } ?? 0
    path = SentAddresses.hash(item.location.bytes)
  }
}

extension SentAddresses: Codable {
  package init(from decoder: any Decoder) throws {
    let texts = try [String: [String]](from: decoder)
    for (address, file) in texts {
      let numbers = ([address] + file).map { UInt64($0, radix: 16) }
      guard numbers.count == 4, let address = numbers[0], let item = numbers[1],
        let inode = numbers[2], let path = numbers[3]
      else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no sent address"))
      }
      files[address] = File(item: item, inode: inode, path: path)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let texts = files.map { address, file in
      (
        String(address, radix: 16),
        [file.item, file.inode, file.path].map { String($0, radix: 16) }
      )
    }
    try Dictionary(uniqueKeysWithValues: texts).encode(to: encoder)
  }
}

extension Target {
  /// Whether no two files of a run may have the same address.
  package var protectsAddresses: Bool {
    (address != nil || ticket?.uploadURL.isLiteral == false) && method == "PUT" && !takesSameNames
  }
}
