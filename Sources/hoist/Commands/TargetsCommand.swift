import ArgumentParser
import Foundation
import ProcessContext
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
    let names = settings.targetNames
    let width = names.map(\.count).max() ?? 0
    for name in names {
      guard let target = settings.blueprint(of: name) else { continue }
      let address = target.address?.source ?? TargetURL.shown(target.url)
      // The query can contain a key.
      let url = String(address.unicodeScalars.prefix { $0 != "?" })
      let isDefault = name == settings.defaultTarget
      if json {
        context.output.line(
          JSONLine.text(["name": .string(name), "url": .string(url), "default": .bool(isDefault)]))
      } else {
        let padding = String(repeating: " ", count: width - name.count)
        context.output.line(SafeText.line("\(isDefault ? "*" : " ") \(name)\(padding)  \(url)"))
      }
    }
    if names.isEmpty, !json {
      context.output.error(
        "\(SafeText.line(config.source(in: context).path)) has no targets; hoist target new makes one"
      )
    }
  }
}
