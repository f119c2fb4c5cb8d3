import TestSupport
import Testing
import UploadModel

@testable import hoist

@Suite struct SharedProgressTests {
  @Test func othersSeeHowFarAFileIs() throws {
    let folder = try ScratchDirectory()
    var sender = SharedProgress(queue: folder.path("queue"))
    let onlooker = SharedProgress(queue: folder.path("queue"))
    #expect(onlooker.read() == [:])
    func send(_ sent: Int64, at seconds: Double) {
      sender.record(
        [(ItemID(7), .sending(attempt: 2, sent: sent, total: 100))], at: Instant(seconds: seconds))
    }
    send(10, at: 100)
    #expect(onlooker.read() == [ItemID(7): SharedProgress.Entry(attempt: 2, sent: 10)])
    // Once a second is enough.
    send(20, at: 100.5)
    #expect(onlooker.read()[ItemID(7)]?.sent == 10)
    send(30, at: 101.1)
    #expect(onlooker.read()[ItemID(7)]?.sent == 30)
    sender.record([(ItemID(7), .done(Receipt(status: 201)))], at: Instant(seconds: 101.2))
    #expect(onlooker.read() == [:])
  }

  @Test(arguments: ["", "1 1 5\n", "1 1 5\nen", "x y z\nend\n", "1 2\nend\n"])
  func whatIsCutOffOrOddSaysNothing(_ text: String) {
    #expect(SharedProgress.entries(in: text) == [:])
  }
}
