import Foundation
import Synchronization
import TestSupport
import UploadEngine

@testable import ProcessContext
@testable import hoist

/// Commands that are run within the tests' own process. They are the same in every way but three: they get the signals
/// that the test hands in, a terminal only where the test opens one, and the folder that they work in is the whole
/// process's, so one is run after the other.
extension Person {
  /// Runs `hoist` with these arguments to its end.
  ///
  /// - Parameters:
  ///   - input: what it finds on standard input.
  ///   - variables: what its environment has beside the person's own.
  ///   - time: the clocks that it goes by.
  ///   - signals: the signals that it gets.
  func run(
    _ arguments: [String], input: [UInt8] = [], variables: [String: String] = [:],
    time: TimeSource = .system, signals: AsyncStream<Int32>? = nil
  ) async throws -> Program.Outcome {
    let files = try ScratchDirectory()
    let descriptors = try ["in", "out", "err"].map { name in
      let path = try files.write(name, name == "in" ? input : [])
      let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC)
      guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      return descriptor
    }
    defer { descriptors.forEach { close($0) } }
    let context = Context(
      arguments: arguments,
      output: Output(results: descriptors[1], errors: descriptors[2]),
      input: Input(descriptors[0]), environment: environment.merging(variables) { $1 },
      time: time, signals: { _ in signals.map { Signals($0) } ?? Signals([]) },
      exit: { fatalError("a command in the tests' process ends it with \($0)") })
    let status = try await WorkingFolder.shared.with(folder.path) {
      await Main.run(in: context)
    }
    func text(_ name: String) throws -> String {
      String(decoding: try bytes(files.path(name)), as: UTF8.self)
    }
    return try Program.Outcome(status: status, output: text("out"), errors: text("err"))
  }

  /// Runs `hoist` with these arguments to its end.
  func run(_ arguments: String...) async throws -> Program.Outcome { try await run(arguments) }
}

/// The folder that this process works in, lent to one after the other.
private actor WorkingFolder {
  static let shared = WorkingFolder()
  private var isLent = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func with<Result: Sendable>(
    _ path: String, _ body: @Sendable () async -> Result
  ) async throws -> Result {
    if isLent { await withCheckedContinuation { waiting.append($0) } }
    isLent = true
    let before = FileManager.default.currentDirectoryPath
    defer {
      chdir(before)
      if waiting.isEmpty { isLent = false } else { waiting.removeFirst().resume() }
    }
    guard chdir(path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return await body()
  }
}
