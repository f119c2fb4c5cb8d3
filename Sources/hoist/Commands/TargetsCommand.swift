import ArgumentParser
import Foundation
import Settings
import UploadModel

struct TargetsCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "targets", abstract: "List the targets of the configuration.",
    discussion: "The default target is marked with a star.")

  @OptionGroup var config: ConfigOption

  @Flag(help: "Print one JSON object per line: name, url, default.")
  var json = false

  func run(in context: Context) throws {
    let settings = try config.load(in: context)
    let targets = settings.targetNames.compactMap { name in
      settings.blueprint(of: name).map { (name: name, url: Self.address(of: $0)) }
    }
    let width = targets.map(\.name.count).max() ?? 0
    for (name, url) in targets {
      let isDefault = name == settings.defaultTarget
      if json {
        context.output.line(
          JSONLine.text(["name": .string(name), "url": .string(url), "default": .bool(isDefault)]))
      } else {
        let padding = String(repeating: " ", count: width - name.count)
        context.output.line(SafeText.line("\(isDefault ? "*" : " ") \(name)\(padding)  \(url)"))
      }
    }
    if targets.isEmpty, !json {
      context.output.error(
        "\(SafeText.line(config.source(in: context).path)) has no targets; hoist target new makes one"
      )
    }
  }

  /// Where files go, without the query, which can contain a key.
  private static func address(of target: Target) -> String {
    let text = target.address?.source ?? TargetURL.shown(target.url)
    return String(text.unicodeScalars.prefix { $0 != "?" })
  }
}
