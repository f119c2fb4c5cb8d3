import Testing
import UploadModel

@testable import Resuming

@Suite("How much of an upload goes into one request")
struct RequestSizeTests {
  @Test(
    "the least of what target and server allow, but no fewer than the server's minimum",
    arguments: [
      (nil, nil, .max), (500, nil, 500), (nil, ResumeLimits(append: 300), 300),
      (500, ResumeLimits(append: 300), 300), (200, ResumeLimits(append: 300), 200),
      (200, ResumeLimits(append: 300, least: 250), 250), (nil, ResumeLimits(append: 0), 1),
      (nil, ResumeLimits(size: 10), .max),
    ] as [(Int64?, ResumeLimits?, Int64)])
  func most(chunk: Int64?, limits: ResumeLimits?, most: Int64) {
    #expect(RequestSize(chunk: chunk, limits: limits).mostContent == most)
  }

  @Test(
    "a hundred tiny requests are made, and not more",
    arguments: [
      (ResumeLimits(append: 1), 100, false), (ResumeLimits(append: 1), 101, true),
      (ResumeLimits(append: 0), 1, true), (ResumeLimits(append: 0), 0, false),
      (ResumeLimits(append: 16 << 10), 1 << 40, false), (ResumeLimits(), 1 << 40, false),
      (ResumeLimits(append: 1, least: 16 << 10), 1 << 40, false),
    ] as [(ResumeLimits, Int64, Bool)])
  func tiny(limits: ResumeLimits, rest: Int64, isTooSmall: Bool) {
    #expect(RequestSize(chunk: nil, limits: limits).isTooSmall(for: rest) == isTooSmall)
  }

  @Test("after a refusal, half as much, until no sensible size is left")
  func halves() {
    var size = RequestSize(chunk: nil, limits: nil)
    var (sent, sizes) = (Int64(100 << 10), [Int64]())
    while size.shrink(below: sent), sizes.count < 10 {
      sent = size.mostContent
      sizes.append(sent >> 10)
    }
    #expect(sizes == [50, 25])
  }

  @Test("what the server says that it takes comes before halves")
  func announced() {
    var size = RequestSize(chunk: nil, limits: ResumeLimits(append: 40 << 10))
    var isSensible = size.shrink(below: 100 << 10)
    #expect(isSensible && size.mostContent == 40 << 10)
    isSensible = size.shrink(below: 40 << 10)
    #expect(isSensible && size.mostContent == 20 << 10, "it refuses that, too")
  }

  @Test("a server that wants at least what it refuses gets no less")
  func minimum() {
    var size = RequestSize(chunk: nil, limits: ResumeLimits(append: 64 << 10, least: 64 << 10))
    let isSensible = size.shrink(below: 64 << 10)
    #expect(!isSensible)
  }
}
