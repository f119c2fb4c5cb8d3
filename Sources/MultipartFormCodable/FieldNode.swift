import MultipartForm

/// The parts of a form, arranged by the keys in their names. Keys are compared byte by byte.
struct FieldNode {
  /// The parts whose name ends here.
  private(set) var parts: [CollectedForm.Part] = []
  private var children: [[UInt8]: FieldNode] = [:]

  /// - Throws: `DecodingError` if a name has more than `depth` keys.
  init(_ form: CollectedForm, depth: Int) throws(DecodingError) {
    for part in form.parts {
      // Browsers send this for a file field without a file.
      if part.header.fileName == "", part.bytes.isEmpty { continue }
      let keys = FieldName.keys(of: part.header.unescapedName)
      guard keys.count <= depth else {
        throw .dataCorrupted(
          .init(
            codingPath: [],
            debugDescription:
              "The name of part \(part.header.index + 1) has more than \(depth) keys."))
      }
      insert(part, at: keys[...])
    }
  }

  private init(parts: [CollectedForm.Part] = []) { self.parts = parts }

  private mutating func insert(_ part: CollectedForm.Part, at keys: ArraySlice<[UInt8]>) {
    guard let key = keys.first else { return parts.append(part) }
    children[key, default: FieldNode()].insert(part, at: keys.dropFirst())
  }

  /// The node for names that continue with this key.
  subscript(key: String) -> FieldNode? { children[Array(key.utf8)] }

  var keys: [String] { children.keys.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether the node contains only named values.
  var isGroup: Bool { parts.isEmpty }

  /// The node's only part; nil if it contains anything else.
  var only: CollectedForm.Part? { children.isEmpty && parts.count == 1 ? parts.first : nil }

  /// Whether the node is a field that was left empty.
  var isBlank: Bool { only.map { $0.bytes.isEmpty && !$0.header.isFile } ?? false }

  /// The elements, if the node is an array. Its parts all have the same name, are all named `a[]`, or are named `a[0]`,
  /// `a[1]` and so on. In the last case, the elements are in order of their index, which may have gaps.
  var elements: [FieldNode]? {
    if children.isEmpty { return parts.map { FieldNode(parts: [$0]) } }
    guard parts.isEmpty else { return nil }
    if let unnamed = children[[]] {
      return children.count == 1 && unnamed.children.isEmpty ? unnamed.elements : nil
    }
    var elements: [(index: Int, node: FieldNode)] = []
    for (key, node) in children {
      // Only the canonical spelling counts, so that no two keys mean the same index.
      guard let index = Int(String(decoding: key, as: UTF8.self)), index >= 0,
        Array("\(index)".utf8) == key
      else { return nil }
      elements.append((index, node))
    }
    return elements.sorted { $0.index < $1.index }.map(\.node)
  }
}
