import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import UploadStore

@Suite("Digests of files that have not changed are remembered")
struct DigestTests {
  private func stamp(inode: UInt64, modified: Int128 = 7, changed: Int64 = 9) -> FileStamp {
    FileStamp(
      identity: FileIdentity(device: .max, inode: inode, size: 10, modified: modified),
      changed: changed)
  }

  @Test("until anything about the file changes")
  func memory() throws {
    let harness = try StoreHarness()
    let store = try harness.open()
    let digests = ContentDigests([.sha1: "aa", .sha256: "bb"])
    store.remember(digests, of: stamp(inode: .max))
    _ = try store.enqueue([item("a")])
    let later = try harness.open()
    #expect(later.digests(of: stamp(inode: .max)) == digests)
    #expect(later.digests(of: stamp(inode: .max, modified: 8)) == nil)
    #expect(later.digests(of: stamp(inode: .max, changed: 8)) == nil)
    #expect(later.digests(of: stamp(inode: 1)) == nil)
    later.remember(ContentDigests([.sha1: "cc"]), of: stamp(inode: .max, changed: 10))
    _ = try later.enqueue([item("b")])
    #expect(store.digests(of: stamp(inode: .max, changed: 10)) == ContentDigests([.sha1: "cc"]))
  }

  @Test("many of them are written although nothing else is")
  func many() throws {
    let harness = try StoreHarness()
    let store = try harness.open()
    for inode in 0..<UInt64(1024) {
      store.remember(ContentDigests([.md5: "\(inode)"]), of: stamp(inode: inode))
    }
    let later = try harness.open()
    #expect(later.digests(of: stamp(inode: 1023))?[.md5] == "1023")
  }
}
