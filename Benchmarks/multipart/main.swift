import Foundation
import MultipartForm

// The measurements behind Benchmarks/multipart.sh:
//
//   multipart-bench body   FILE BOUNDARY         write a body with the file in it to standard output
//   multipart-bench encode FILE ROUNDS           such a body's reader beside a plain pread loop
//   multipart-bench search BODY BOUNDARY ROUNDS  the parser beside memmem over the same bytes
//   multipart-bench parse  BODY BOUNDARY         the parser alone: prints bytes and seconds
//
// Rounds alternate between the two, after one round that is not counted.

let chunk = 64 << 10

func seconds(_ work: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(work)
  return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Prints the median throughputs, and the median of the ratios of neighbours in time.
func compare(
  _ bytes: Int, _ rounds: Int, _ name: String, _ work: () throws -> Void,
  beside otherName: String, _ other: () throws -> Void
) rethrows {
  var pairs: [(Double, Double)] = []
  for round in 0...rounds {
    let pair = (try seconds(work), try seconds(other))
    if round > 0 { pairs.append(pair) }
  }
  let rate = { (time: Double) in String(format: "%.2f GB/s", Double(bytes) / time / 1e9) }
  let ratio = median(pairs.map { $0.1 / $0.0 })
  print(
    "\(name) \(rate(median(pairs.map(\.0)))), \(otherName) \(rate(median(pairs.map(\.1)))),",
    "ratio \(String(format: "%.2f", ratio))")
}

func form(_ file: String, _ boundary: Boundary) -> FormData {
  FormData(parts: [.file(name: "file", at: FileLocation(file))], boundary: boundary)
}

func withBuffer<Result>(
  _ body: (UnsafeMutableRawBufferPointer) throws -> Result
) rethrows -> Result {
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 4096)
  defer { buffer.deallocate() }
  return try body(buffer)
}

func encode(_ body: FormBody, _ take: (UnsafeRawBufferPointer) -> Void) throws {
  let reader = body.makeReader()
  try withBuffer { buffer in
    while case let count = try reader.read(into: buffer), count > 0 {
      take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

func readPlainly(_ file: String) -> Int {
  let descriptor = open(file, O_RDONLY)
  defer { close(descriptor) }
  var total = 0
  withBuffer { buffer in
    while case let count = pread(descriptor, buffer.baseAddress, chunk, off_t(total)), count > 0 {
      total += count
    }
  }
  return total
}

/// Glibc has it, Swift's module map of Glibc does not show it.
typealias Memmem =
  @convention(c) (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> UnsafeRawPointer?

func search(_ body: Data, _ delimiter: [UInt8]) -> Int {
  guard let symbol = dlsym(nil, "memmem") else { return 0 }
  let memmem = unsafeBitCast(symbol, to: Memmem.self)
  var found = 0
  body.withUnsafeBytes { body in
    for start in stride(from: 0, to: body.count, by: chunk) {
      let piece = body[start..<min(start + chunk, body.count)]
      var rest = UnsafeRawBufferPointer(rebasing: piece)
      while let hit = memmem(rest.baseAddress, rest.count, delimiter, delimiter.count),
        let base = rest.baseAddress
      {
        found += 1
        rest = UnsafeRawBufferPointer(rebasing: rest[(hit - base + delimiter.count)...])
      }
    }
  }
  return found
}

func parse(_ body: Data, _ boundary: Boundary) throws -> Int {
  var parser = FormParser(
    boundary: boundary, limits: FormLimits(parts: .max, fieldBytes: .max, allFieldBytes: .max))
  var content = 0
  try body.withUnsafeBytes { body in
    for start in stride(from: 0, to: body.count, by: chunk) {
      let piece = body[start..<min(start + chunk, body.count)]
      try parser.push(UnsafeRawBufferPointer(rebasing: piece)) { event in
        if case .content(let bytes) = event { content += bytes.count }
      }
    }
  }
  try parser.finish()
  return content
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  print("usage: multipart-bench body|encode|search|parse FILE …, see main.swift")
  exit(64)
}
let file = arguments[2]

switch arguments[1] {
case "body":
  try encode(try FormBody(form(file, try Boundary(arguments[3])))) { piece in
    FileHandle.standardOutput.write(Data(piece))
  }
case "encode":
  let body = try FormBody(form(file, .random()))
  try compare(
    Int(body.contentLength), Int(arguments[3]) ?? 5,
    "encode", { try encode(body) { _ in } }, beside: "pread", { _ = readPlainly(file) })
case "search":
  let body = try Data(contentsOf: URL(filePath: file))
  let boundary = try Boundary(arguments[3])
  let delimiter = Array("\r\n--\(boundary)".utf8)
  try compare(
    body.count, Int(arguments.last ?? "") ?? 5,
    "parse", { _ = try parse(body, boundary) }, beside: "memmem", { _ = search(body, delimiter) })
case "parse":
  let body = try Data(contentsOf: URL(filePath: file))
  let boundary = try Boundary(arguments[3])
  print(body.count, try seconds { _ = try parse(body, boundary) })
default:
  print("unknown measurement \(arguments[1])")
  exit(64)
}
