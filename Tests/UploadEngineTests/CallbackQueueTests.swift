import Dispatch
import Foundation
import Synchronization
import Testing

@testable import UploadEngine

@Suite(.timeLimit(.minutes(5)))
struct CallbackQueueTests {
  /// From several threads, and from inside: everything runs once, on the queue, each thread's in order.
  @Test func callbacksRunInOrderOnTheQueue() async {
    let target = DispatchQueue(label: "test")
    let queue = CallbackQueue(target)
    let seen = Mutex<[Int: [Int]]>([:])
    let (threads, each) = (4, 2000)
    await withCheckedContinuation { continuation in
      let left = Mutex(threads * each * 2)
      for thread in 0..<threads {
        Thread.detachNewThread {
          for number in 0..<each {
            queue.addOperation {
              dispatchPrecondition(condition: .onQueue(target))
              seen.withLock { $0[thread, default: []].append(number) }
              queue.addOperation {
                seen.withLock { $0[threads + thread, default: []].append(number) }
                if left.withLock({
                  $0 -= 1; return $0
                }) == 0 {
                  continuation.resume()
                }
              }
              if left.withLock({
                $0 -= 1; return $0
              }) == 0 {
                continuation.resume()
              }
            }
          }
        }
      }
    }
    let result = seen.withLock { $0 }
    #expect(result.count == threads * 2)
    #expect(result.values.allSatisfy { $0 == Array(0..<each) })
  }
}
