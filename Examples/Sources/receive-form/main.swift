// Takes forms apart with swift-nio while they arrive, and stores their files:
//
//   receive-form FOLDER [PORT]

import Foundation
import MultipartForm
import NIOCore
import NIOHTTP1
import NIOPosix

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  FileHandle.standardError.write(Data("usage: receive-form FOLDER [PORT]\n".utf8))
  exit(2)
}
let folder = URL(filePath: arguments[1])
let port = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
  .bind(host: "127.0.0.1", port: port) { channel in
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.configureHTTPServerPipeline()
      return try Connection(wrappingChannelSynchronously: channel)
    }
  }
print("http://127.0.0.1:\(server.channel.localAddress?.port ?? 0)/")
fflush(nil)

try await server.executeThenClose { connections in
  try await withThrowingDiscardingTaskGroup { group in
    for try await connection in connections {
      group.addTask {
        do {
          try await connection.executeThenClose { inbound, outbound in
            try await answer(inbound, outbound)
          }
        } catch {
          print("a connection broke: \(error)")
        }
      }
    }
  }
}

/// Answers one request, and leaves the connection to be closed.
func answer(
  _ inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>,
  _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
) async throws {
  var parts = inbound.makeAsyncIterator()
  guard case .head(let head)? = try await parts.next() else { return }
  var status = HTTPResponseStatus.ok
  var words: String
  do {
    let boundary = try Boundary(contentType: head.headers["content-type"].first ?? "")
    words = try await store(RequestBuffers(parts: parts), boundary: boundary)
  } catch let error as FormError {
    (status, words) = (.unsupportedMediaType, "\(error)\n")
  } catch FormReadError.form(let error) {
    (status, words) = (.badRequest, "\(error)\n")
  }
  let fields = HTTPHeaders([("Content-Length", "\(words.utf8.count)"), ("Connection", "close")])
  try await outbound.write(.head(.init(version: .http1_1, status: status, headers: fields)))
  try await outbound.write(.body(.byteBuffer(ByteBuffer(string: words))))
  try await outbound.write(.end(nil))
}

/// Stores the files of a form, and says what came in it.
func store(_ body: RequestBuffers, boundary: Boundary) async throws -> String {
  let limits = FormLimits(parts: 100, fileBytes: 1 << 30)
  var words = ""
  for try await part in body.formParts(boundary: boundary, limits: limits) {
    guard let fileName = part.header.fileName else {
      words += "\(part.header.name): \(try await part.text(atMost: 10_000))\n"
      continue
    }
    // A stranger's file name is no path: these files are called by their number.
    let place = folder.appending(path: "file-\(part.header.index)")
    _ = FileManager.default.createFile(atPath: place.path, contents: nil)
    let file = try FileHandle(forWritingTo: place)
    defer { try? file.close() }
    var count = 0
    // As long as the disk takes, nothing more is read from the network.
    for try await bytes in part.content {
      try file.write(contentsOf: bytes)
      count += bytes.count
    }
    words += "\(part.header.name): \(fileName), \(count) bytes\n"
  }
  return words
}

/// The buffers of one request's body.
struct RequestBuffers: AsyncSequence {
  let parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

  struct AsyncIterator: AsyncIteratorProtocol {
    var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

    mutating func next() async throws -> ByteBufferView? {
      guard case .body(let buffer)? = try await parts.next() else { return nil }
      return buffer.readableBytesView
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts) }
}
