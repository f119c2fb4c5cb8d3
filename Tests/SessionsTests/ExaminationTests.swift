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

  @Test("are examined one by one at first, then more at a time, and come in their order")
  func order() {
    var (examination, sizes, seen) = (Examination(), [Int](), [ItemID]())
    while seen.count < 100 {
      sizes.append(examination.count)
      let items = Self.items(seen.count..<seen.count + examination.count)
      seen += examination.examine(items) { item in
        // Long enough for a second thread, and not equally long.
        usleep(UInt32(200 + item.id.rawValue % 3 * 100))
        return item
      }.map(\.id)
    }
    #expect(sizes.prefix(6) == [1, 2, 4, 8, 16, 16])
    #expect(seen == Self.items(0..<seen.count).map(\.id))
  }

  @Test("are examined two at a time where one takes long")
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
