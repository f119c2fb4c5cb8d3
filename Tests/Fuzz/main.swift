import Foundation
import MultipartOracle
import TestSupport

// The fuzzer for toolchains without libFuzzer: mutates the corpus with a fixed seed.
//
//   multipart-fuzz <executions> <seed> <corpus directory>

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 3, let executions = Int(arguments[1]), let seed = UInt64(arguments[2])
else {
  print("usage: multipart-fuzz <executions> <seed> <corpus directory>")
  exit(64)
}

let directory = arguments[3]
let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
let corpus = try names.map { [UInt8](try Data(contentsOf: URL(filePath: "\(directory)/\($0)"))) }
let tokens = [
  "--B", "\r\n--B", "\r\n--B\r\n", "\r\n--B--", "\r\n--B--\r\n", "\r\n", "\r\n\r\n", "\r", "\n",
  "Content-Disposition: form-data; name=\"a\"\r\n\r\n", "; filename=\"f\"", "\\\"", "\"", ";",
  "Content-Type: a/b\r\n", "\r\n ", "%22", "filename*=UTF-8''%41", "\0", "\r\n--x-y", "--",
]
var mutator = Mutator(corpus: corpus, tokens: tokens, seed: seed)
let start = Date()
for _ in 0..<executions { Oracle.check(mutator.next()) }
print(
  "\(executions) executions, seed \(seed), \(Int(Date().timeIntervalSince(start))) s: no failure")
