import Foundation
import ScalarText

/// The folders on the way to a file on its server, by the file's address.
package struct FolderPath: Hashable, Sendable {
  package struct Folder: Hashable, Sendable {
    /// The folder's address, which ends with a slash.
    package let address: String
    /// The folder as a person knows it: its path below the part of the address that all files share, or its whole path if
    /// it belongs to that part.
    package let name: String
  }

  /// The folders from the outermost to the one that the file is in.
  package let folders: [Folder]
  /// How many of them are on the way to every file of the target.
  package let common: Int

  /// The folders in the path of an address. Those of `start`, which is the same for all files of the target, are the
  /// common ones. Nil if there are no folders.
  init?(of address: URL, from start: URL) {
    let (text, path) = Self.split(address)
    var (folders, names) = ([Folder](), [[UInt8]]())
    let common = Self.split(start).path.split(separator: Self.slash).folderCount(in: start)
    var end = path.startIndex
    while let slash = path[end...].firstIndex(of: Self.slash) {
      if slash > end {
        names.append(PercentEncoding.decode(path[end..<slash]))
        let isCommon = names.count <= common
        let shown = isCommon ? names[...] : names[common...]
        let name = String(rawBytes: Array(shown.joined(separator: [Self.slash])))
        folders.append(
          Folder(
            address: String(decoding: text[..<path.index(after: slash)], as: UTF8.self),
            name: isCommon ? "/\(name)" : name))
      }
      end = path.index(after: slash)
    }
    guard !folders.isEmpty else { return nil }
    (self.folders, self.common) = (folders, min(common, folders.count))
  }

  /// The folders to make, as far as they are missing: those that are not on the way to every file, or else the innermost.
  package var indices: Range<Int> { min(common, folders.count - 1)..<folders.count }

  private static let slash = UInt8(ascii: "/")

  /// An address without its query, and the part of it that is the path.
  private static func split(_ url: URL) -> (text: ArraySlice<UInt8>, path: ArraySlice<UInt8>) {
    let text = Array(url.absoluteString.utf8).prefix { $0 != UInt8(ascii: "?") }
    let slashes = text.indices.filter { text[$0] == slash }
    return (text, slashes.count < 3 ? [] : text[slashes[2]...])
  }
}

extension [ArraySlice<UInt8>] {
  /// How many of these names in a URL's path are folders.
  fileprivate func folderCount(in url: URL) -> Int {
    url.hasDirectoryPath ? count : Swift.max(0, count - 1)
  }
}

extension SendPlan {
  /// The folders on the way to a file; nil if the target makes none, or the file has no valid address.
  package func folders(with values: Template.Values) -> FolderPath? {
    guard target.folders != nil,
      let address = URL(written: address(with: values).written, relativeTo: target.url)
    else { return nil }
    return FolderPath(of: address.absoluteURL, from: target.url)
  }
}

extension Target {
  /// Whether there may be folders in the paths of its files' addresses.
  package var mayHaveFolders: Bool {
    let pieces = address?.pieces ?? [.text(url.absoluteString)]
    let sample = pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .secret, .derived: "a"
      case .slot(let slot, let writing):
        slot.placeholder == .filePath || writing.filters.contains(where: \.isDate) ? "a/b" : "a"
      }
    }.joined()
    return URL(written: sample).flatMap { FolderPath(of: $0, from: url) } != nil
  }
}
