import ArgumentParser
import Foundation
import Settings
import UploadEngine
import UploadModel

/// `hoist trust`.
struct TrustCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Show a server's certificate and, after a yes, pin its key in the configuration.",
    discussion: """
      For servers with a certificate that nobody has signed. Compare the fingerprint with what the \
      server's owner says before you say yes. From then on only the holder of that key is trusted, \
      for that target only.

      The pin goes into the target that has this address, or into a new one. Everything else in the \
      file stays as it is.
      """)

  @Argument(
    help: ArgumentHelp(
      "An https URL, or the name of a target in the configuration.", valueName: "url-or-target"))
  var server: String

  @Option(
    name: .long,
    help: ArgumentHelp("The target that gets the pin; made if it is not there.", valueName: "name"))
  var target: String?

  @Flag(name: .long, help: "Do not ask. For scripts that know the fingerprint some other way.")
  var yes = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The configuration file. Usually ~/.config/hoist/config.toml.", valueName: "file"))
  var config: String?

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    let file = config ?? Settings.usualPath(environment: environment)
    let isThere = FileManager.default.fileExists(atPath: file)
    let settings =
      isThere
      ? try Settings.load(path: file, environment: environment)
      : Settings.none(environment: environment)
    let url = try address(settings)
    let name = try targetName(for: url, settings)
    if let known = settings.blueprint(of: name), Origin(known.url) != Origin(url) {
      throw UserError(
        "--target: \(name) is for \(Origin(known.url)?.description ?? ""), not \(url)")
    }

    let certificate: ServerCertificate
    do {
      certificate = try ServerCertificate.of(url)
    } catch {
      throw UserError(
        "cannot look at \(url): \(SafeText.line(error.description))", status: .someFailed)
    }
    show(certificate, of: url)
    if settings.blueprint(of: name)?.tls.pin == certificate.pin {
      Output.error("This key is pinned for \(name) already.")
      return
    }
    if let old = settings.blueprint(of: name)?.tls.pin {
      Output.error("It takes the place of the pin \(old).")
    }
    try agree("Pin this key for the target \(name) in \(file)?")

    let text = isThere ? try read(file) : ""
    do {
      let edit = PinEdit(of: text, file: file, environment: environment)
      try write(try edit.writing(certificate.pin, to: name, at: url), to: file)
    } catch let mistake as PinEdit.Mistake {
      throw UserError(mistake.description)
    }
    Output.error("Pinned. Upload with --to \(name)")
  }

  // MARK: What is meant

  private func address(_ settings: Settings) throws -> URL {
    let url =
      if let known = settings.blueprint(of: server) {
        known.url
      } else {
        try settings.target(server).url
      }
    guard url.scheme?.lowercased() == "https" else {
      throw UserError("\(url) is not an https URL: there is no certificate to look at")
    }
    return url
  }

  private func targetName(for url: URL, _ settings: Settings) throws -> String {
    if let target { return target }
    if settings.targetNames.contains(server) { return server }
    let origin = Origin(url)
    let same = settings.targetNames.filter {
      settings.blueprint(of: $0).flatMap { Origin($0.url) } == origin
    }
    guard same.count <= 1 else {
      throw UserError(
        "several targets have this address; say --target with one of "
          + same.joined(separator: ", "))
    }
    if let only = same.first { return only }
    let host = url.host ?? "server"
    let free = [host] + (2...100).map { "\(host)-\($0)" }
    return free.first { !settings.targetNames.contains($0) } ?? host
  }

  // MARK: Talk

  private func show(_ seen: ServerCertificate, of url: URL) {
    let certificate = seen.certificate
    let rows = [
      ("server", "\(Origin(url)?.description ?? "")"),
      ("subject", certificate.subject),
      ("names", certificate.names.isEmpty ? "none" : certificate.names.joined(separator: ", ")),
      ("issuer", certificate.issuer),
      ("valid", "\(certificate.notBefore) to \(certificate.notAfter) UTC"),
      ("SHA-256", seen.fingerprint),
      ("pin", seen.pin.description),
      (
        "this system",
        seen.refusal.map { "refuses it: \($0)" } ?? "trusts it as it is, without a pin"
      ),
    ]
    for (label, value) in rows {
      Output.line(label.padding(toLength: 13, withPad: " ", startingAt: 0) + SafeText.line(value))
    }
  }

  private func agree(_ question: String) throws {
    if yes { return }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw UserError(
        "nothing was pinned: nobody is here to be asked; --yes pins without a question")
    }
    FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    guard ["y", "yes"].contains(answer) else {
      throw UserError("nothing was pinned", status: .someFailed)
    }
  }

  // MARK: The file

  private func read(_ file: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: file),
      let text = String(validating: data, as: UTF8.self)
    else { throw UserError("\(file) cannot be read") }
    return text
  }

  /// Puts a new file in the old one's place, so that nobody ever sees half of it. A link stays one.
  private func write(_ text: String, to file: String) throws {
    let place = URL(fileURLWithPath: file).resolvingSymlinksInPath()
    let manager = FileManager.default
    do {
      try manager.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      let mode = try? manager.attributesOfItem(atPath: place.path)[.posixPermissions]
      let fresh = place.deletingLastPathComponent()
        .appendingPathComponent(".\(place.lastPathComponent).\(UUID().uuidString)")
      defer { try? manager.removeItem(at: fresh) }
      try Data(text.utf8).write(to: fresh)
      try manager.setAttributes([.posixPermissions: mode ?? 0o600], ofItemAtPath: fresh.path)
      guard rename(fresh.path, place.path) == 0 else {
        throw UserError(
          "\(place.path) cannot be written: \(String(cString: strerror(errno)))",
          status: .someFailed)
      }
    } catch let error as UserError {
      throw error
    } catch {
      throw UserError(
        "\(place.path) cannot be written: \(error.localizedDescription)", status: .someFailed)
    }
  }
}
