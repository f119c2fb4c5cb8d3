import UploadModel

/// Reading form fields and header fields.
extension TargetReader {
  /// Reads `[ { name = "a", value = "b", type = "text/plain" }, { name = "c", json = { … } }, … ]`, in that
  /// order, or a plain table, sorted by name.
  func fields(
    _ node: ConfigNode, _ scope: [Template.Placeholder]
  ) throws(ConfigError) -> [Target.Field] {
    if case .table = node.value { return try templates.pairs(node, scope: scope) }
    var fields: [Target.Field] = []
    for element in try node.array() {
      let entries = try element.table(["name", "value", "json", "type"])
      guard let name = try entries["name"]?.fixed(),
        (entries["value"] == nil) != (entries["json"] == nil)
      else { throw element.fault("a field needs \"name\", and either \"value\" or \"json\"") }
      let type = try entries["type"].map(mediaType)
      if let node = entries["json"] {
        fields.append(
          Target.Field(
            name: name, value: try templates.json(node, scope: scope),
            type: type ?? "application/json"))
      } else if let node = entries["value"] {
        fields.append(
          Target.Field(
            name: name, value: try templates.value(node, named: name, scope: scope), type: type))
      }
    }
    return fields
  }

  func mediaType(_ node: ConfigNode) throws(ConfigError) -> String {
    let type = try node.string()
    guard TypePattern.isType(type) else {
      throw node.fault("expected a media type such as \"text/plain\", found \"\(type)\"")
    }
    return type
  }

  /// Reads the header fields that are sent to every server, and so must not be credentials.
  func publicHeaders(
    _ node: ConfigNode, _ scope: [Template.Placeholder], besides others: [Target.Field]
  ) throws(ConfigError) -> [Target.Field] {
    let fields = try headers(node, scope)
    for (name, node) in try node.entries() {
      if SecretName.matches(name) {
        throw node.fault("this header is sent to every server, but its name suggests a secret")
      }
      if others.contains(where: { $0.name.lowercased() == name.lowercased() }) {
        throw node.fault("\"headers\" has it as well; leave one of the two out")
      }
    }
    return fields
  }

  func headers(
    _ node: ConfigNode, _ scope: [Template.Placeholder] = Template.Placeholder.ofFile
  ) throws(ConfigError) -> [Target.Field] {
    var headers: [Target.Field] = []
    for (name, node) in try node.entries() {
      try node.checked { try HeaderRule.check(name: name, value: nil) }
      guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw node.fault("this header occurs twice; upper and lower case make no difference")
      }
      let value = try templates.value(node, named: name, scope: scope)
      if SecretName.matches(name) { try node.refuseEmptyVariables(of: value) }
      // The expanded value must not be in the message: it may be a secret.
      try node.checked { try HeaderRule.check(name: name, value: value.fixedText) }
      headers.append(Target.Field(name: name, value: value))
    }
    return headers
  }
}
