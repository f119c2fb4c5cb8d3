import Foundation
import MultipartForm
import MultipartOracle
import TestSupport

/// A form made by chance, and what a receiver should find in it.
struct RandomForm {
  struct Expected {
    var name: String
    var fileName: String?
    var contentType: String?
    var content: [UInt8]
  }

  /// Files of several sizes, made once for many forms.
  struct Files {
    let directory: ScratchDirectory
    let all: [(location: FileLocation, content: [UInt8])]

    init(seed: UInt64) throws {
      let scratch = try ScratchDirectory()
      var random = SplitMix64(seed: seed)
      directory = scratch
      all = try [0, 1, 2, 100, 4095, 4096, 4097, 20_000].map { size in
        let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        return (FileLocation(try scratch.write("\(size) ə.bin", content)), content)
      }
    }
  }

  private(set) var form: FormData
  private(set) var expected: [Expected] = []

  /// - Parameter plainNames: only names that every parser in the world reads alike.
  init(files: Files, plainNames: Bool = false, using random: inout SplitMix64) throws {
    form = FormData(parts: [], boundary: try Self.boundary(using: &random))
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      let name = Self.name(plain: plainNames, using: &random)
      // As it stands between the quotes; see `EncodingTests` for the rules spelled out.
      let written = Oracle.escaped(Self.normalized(name))
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let value = Self.text(near: form.boundary, using: &random)
        form.parts.append(.text(name: name, value: value))
        let content = Array(Self.normalized(value).utf8)
        expected.append(Expected(name: written, content: content))
      case 1:
        let bytes = Self.content(near: form.boundary, using: &random)
        form.parts.append(.data(name: name, contentType: "application/json", bytes: bytes))
        expected.append(Expected(name: written, contentType: "application/json", content: bytes))
      case 2:
        let bytes = Self.content(near: form.boundary, using: &random)
        let fileName = Self.name(plain: plainNames, using: &random)
        form.parts.append(.data(name: name, fileName: fileName, bytes: bytes))
        expected.append(
          Expected(
            name: written, fileName: Oracle.escaped(fileName),
            contentType: "application/octet-stream", content: bytes))
      default:
        let index = Int.random(in: files.all.indices, using: &random)
        let (location, content) = files.all[index]
        let lower = Int.random(in: 0...content.count, using: &random)
        let upper = Int.random(in: lower...content.count, using: &random)
        let whole = Bool.random(using: &random)
        form.parts.append(
          .file(
            name: name, at: location, contentType: "image/png",
            range: whole ? nil : Int64(lower)..<Int64(upper)))
        expected.append(
          Expected(
            name: written, fileName: location.lastComponent, contentType: "image/png",
            content: whole ? content : Array(content[lower..<upper])))
      }
    }
  }

  private static func boundary(using random: inout SplitMix64) throws -> Boundary {
    let bytes = Array("-----ABCabc019'()+_,./:=?".utf8)
    let length = Int.random(in: 1...70, using: &random)
    // Not shorter than what look-alikes of content could hit by chance, and still the edge cases.
    let text = (0..<max(length, 8)).map { _ in bytes.randomElement(using: &random) ?? 0x2D }
    return try Boundary(String(decoding: text, as: UTF8.self))
  }

  private static let scalars = [
    "a", "B", "7", " ", ".", "-", "_", "ə", "💩", "'", ";", "=", ",", "&", "e\u{301}",
  ]
  private static let awkward = ["\"", "\\", "%", "%22", "\r", "\n", "\r\n", "\t", "/", "*", "\\\""]

  private static func name(plain: Bool, using random: inout SplitMix64) -> String {
    let pieces = plain ? scalars : scalars + awkward
    let inner = (0..<Int.random(in: 0...8, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
    // Some parsers take an empty name for none, and some trim.
    return plain ? "x\(inner)x" : inner
  }

  private static func normalized(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let previous = index > 0 ? scalars[index - 1] : nil
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      if scalar == "\n", previous != "\r" { result.append("\r") }
      result.append(scalar)
      if scalar == "\r", next != "\n" { result.append("\n") }
    }
    return String(result)
  }

  private static func text(near boundary: Boundary, using random: inout SplitMix64) -> String {
    (0..<Int.random(in: 0...10, using: &random)).map { _ in
      (scalars + awkward + ["--", "\r\n--", "\(boundary.text.dropLast())!"])
        .randomElement(using: &random) ?? ""
    }.joined()
  }

  /// Random bytes with many starts of the delimiter between them, and never all of it.
  private static func content(
    near boundary: Boundary, using random: inout SplitMix64
  ) -> [UInt8] {
    let delimiter = Array("\r\n--\(boundary.text)".utf8)
    return (0..<Int.random(in: 0...6, using: &random)).flatMap { _ -> [UInt8] in
      switch Int.random(in: 0..<3, using: &random) {
      case 0: Array(delimiter.prefix(Int.random(in: 0..<delimiter.count, using: &random))) + [0]
      case 1: Array(repeating: 0x0D, count: Int.random(in: 0...3, using: &random))
      default:
        (0..<Int.random(in: 0...200, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      }
    }
  }
}
