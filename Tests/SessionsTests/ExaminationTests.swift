import Dispatch
import Glibc
import MultipartForm
import Synchronization
import Testing
import UploadModel

@testable import Sessions

@Suite("The files of a folder")
struct ExaminationTests {
  private static func items(_ numbers: Range<Int>) -> [UploadItem] {
    numbers.map { UploadItem(id: ItemID(Int64($0)), location: FileLocation("/folder/\($0)")) }
  }

  @Test(
    "are examined one by one at first, then more at a time, and come in their order",
    arguments: [0, 200])
  func order(_ microseconds: UInt32) {
    var (examination, sizes, seen) = (Examination(), [Int](), [ItemID]())
    while seen.count < 200 {
      sizes.append(examination.count)
      let items = Self.items(seen.count..<seen.count + examination.count)
      seen += examination.examine(items) { item in
        // Long enough for a second thread, and not equally long.
        if microseconds > 0 { usleep(microseconds + UInt32(item.id.rawValue % 3) * 100) }
        return item
      }.map(\.id)
    }
    #expect(sizes.first == 1 && sizes.allSatisfy { (1...64).contains($0) })
    #expect(seen == Self.items(0..<seen.count).map(\.id))
  }

  @Test("are examined one at a time where the first takes a very long time")
  func slowFolder() {
    var examination = Examination()
    _ = examination.examine(Self.items(0..<1)) { item in
      usleep(20_000)
      return item
    }
    #expect(examination.count == 1)
  }

  @Test("are examined two at a time where one takes a long time")
  func sideBySide() {
    var examination = Examination()
    _ = examination.examine(Self.items(0..<1)) { item in
      usleep(1000)
      return item
    }
    // Each waits until the other one is being examined.
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let met = Mutex(0)
    _ = examination.examine(Self.items(1..<3)) { item in
      let isFirst = item.id == ItemID(1)
      (isFirst ? first : second).signal()
      let end = (isFirst ? second : first).wait(timeout: .now() + 60)
      if end == .success { met.withLock { $0 += 1 } }
      return item
    }
    #expect(met.withLock { $0 } == 2)
  }
}
