import Foundation
import ScalarText
import UploadModel

extension Codec where Value == Template {
  static var fieldName: Codec {
    Codec(
      read: { node, reader in
        _ = try node.string()
        let field = try reader.template(node)
        guard !field.sample("x").isEmpty else {
          throw node.fault("expected a field name, found nothing")
        }
        // Field names are shown wherever the request is shown.
        guard field.secrets.isEmpty else {
          throw node.fault("a field name must not contain secrets")
        }
        return field
      },
      write: { $1.string($0) })
  }
}

extension Codec where Value == Template? {
  /// The file name that is sent; nil for the file's own name, which is the default.
  static var fileName: Codec {
    let own = "{file.name}"
    return Codec(
      read: { node, reader in
        let name = try reader.template(node)
        guard !name.sample("x").isEmpty else {
          throw node.fault("expected a file name, found nothing")
        }
        return name.source == own ? nil : name
      },
      write: { name, writer in name.map(writer.string) ?? TOMLText.string(own) })
  }
}

extension Codec where Value == [Target.Field] {
  /// `[ { name = "a", value = "b", type = "text/plain" }, { name = "c", json = { … } }, … ]`, whose order is kept, or a
  /// plain table, sorted by name.
  static func formFields(scope: [Template.Placeholder]) -> Codec {
    Codec(
      read: { node, reader in
        if case .table = node.value { return try reader.pairs(node, scope: scope) }
        return try node.array().map { element in
          let entries = try element.table(["name", "value", "json", "type"])
          let type = try entries["type"].map { try Codec<String>.mediaType.read($0, reader) }
          switch (try entries["name"]?.fixed(), entries["value"], entries["json"]) {
          case (let name?, let node?, nil):
            let value = try reader.value(node, named: name, scope: scope)
            return Target.Field(name: name, value: value, type: type)
          case (let name?, nil, let node?):
            let value = try reader.json(node, scope: scope)
            return Target.Field(name: name, value: value, type: type ?? "application/json")
          default: throw element.fault("a field needs \"name\", and either \"value\" or \"json\"")
          }
        }
      },
      write: { fields, writer in
        let lines = fields.map { field in
          let name = TOMLText.string(Template.braced(field.name))
          if field.type == "application/json", let json = writer.json(field.value) {
            return TOMLText.table([("name", name), ("json", json)])
          }
          return TOMLText.table([
            ("name", name), ("value", writer.string(field.value)),
            ("type", field.type.map(TOMLText.string)),
          ])
        }
        return lines.isEmpty ? nil : "[\n" + lines.map { "  \($0),\n" }.joined() + "]"
      })
  }

  static func headers(scope: [Template.Placeholder]) -> Codec {
    Codec(
      read: { node, reader in
        var headers: [Target.Field] = []
        for (name, node) in try node.entries() {
          try node.checked(of: .value) { try HeaderRule.check(name: name, value: nil) }
          guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw node.fault("this header occurs twice; upper and lower case make no difference")
          }
          let value = try reader.value(node, named: name, scope: scope)
          if SecretName.matches(name) { try node.refuseEmptyVariables(of: value) }
          // The expanded value must not be in the message: it may be a secret.
          try node.checked { try HeaderRule.check(name: name, value: value.fixedText) }
          headers.append(Target.Field(name: name, value: value))
        }
        return headers
      },
      write: { $1.pairs($0) })
  }

  /// `{ name = "value", … }` for a tus server, sorted by name, since TOML tables are unordered.
  static var metadata: Codec {
    Codec(
      read: { node, reader in
        // Keys are sent unencoded, separated by commas and spaces (tus 1.0.0, "Creation").
        for (key, node) in try node.entries()
        where key.isEmpty || !key.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x2C }) {
          throw node.fault("a metadata key must be ASCII, without blanks or commas")
        }
        return try reader.pairs(node)
      },
      write: { $1.pairs($0) })
  }
}

extension Codec where Value == [DerivedValue] {
  /// `{ name = { sha1 = "text" }, other = { hmac_sha256 = "text", key = "key" }, … }`, sorted by name, since TOML
  /// tables are unordered. Whether the placeholders in a text have values is known only where the derived value is
  /// used.
  static var derivedValues: Codec {
    Codec(
      read: { node, reader in try node.entries().map { try value($0, $1, reader) } },
      write: { values, writer in
        writer.table(
          values.map { value in
            let text = (value.algorithm.rawValue, Optional(writer.string(value.text)))
            return (value.name, TOMLText.table([text, ("key", value.key.map(writer.string))]))
          })
      })
  }

