/// The keys of the table that describes a `Root` in the configuration. Reading, writing and messages all use this one
/// list.
struct Schema<Root: Sendable>: Sendable {
  struct Key: Sendable {
    let name: String
    /// The key's purpose, shown if the key is missing; nil if the key is optional.
    var need: String?
    /// The question that `hoist target new` asks to get the key's value, if any.
    var question: TargetQuestion?
    var read: @Sendable (ConfigNode, inout Root, TemplateReader) throws -> Void
    /// Writes the value in `root`; returns nil if `usual`, which has the defaults, has the same value.
    var write: @Sendable (_ root: Root, _ usual: Root, TemplateWriter) -> String?
  }

  typealias Check = @Sendable (inout Root, [String: ConfigNode]) throws -> Void

  let keys: [Key]
  /// Checks, or completes, what was read from a table with these entries.
  private let check: Check

  init(_ keys: [Key], check: @escaping Check = { _, _ in }) {
    (self.keys, self.check) = (keys, check)
  }

  var names: [String] { keys.map(\.name) }

  /// Reads a table in the order of the keys.
  func read(
    _ node: ConfigNode, into root: inout Root, _ reader: TemplateReader
  ) throws(ConfigError) {
    let entries = try node.table(names)
    for key in keys {
      if let need = key.need, entries[key.name] == nil {
        throw node.fault("\"\(key.name)\" is missing: \(need)")
      }
    }
    try read(entries, into: &root, reader)
    try node.checked { try check(&root, entries) }
  }

  /// Reads those entries whose keys are in this schema.
  func read(
    _ entries: [String: ConfigNode], into root: inout Root, _ reader: TemplateReader
  ) throws(ConfigError) {
    for key in keys {
      guard let node = entries[key.name] else { continue }
      try node.checked { try key.read(node, &root, reader) }
    }
  }

  /// The table of a `Whole` that has these keys, and this check, for its part at `path`, besides keys of its own.
  func within<Whole: Sendable>(
    _ path: WritableKeyPath<Whole, Root> & Sendable, _ more: [Schema<Whole>.Key] = [],
    check checkWhole: @escaping Schema<Whole>.Check = { _, _ in }
  ) -> Schema<Whole> {
    Schema<Whole>(keys.map { $0.within(path) } + more) { whole, entries in
      try check(&whole[keyPath: path], entries)
      try checkWhole(&whole, entries)
    }
  }

  /// The same table without one of its keys.
  func without(_ name: String) -> Schema { Schema(keys.filter { $0.name != name }, check: check) }

  /// Writes the values that differ from `usual`; if the writer shows defaults, all values that can be written.
  func entries(_ root: Root, usually usual: Root, _ writer: TemplateWriter) -> TOMLText.Entries {
    keys.map { ($0.name, $0.write(root, usual, writer)) }
  }
}

extension Codec {
  /// A table, or only the value of the key `short` where the other keys keep their defaults.
  static func table(_ schema: Schema<Value>, from start: Value, short: Schema<Value>.Key) -> Codec {
    Codec(
      read: { node, reader in
        var value = start
        if case .table = node.value {
          try schema.read(node, into: &value, reader)
        } else {
          try short.read(node, &value, reader)
        }
        return value
      },
      write: { value, writer in
        let entries = schema.entries(value, usually: start, writer.withoutDefaults)
        let isShort = entries.allSatisfy { $0.key == short.name || $0.value == nil }
        return (isShort ? short.write(value, start, writer) : nil) ?? TOMLText.table(entries)
      })
  }
}

extension Schema.Key {
  /// A value of the root.
  init<Value: Equatable & Sendable>(
    _ name: String, _ path: WritableKeyPath<Root, Value> & Sendable, _ codec: Codec<Value>,
    need: String? = nil
  ) {
    self.init(name, path, need: need) { _ in codec }
  }

  /// A value whose codec depends on other values of the root. Their keys must come before this one.
  init<Value: Equatable & Sendable>(
    _ name: String, _ path: WritableKeyPath<Root, Value> & Sendable, need: String? = nil,
    _ codec: @escaping @Sendable (Root) -> Codec<Value>
  ) {
    self.init(
      name: name, need: need,
      read: { $1[keyPath: path] = try codec($1).read($0, $2) },
      write: { root, usual, writer in
        let value = root[keyPath: path]
        let isDue = need != nil || writer.showsDefaults || value != usual[keyPath: path]
        return isDue ? codec(root).write(value, writer) : nil
      })
  }

  /// A value that the root may lack.
  init<Value: Equatable & Sendable>(
    _ name: String, _ path: WritableKeyPath<Root, Value?> & Sendable, _ codec: Codec<Value>
  ) {
    self.init(
      name: name,
      read: { $1[keyPath: path] = try codec.read($0, $2) },
      write: { root, usual, writer in
        let value = root[keyPath: path]
        return value == usual[keyPath: path] ? nil : value.flatMap { codec.write($0, writer) }
      })
  }

  /// A table for a part of the root.
  init<Part: Sendable>(
    _ name: String, _ path: WritableKeyPath<Root, Part> & Sendable, _ schema: Schema<Part>
  ) {
    self.init(
      name: name,
      read: { node, root, reader in try schema.read(node, into: &root[keyPath: path], reader) },
      write: { root, usual, writer in
        writer.table(schema.entries(root[keyPath: path], usually: usual[keyPath: path], writer))
      })
  }

  /// A table for an optional part of the root. Keys that are missing in the table keep their values from `start`.
  init<Part: Sendable>(
    _ name: String, _ path: WritableKeyPath<Root, Part?> & Sendable, from start: Part,
    _ schema: Schema<Part>
  ) {
    self.init(
      name: name,
      read: { node, root, reader in
        var part = start
        try schema.read(node, into: &part, reader)
        root[keyPath: path] = part
      },
      write: { root, _, writer in
        root[keyPath: path].map {
          TOMLText.table(schema.entries($0, usually: start, writer.withoutDefaults))
        }
      })
  }

  /// The same key with a further check, once it has been read.
  func checked(_ check: @escaping @Sendable (Root) throws -> Void) -> Self {
    var key = self
    key.read = { node, root, reader in
      try read(node, &root, reader)
      try check(root)
    }
    return key
  }

  /// The same key, written only for roots that meet a condition.
  func written(if condition: @escaping @Sendable (Root) -> Bool) -> Self {
    var key = self
    key.write = { root, usual, writer in condition(root) ? write(root, usual, writer) : nil }
    return key
  }

  /// The same key in the table of a `Whole`, whose part at `path` is the root of this key.
  func within<Whole: Sendable>(_ path: WritableKeyPath<Whole, Root> & Sendable) -> Schema<Whole>.Key
  {
    Schema<Whole>.Key(
      name: name, need: need,
      read: { try read($0, &$1[keyPath: path], $2) },
      write: { write($0[keyPath: path], $1[keyPath: path], $2) })
  }

  /// The same key, which `hoist target new` asks for; see `TargetQuestion`.
  func asking(
    _ words: String, _ form: TargetQuestion.Form = .text, usual: String? = nil, trial: String? = nil
  ) -> Self {
    var key = self
    key.question = TargetQuestion(key: name, words, form, usual: usual, trial: trial)
    return key
  }
}
