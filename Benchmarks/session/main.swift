import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What plain URLSession needs for many small uploads: no queue, no history, no retries, no report, and
// nothing done about libcurl underneath. It tells whose share of hoist's distance to curl is whose.
//
//   session-bench URL LANES FILE…

/// Sends file after file, the next one whenever one is done.
final class Sender: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // Unchecked: all of it is touched on the delegate's queue alone, which runs one block at a time.
  private let url: URL
  private var files: ArraySlice<String>
  private var open = 0
  private let done: @Sendable () -> Void

  init(_ url: URL, _ files: ArraySlice<String>, _ done: @escaping @Sendable () -> Void) {
    self.url = url
    self.files = files
    self.done = done
  }

  func start(on session: URLSession) {
    guard let file = files.popFirst() else { return open == 0 ? done() : () }
    var body = Data(
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n".utf8)
    guard let contents = FileManager.default.contents(atPath: file) else {
      print("\(file) cannot be read")
      exit(1)
    }
    body += contents
    body += Data("\r\n--b--\r\n".utf8)
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("multipart/form-data; boundary=b", forHTTPHeaderField: "Content-Type")
    request.httpBody = body
    open += 1
    session.dataTask(with: request).resume()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard error == nil, (task.response as? HTTPURLResponse)?.statusCode == 200 else {
      print("\(error.map { "\($0)" } ?? "\(String(describing: task.response))")")
      exit(1)
    }
    open -= 1
    start(on: session)
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 3, let url = URL(string: arguments[1]), let lanes = Int(arguments[2]) else {
  print("usage: session-bench URL LANES FILE…")
  exit(2)
}
let sender = Sender(url, arguments[3...]) { exit(0) }
let queue = OperationQueue()
queue.maxConcurrentOperationCount = 1
let session = URLSession(configuration: .ephemeral, delegate: sender, delegateQueue: queue)
queue.addOperation { for _ in 0..<lanes { sender.start(on: session) } }
dispatchMain()