  private static func value(
    _ name: String, _ node: ConfigNode, _ reader: TemplateReader
  ) throws -> DerivedValue {
    guard TOMLText.isBare(name) else {
      throw node.fault("a value's name may contain only letters, digits, \"_\" and \"-\"")
    }
    let algorithms = DerivedValue.Algorithm.allCases
    let entries = try node.table(algorithms.map(\.rawValue) + ["key"])
    let given = algorithms.filter { entries[$0.rawValue] != nil }
    guard given.count == 1, let algorithm = given.first, let text = entries[algorithm.rawValue]
    else {
      throw node.fault(
        "expected one of \(algorithms.map(\.rawValue).joined(separator: ", ")), with the text to compute it from"
      )
    }
    guard algorithm.isKeyed == (entries["key"] != nil) else {
      throw node.fault(
        algorithm.isKeyed
          ? "an HMAC needs a \"key\""
          : "\(algorithm.rawValue) takes no key; use hmac_sha1 or hmac_sha256")
    }
    let key = try entries["key"].map { node in
      let key = try reader.secret(node, scope: []).hidden(as: "key")
      try node.refuseEmptyVariables(of: key)
      guard !key.fixedText.isEmpty else { throw node.fault("expected a key, found nothing") }
      return key
    }
    let source = try reader.template(text, scope: Template.Placeholder.allCases)
    try text.refuseEmptyVariables(of: source)
    return DerivedValue(name: name, algorithm, of: source, key: key)
  }
}

extension Codec where Value == TypePattern {
  static var typePattern: Codec {
    Codec(
      {
        let text = try $0.string()
        guard let pattern = TypePattern(text) else {
          throw InvalidInput(
            "expected a media type such as \"image/jpeg\" or \"image/*\", found \"\(text)\"")
        }
        return pattern
      }, { TOMLText.string($0.description) })
  }
}

extension Codec where Value == CompanionRule {
  /// `"{file.stem}.xmp"`, or `{ file = ["{file.name}.xmp", "{file.stem}.xmp"], field = "sidecar", type = "…" }`.
  static var companion: Codec {
    let name = Codec<Template>(
      read: { node, reader in
        let name = try reader.template(node, scope: CompanionRule.scope)
        guard !name.sample("x").isEmpty, !name.sample("x").contains(scalars: "/") else {
          throw node.fault(
            "expected a name such as \"{file.stem}.xmp\", for a file in the same folder")
        }
        guard name.placeholders.contains(where: { $0 != .fileExtension }) else {
          throw node.fault(
            "contains neither {file.name} nor {file.stem}: the same file would be sent along with every file"
          )
        }
        return name
      }, write: { $1.string($0) })
    let one = Codec<[Template]>(
      read: { [try name.read($0, $1)] },
      write: { $0.count == 1 ? name.write($0[0], $1) : nil })
    let need = "the name of the file to send along"
    return .table(
      Schema([
        .init("file", \.files, .oneOrMore(name), need: need), .init("field", \.field, .fieldName),
        .init("type", \.type, .mediaType),
      ]), from: CompanionRule(), short: .init("file", \.files, one, need: need))
  }
}

extension Codec where Value == Origin {
  static var origin: Codec {
    Codec(
      {
        guard let origin = Origin(try TargetURL.parse(try $0.fixed())) else {
          throw InvalidInput("expected a URL")
        }
        return origin
      }, { TOMLText.string($0.description) })
  }
}

