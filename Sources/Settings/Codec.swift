import ScalarText
import UploadModel

/// How a kind of value is written in the configuration. `read` turns what `write` returns back into the same value.
struct Codec<Value: Equatable & Sendable>: Sendable {
  private let reading: @Sendable (ConfigNode, TemplateReader) throws -> Value
  /// Writes a value. Returns nil if a missing key means the same value.
  let write: @Sendable (Value, TemplateWriter) -> String?

  init(
    read: @escaping @Sendable (ConfigNode, TemplateReader) throws -> Value,
    write: @escaping @Sendable (Value, TemplateWriter) -> String?
  ) {
    (reading, self.write) = (read, write)
  }

  /// A codec for values without placeholders.
  init(
    _ read: @escaping @Sendable (ConfigNode) throws -> Value,
    _ write: @escaping @Sendable (Value) -> String?
  ) {
    self.init(read: { node, _ in try read(node) }, write: { value, _ in write(value) })
  }

  func read(_ node: ConfigNode, _ reader: TemplateReader) throws(ConfigError) -> Value {
    try node.checked { try reading(node, reader) }
  }
}

extension Codec where Value == Bool {
  static var flag: Codec { Codec({ try $0.bool() }, { "\($0)" }) }

  /// A flag whose key means the opposite of the property.
  static var opposite: Codec { Codec({ !(try $0.bool()) }, { "\(!$0)" }) }

  /// One of two words: the second means true.
  static func words(_ no: String, _ yes: String) -> Codec {
    Codec({ try $0.word(of: [no, yes]) == yes }, { TOMLText.string($0 ? yes : no) })
  }
}

extension Codec where Value == Int64 {
  static var bytes: Codec { Codec({ try $0.bytes() }, { "\"\($0) B\"" }) }

  /// Bytes per second. A plain number is not allowed, since it may be meant in megabytes.
  static var speed: Codec {
    Codec(
      {
        guard let speed = ByteCount.speed(try $0.string()) else {
          throw InvalidInput("expected a speed such as \"2 MB/s\"")
        }
        return speed
      }, { "\"\($0) B/s\"" })
  }
}

extension Codec where Value == String {
  static func word(of known: [String]) -> Codec {
    Codec({ try $0.word(of: known) }, TOMLText.string)
  }

  static var mediaType: Codec {
    Codec(
      {
        let type = try $0.string()
        guard TypePattern.isType(type) else {
          throw InvalidInput("expected a media type such as \"text/plain\", found \"\(type)\"")
        }
        return type
      }, TOMLText.string)
  }
}

extension Codec where Value: RawRepresentable<String> & CaseIterable {
  /// The word that stands for a case.
  static var choice: Codec { Codec({ try $0.choice() }, { TOMLText.string($0.rawValue) }) }
}

extension Codec {
  static func integer(in range: ClosedRange<Int>) -> Codec where Value == Int {
    Codec({ try $0.integer(in: range) }, { "\($0)" })
  }

  static func seconds(in range: ClosedRange<Double>) -> Codec where Value == Double {
    Codec({ try $0.seconds(in: range) }, TOMLText.seconds)
  }

  /// An array. If `nothing` is given, an empty array is an error with that message.
  static func list<Element: Sendable>(
    _ element: Codec<Element>, nothing: String? = nil
  ) -> Codec where Value == [Element] {
    Codec(
      read: { node, reader in
        let values = try node.array().map { try element.read($0, reader) }
        if values.isEmpty, let nothing { throw node.fault(nothing) }
        return values
      },
      write: { values, writer in
        values.isEmpty && nothing != nil
          ? nil : TOMLText.array(values.compactMap { element.write($0, writer) })
      })
  }

  /// One element, or an array of them, for which `nothing` means the same as in `list`.
  static func oneOrMore<Element: Sendable>(
    _ element: Codec<Element>, nothing: String? = nil
  ) -> Codec where Value == [Element] {
    let list = list(element, nothing: nothing)
    return Codec(
      read: { node, reader in
        guard case .array = node.value else { return [try element.read(node, reader)] }
        return try list.read(node, reader)
      },
      write: { values, writer in
        values.count == 1 ? element.write(values[0], writer) : list.write(values, writer)
      })
  }

  /// A list in which neither order nor repetition matters.
  static func set<Element: Hashable & Sendable>(
    _ element: Codec<Element>
  ) -> Codec where Value == Set<Element> {
    Codec(
      read: { node, reader in Set(try Codec<[Element]>.list(element).read(node, reader)) },
      write: { values, writer in
        TOMLText.array(values.compactMap { element.write($0, writer) }.sorted())
      })
  }

  /// `{ a = "b", … }`.
  static func pairs(
    scope: [Template.Placeholder] = Template.Placeholder.ofFile
  ) -> Codec where Value == [Target.Field] {
    Codec(read: { try $1.pairs($0, scope: scope) }, write: { $1.pairs($0) })
  }
}

extension Codec where Value == Template {
  /// The address of a request.
  static func address(scope: [Template.Placeholder]) -> Codec {
    Codec(read: { try $1.address($0, scope: scope) }, write: { $1.string($0) })
  }

  /// Text as it is sent.
  static func text(scope: [Template.Placeholder]) -> Codec {
    Codec(read: { try $1.template($0, scope: scope) }, write: { $1.string($0) })
  }

  /// JSON as a TOML value.
  static func json(scope: [Template.Placeholder]) -> Codec {
    Codec(read: { try $1.json($0, scope: scope) }, write: { $1.json($0) })
  }
}
