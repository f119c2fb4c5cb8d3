import Foundation
import MultipartForm
import TestSupport
import Testing

@testable import UploadModel
@testable import UploadStore

@Suite("A file that was refused because it would overwrite another one")
struct RefusedAgainTests {
  let harness: StoreHarness

  init() throws { harness = try StoreHarness() }

  @Test("is refused in the next session, too, if it is added once more while it is in the queue")
  func addedAnew() throws {
    var target = Target(name: "nas", url: try #require(URL(string: "http://h/")))
    target.address = try Template("http://h/{file.name}", environment: { _ in nil })
    target.method = "PUT"
    let refusal = ItemState.failed(Failure(.clash(.address("http://h/x"))))
    let files = ["/a/x", "/b/x"].map { UploadItem(id: ItemID(0), location: FileLocation($0)) }
    let store = try harness.open()
    let queued = try store.enqueue(files)
    _ = try store.begin(queued.map(\.id))
    try store.record([(queued[0].id, .done(Receipt(status: 201))), (queued[1].id, refusal)])
    let anew = try store.enqueue([UploadItem(id: ItemID(0), location: files[1].location)])[0]
    func isRefused() throws -> Bool {
      var sent = try harness.open().sentAddresses()
      return sent.claim("http://h/x", for: anew, of: target, hiding: Secrets([])) != nil
    }
    #expect(try isRefused())
    target.ifThere = .replace
    #expect(try !isRefused())
    target.ifThere = .skip
    #expect(try isRefused())
    try store.remove([queued[1].id])
    #expect(try !isRefused())
  }
}
