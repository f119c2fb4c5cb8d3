// Sends a file with async-http-client, without holding it in memory:
//
//   send-async URL FILE

import AsyncHTTPClient
import Foundation
import MultipartForm
import NIOCore

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: send-async URL FILE\n".utf8))
  exit(2)
}

let body = try FormBody(
  FormData(parts: [.file(name: "photo", at: FileLocation(arguments[2]))]))
var request = HTTPClientRequest(url: arguments[1])
request.method = .POST
request.headers.add(name: "Content-Type", value: body.contentType)
request.body = .stream(
  body.chunks().map { ByteBuffer(bytes: $0) }, length: .known(body.contentLength))

let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
let reply = try await response.body.collect(upTo: 1 << 20)
print(String(buffer: reply), terminator: "")
guard response.status == .ok else { exit(1) }
