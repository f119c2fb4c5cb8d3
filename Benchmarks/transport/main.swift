import Foundation
import FoundationNetworking
import HTTPTransport
import Synchronization

// What the transport costs by itself: no queue, no history, no engine. It tells whose share of hoist's
// distance to curl is whose.
//
//   transport-bench small URL LANES FILE…   sends each file as it is, LANES at once
//   transport-bench cancel [TIMES]          cancels one of four running uploads, again and again

/// A file in memory as a body.
func body(of path: String) -> MemoryBody {
  guard let contents = FileManager.default.contents(atPath: path) else {
    print("\(path) cannot be read")
    exit(1)
  }
  return MemoryBody(contents)
}

/// A gibibyte that costs nothing.
struct Zeros: ExchangeBody {
  let length: Int64 = 1 << 30
  func makeReader() -> any ExchangeBodyReader { Reader() }

  private final class Reader: ExchangeBodyReader {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return buffer.count
    }
  }
}

/// Hears of a task's first progress and of its end.
final class Listener: NSObject, UploadTaskDelegate {
  private let begun: @Sendable () -> Void
  private let ended: @Sendable (ExchangeEnd) -> Void
  private let hasBegun = Mutex(false)

  init(
    begun: @escaping @Sendable () -> Void = {}, ended: @escaping @Sendable (ExchangeEnd) -> Void
  ) {
    (self.begun, self.ended) = (begun, ended)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst { begun() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let task = task as? UploadTask { ended(task.end) }
  }
}

func send(_ files: ArraySlice<String>, to url: URL, lanes: Int) {
  let left = Mutex(files)
  let done = DispatchSemaphore(value: 0)
  let queue = DispatchQueue(label: "transport-bench")
  @Sendable func next() {
    guard let file = left.withLock({ $0.popFirst() }) else {
      done.signal()
      return
    }
    let request = ExchangeRequest(
      url: url, method: "POST", headers: [("Content-Type", "application/octet-stream")],
      body: body(of: file))
    let listener = Listener { end in
      guard end.head?.status == 200 else {
        print("\(end)")
        exit(1)
      }
      queue.async { next() }
    }
    UploadSession.shared.task(request, delegate: listener).resume()
  }
  queue.sync { for _ in 0..<lanes { next() } }
  for _ in 0..<lanes { done.wait() }
}

/// Measures the time from the call to the end that is told, and to the close that the server sees.
func cancel(times: Int) throws {
  var told: [Double] = []
  var seen: [Double] = []
  for _ in 0..<times {
    let sink = try Sink()
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let tasks = (0..<4).map { _ in
      UploadSession.shared.task(
        ExchangeRequest(url: sink.url, method: "POST", body: Zeros()),
        delegate: Listener(begun: { begun.signal() }, ended: { _ in ended.signal() }))
    }
    for task in tasks { task.resume() }
    for _ in tasks { begun.wait() }
    let start = DispatchTime.now().uptimeNanoseconds
    tasks[0].cancel()
    ended.wait()
    told.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
    seen.append(Double(sink.firstClose() - start) / 1e6)
    for task in tasks.dropFirst() { task.cancel() }
    for _ in tasks.dropFirst() { ended.wait() }
  }
  print("cancel of one of four running uploads, \(times) times")
  for (title, times) in [("told", told.sorted()), ("closed, as the server sees it", seen.sorted())]
  {
    let median = String(format: "%.1f", times[times.count / 2])
    print(
      "  \(title): median \(median) ms, most \(String(format: "%.1f", times[times.count - 1])) ms")
  }
}

let arguments = CommandLine.arguments
if arguments.count > 4, arguments[1] == "small", let url = URL(string: arguments[2]),
  let lanes = Int(arguments[3])
{
  send(arguments[4...], to: url, lanes: lanes)
} else if arguments.count > 1, arguments[1] == "cancel" {
  try cancel(times: arguments.count > 2 ? Int(arguments[2]) ?? 20 : 20)
} else {
  print("usage: transport-bench small URL LANES FILE… | cancel [TIMES]")
  exit(2)
}
