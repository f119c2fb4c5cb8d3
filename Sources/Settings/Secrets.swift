import Commands
import Foundation
import ScalarText
import UploadModel

/// The configuration's `[secrets]`: names for values that come from the environment, a file or a command. Each value is
/// read once, when a target that needs it is used.
struct Secrets: Sendable {
  enum Source {
    case environment(String)
    case file(String)
    case command(Command)
  }

  let sources: [String: Source]

  static let none = Secrets(sources: [:])

  static func read(_ node: ConfigNode, _ paths: FilePath) throws(ConfigError) -> Secrets {
    var sources: [String: Source] = [:]
    for (name, node) in try node.entries() {
      guard TOMLText.isBare(name) else {
        throw node.fault("a secret's name may contain only letters, digits, \"_\" and \"-\"")
      }
      sources[name] = try source(node, paths)
    }
    return Secrets(sources: sources)
  }

  private static func source(_ node: ConfigNode, _ paths: FilePath) throws(ConfigError) -> Source {
    let wanted = "expected { env = … }, { file = … } or { command = [ … ] }"
    guard case .table = node.value else {
      throw node.fault("\(wanted); the secret itself does not belong here")
    }
    let entries = try node.table(["env", "file", "command", "timeout"])
    guard ["env", "file", "command"].count(where: { entries[$0] != nil }) == 1 else {
      throw node.fault(wanted)
    }
    try entries.refuse(
      "timeout", "\"timeout\" works only with \"command\"", if: entries["command"] == nil)
    if let node = entries["env"] {
      let variable = try node.fixed()
      guard !variable.isEmpty else { throw node.fault("expected the name of a variable") }
      return .environment(variable)
    }
    if let node = entries["file"] {
      let path = try node.foreign()
      guard !path.isEmpty else { throw node.fault("expected a path") }
      return .file(paths.absolute(path))
    }
    guard let node = entries["command"] else { throw node.fault(wanted) }
    let timeout = try entries["timeout"]?.seconds(in: 0.1...600) ?? 10
    try checkWords(node)
    return .command(Command(try node.strings(), timeout: timeout))
  }

  /// Checks only that the node is an array of strings and that the first one, the program, is not empty.
  static func checkWords(_ node: ConfigNode) throws(ConfigError) {
    guard case .array = node.value else {
      throw node.fault(
        "expected an array of the program and its arguments, since no shell splits a string")
    }
    let words = try node.array().map { (word) throws(ConfigError) in try word.string() }
    guard words.first?.isEmpty == false else { throw node.fault("expected a program to run") }
  }

  func value(of name: String, environment: [String: String]) throws(InvalidInput) -> String {
    func failure(_ text: String) -> InvalidInput { InvalidInput("the secret \"\(name)\": \(text)") }
    let data: Data
    switch try source(of: name) {
    case .environment(let variable):
      guard let value = environment[variable] else {
        throw failure("the environment variable \(variable) is not set")
      }
      guard !value.isEmpty else { throw failure("it is empty") }
      return value
    case .file(let path):
      do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
        throw failure("\(path) cannot be read: \(Settings.reason(for: error))")
      }
    case .command(let command):
      do throws(Command.Failure) { data = try command.run() } catch {
        throw failure(error.description)
      }
    }
    guard data.count <= 64 * 1024, let text = String(validating: data, as: UTF8.self) else {
      throw failure("it is not UTF-8 text of at most 64 KiB")
    }
    // Editors and programs add line breaks at the end.
    let end = text.unicodeScalars.lastIndex { !$0.isLineBreak }
    guard let end else { throw failure("it is empty") }
    return String(text.unicodeScalars[...end])
  }

  func source(of name: String) throws(InvalidInput) -> Source {
    if let source = sources[name] { return source }
    let hint =
      NearestName.of(name, among: Array(sources.keys)).map { "did you mean \"\($0)\"?" }
      ?? (sources.isEmpty
        ? "the configuration has no [secrets]"
        : "the secrets are: \(sources.keys.sorted().joined(separator: ", "))")
    throw InvalidInput("there is no secret called \"\(name)\"; \(hint)")
  }
}
