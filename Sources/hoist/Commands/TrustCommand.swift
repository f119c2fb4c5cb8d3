import ArgumentParser
import Foundation
import ProcessContext
import Sessions
import Settings
import UploadEngine
import UploadModel

struct TrustCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Show a server's certificate and, if confirmed, pin it.",
    discussion: """
      For servers whose certificate no known authority has signed. Compare the fingerprint with what the \
      server's owner says before you say yes. From then on, this target trusts only the holder \
      of that key.

      The pin goes into the target that has this address, or into a new one. Everything else in the \
      file stays as it is.
      """)

  @Argument(
    help: ArgumentHelp(
      "An https URL, or the name of a target in the configuration.", valueName: "url-or-target"),
    completion: ConfigOption.targetNames)
  var server: String

  @Option(
    help: ArgumentHelp("The target that gets the pin; created if missing.", valueName: "name"),
    completion: ConfigOption.targetNames)
  var target: String?

  @Flag(help: "Do not ask. For scripts that know the fingerprint from elsewhere.")
  var yes = false

  @OptionGroup var config: ConfigOption

  func run(in context: Context) throws {
    let source = config.source(in: context)
    let file = source.path
    let settings =
      FileManager.default.fileExists(atPath: file)
      ? try Settings.load(path: file, environment: context.environment)
      : Settings.none(environment: context.environment)
    let url = try address(settings)
    let name = try targetName(for: url, settings)
    let known = settings.blueprint(of: name)
    if let known, Origin(known.url) != Origin(url) {
      throw UserError(
        "--target: \(name) is for \(Origin(known.url)?.description ?? ""), not \(url)")
    }
    let certificate: ServerCertificate
    do { certificate = try ServerCertificate.of(url) } catch {
      throw UserError(
        "cannot get the certificate of \(url): \(SafeText.line(error.description))",
        status: .someFailed)
    }
    show(certificate, of: url, in: context)
    if let old = known?.tls.pin {
      guard old != certificate.pin else {
        return context.output.error("This key is already pinned for \(name).")
      }
      context.output.error("This key will replace the pin \(old).")
    }
    try Question(context: context).agree(
      "Pin this key for the target \(name) in \(file)?", isAgreed: yes,
      refused: "nothing was pinned", hint: "--yes pins without asking")
    try source.change { try $0.writing(certificate.pin, to: name, at: url) }
    context.output.error("Pinned. Upload with --to \(name)")
  }

  private func address(_ settings: Settings) throws -> URL {
    let url = try settings.blueprint(of: server)?.url ?? settings.target(server).url
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
        "several targets have this address; choose one with --target: "
          + same.joined(separator: ", "))
    }
    return same.first ?? NewTarget.free(url.host ?? "server", taken: settings.targetNames)
  }

  private func show(_ seen: ServerCertificate, of url: URL, in context: Context) {
    let certificate = seen.certificate
    let opinion = seen.refusal.map { "refuses it: \($0)" } ?? "trusts it as it is, without a pin"
    let rows = [
      ("server", "\(Origin(url)?.description ?? "")"),
      ("subject", certificate.subject),
      ("names", certificate.names.isEmpty ? "none" : certificate.names.joined(separator: ", ")),
      ("issuer", certificate.issuer),
      ("valid", "\(certificate.notBefore) to \(certificate.notAfter) UTC"),
      ("SHA-256", seen.fingerprint),
      ("pin", seen.pin.description),
      ("this system", opinion),
    ]
    for (label, value) in rows {
      context.output.line(
        label.padding(toLength: 13, withPad: " ", startingAt: 0) + SafeText.line(value))
    }
  }
}
