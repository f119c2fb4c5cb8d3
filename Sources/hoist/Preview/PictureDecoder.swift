import Commands
import Foundation
import MultipartForm
import ScalarText
import Screens

/// Scales pictures down with whichever suitable program this machine has.
struct PictureDecoder {
  /// The programs that were found, with their paths, in order of preference.
  private let programs: [(kind: Program, path: String)]

  private enum Program: String, CaseIterable {
    case magick, convert, gm, ffmpeg
  }

  /// How long a program may take, in seconds.
  var patience = 3.0
  /// How many pixels a picture may have: a small file can claim any number.
  private static let mostPoints = 100_000_000
  /// Characters in file names that have a special meaning to these programs.
  private static let special = Set("*?[]{}%@:|<>\\\"".unicodeScalars)

  init(environment: [String: String]) {
    let folders = (environment["PATH"] ?? "").split(scalar: ":", omittingEmptySubsequences: true)
    programs = Program.allCases.compactMap { program in
      folders.lazy.map { "\($0)/\(program.rawValue)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
        .map { (program, $0) }
    }
  }

  /// A picture that fits into `room`, whose cells show two pixels each; nil if no program can make one.
  func picture(
    at location: FileLocation, _ header: PictureHeader, in room: Size, isCancelled: () -> Bool
  ) -> FilePreview.Picture? {
    guard let path = String(validating: location.bytes, as: UTF8.self),
      path.hasPrefix(scalars: "/"),
      !path.unicodeScalars.contains(where: { Self.special.contains($0) || $0.value < 0x20 }),
      header.width <= Self.mostPoints / header.height
    else { return nil }
    let (width, height) = Self.size(of: header, in: room)
    for program in programs {
      let words = Self.arguments(of: program.kind, path, header.format, width, height)
      let command = Command(
        [program.path] + words, timeout: patience, mostOutput: width * height * 3 + 1)
      do throws(Command.Failure) {
        let bytes = try command.run(isCancelled: isCancelled)
        if bytes.count == width * height * 3 {
          return FilePreview.Picture(width: width, bytes: Array(bytes))
        }
      } catch {
        // After a timeout, do not try another program: it would take just as long.
        switch error {
        case .cancelled, .timeout: return nil
        case .notStarted, .status, .signal, .tooMuchOutput: continue
        }
      }
    }
    return nil
  }

  /// The largest size that fits, with the aspect ratio kept; a cell is twice as high as it is wide.
  static func size(of header: PictureHeader, in room: Size) -> (width: Int, height: Int) {
    let (most, highest) = (max(1, room.width), max(2, 2 * room.height))
    let scale = min(1, Double(most) / Double(header.width), Double(highest) / Double(header.height))
    func scaled(_ length: Int, _ most: Int) -> Int {
      min(most, max(1, Int((Double(length) * scale).rounded())))
    }
    return (scaled(header.width, most), scaled(header.height, highest))
  }

  private static func arguments(
    of program: Program, _ path: String, _ format: PictureHeader.Format, _ width: Int, _ height: Int
  ) -> [String] {
    let kind = format.rawValue.lowercased()
    // Name the format, so that the program cannot take the content for another format, such as a script.
    let scaled = [
      "-limit", "memory", "256MiB", "-limit", "map", "512MiB", "-limit", "disk", "0",
      "\(kind):\(path)[0]", "-thumbnail", "\(width)x\(height)!",
    ]
    let raw = ["-depth", "8", "rgb:-"]
    switch program {
    case .magick, .convert: return scaled + ["-background", "black", "-flatten"] + raw
    case .gm: return ["convert"] + scaled + raw
    case .ffmpeg:
      return [
        "-v", "error", "-nostdin", "-protocol_whitelist", "file", "-f",
        format == .gif ? "gif" : "\(kind)_pipe", "-i", "file:\(path)", "-frames:v", "1", "-vf",
        "scale=\(width):\(height)", "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
      ]
    }
  }
}