extension Codec where Value == AfterRule {
  /// `"keep"`, `"delete"`, `{ move = "sent/" }`, or a table with `delete` or `move`, and optionally `final`.
  static var after: Codec {
    Codec(
      read: { node, reader in
        var rule = AfterRule()
        guard case .table = node.value else {
          rule.way = try node.word(of: ["keep", "delete"]) == "delete" ? .delete : nil
          return rule
        }
        let entries = try node.table(["delete", "move", "final"])
        switch (try entries["delete"]?.bool(), try entries["move"]?.fixed()) {
        case (true?, nil): rule.way = .delete
        case (nil, let folder?), (false?, let folder?):
          guard !folder.isEmpty else { throw node.fault("\"move\" names no folder") }
          rule.way = .move(
            to: folder == "~" || folder.hasPrefix(scalars: "~/")
              ? reader.paths.absolute(folder) : folder)
        default: throw node.fault("expected either \"move\" with a folder, or delete = true")
        }
        if let node = entries["final"] {
          rule.finals = try Codec<Set<Int>>.set(.integer(in: 200...299)).read(node, reader)
        }
        return rule
      },
      write: { rule, _ in
        guard let way = rule.way else { return TOMLText.string("keep") }
        let finals = rule.finals.sorted().map(String.init)
        if way == .delete, finals.isEmpty { return TOMLText.string("delete") }
        let what: (key: String, value: String?) =
          switch way {
          case .delete: ("delete", "true")
          case .move(let folder): ("move", TOMLText.string(Template.braced(folder)))
          }
        return TOMLText.table([what, ("final", finals.isEmpty ? nil : TOMLText.array(finals))])
      })
  }
}

extension Codec where Value == FolderRule {
  /// `"webdav"`, or `{ method = "MKCOL", ok = [201, 405] }`.
  static var folders: Codec {
    let table = Schema<FolderRule>([
      .init("method", \.method, .word(of: ["MKCOL", "PUT", "POST"]), need: "how a folder is made"),
      .init("ok", \.ok, .statuses),
    ])
    return Codec(
      read: { node, reader in
        var rule = FolderRule.webdav
        if case .table = node.value {
          try table.read(node, into: &rule, reader)
        } else {
          guard try node.string() == "webdav" else {
            throw node.fault("expected \"webdav\", or a table with \"method\"")
          }
        }
        return rule
      },
      write: { rule, writer in
        rule == .webdav
          ? TOMLText.string("webdav")
          : TOMLText.table(table.entries(rule, usually: .webdav, writer.withoutDefaults))
      })
  }
}

extension Codec where Value == NamedHost {
  static var namedHost: Codec {
    Codec({ try NamedHost(try $0.fixed()) }, { TOMLText.string($0.description) })
  }
}

extension Codec where Value == PrepareCommand {
  /// An array of words, or `{ command = [ … ], timeout = "60s" }`.
  static var prepare: Codec {
    let words = Codec<[Template]>(
      read: { node, reader in
        try Secrets.checkWords(node)
        let words = try node.array().map {
          try reader.template($0, scope: Template.Placeholder.ofCommand)
        }
        for slot in [Template.Placeholder.input, .output]
        where !words.contains(where: { $0.asks(for: slot) }) {
          let use = slot == .input ? "read" : "write"
          throw node.fault("{\(slot.rawValue)} is missing: the path of the file to \(use)")
        }
        return words
      },
      write: { words, writer in TOMLText.array(words.map(writer.string)) })
    let command = Schema<PrepareCommand>.Key(
      "command", \.words, words, need: "the program and its arguments")
    return .table(
      Schema([command, .init("timeout", \.timeout, .seconds(in: 0.1...86_400))]),
      from: PrepareCommand(words: []), short: command)
  }
}

extension Codec where Value == Concurrency {
  /// A number, `"auto"`, or `{ min = 2, max = 16 }`.
  static var concurrency: Codec {
    Codec(
      { node in
        switch node.value {
        case .integer, .float: return .fixed(try node.integer(in: Concurrency.range))
        case .table:
          let ends = try node.table(["min", "max"])
          guard case .auto(let usual) = Concurrency.automatic else { return .automatic }
          let least = try ends["min"]?.integer(in: Concurrency.range) ?? usual.lowerBound
          let most = try ends["max"]?.integer(in: Concurrency.range) ?? max(least, usual.upperBound)
          guard least <= most else {
            throw InvalidInput("\"min\" (\(least)) is more than \"max\" (\(most))")
          }
          return .auto(least...most)
        default:
          guard case .string("auto") = node.value else {
            throw InvalidInput(
              "expected a number from \(HumanReadable.range(Concurrency.range)), \"auto\", or a table "
                + "such as { min = 2, max = 16 }")
          }
          return .automatic
        }
      },
      { concurrency in
        switch concurrency {
        case .fixed(let count): "\(count)"
        case .auto(let range):
          concurrency == .automatic
            ? TOMLText.string("auto")
            : "{ min = \(range.lowerBound), max = \(range.upperBound) }"
        }
      })
  }
}
