import ScalarText
import UploadModel

/// Form fields, query parameters and headers.
extension TargetReader {
  /// `[ { name = "a", value = "b", type = "text/plain" }, { name = "c", json = { … } }, … ]`, in that
  /// order.
  func fields(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    if case .table = node.value { return try pairs(node) }
    var fields: [Target.Field] = []
    for element in try node.array() {
      let entries = try element.table(["name", "value", "json", "type"])
      guard let name = try entries["name"]?.string(),
        (entries["value"] == nil) != (entries["json"] == nil)
      else { throw element.fault("a field needs \"name\", and either \"value\" or \"json\"") }
      let type = try entries["type"].map(mediaType)
      if let node = entries["json"] {
        fields.append(
          Target.Field(
            name: name, value: try templates.json(node), type: type ?? "application/json"))
      } else if let node = entries["value"] {
        fields.append(
          Target.Field(name: name, value: try templates.value(node, named: name), type: type))
      }
    }
    return fields
  }

  private func mediaType(_ node: ConfigNode) throws(ConfigError) -> String {
    let type = try node.string()
    let halves = type.split(scalar: "/")
    guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }),
      type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else { throw node.fault("expected a media type such as \"text/plain\", found \"\(type)\"") }
    return type
  }

  /// `{ a = "b", … }`, sorted by name, for TOML keeps no order in a table.
  func pairs(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    var fields: [Target.Field] = []
    for (key, node) in try node.entries() {
      fields.append(Target.Field(name: key, value: try templates.value(node, named: key)))
    }
    return fields
  }

  func headers(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    var headers: [Target.Field] = []
    for (name, node) in try node.entries() {
      do throws(HeaderRule.ValidationError) {
        try HeaderRule.check(name: name, value: nil)
      } catch {
        throw node.fault(error.description)
      }
      guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw node.fault("this header is there twice: capitals make no difference")
      }
      let value = try templates.value(node, named: name)
      if SecretName.matches(name) { try node.refuseEmptyVariables(of: value) }
      // The expanded value must not be in the message: it may be a secret.
      do throws(HeaderRule.ValidationError) {
        try HeaderRule.check(name: name, value: value.fixedText)
      } catch {
        throw node.fault(error.description)
      }
      headers.append(Target.Field(name: name, value: value))
    }
    return headers
  }
}
