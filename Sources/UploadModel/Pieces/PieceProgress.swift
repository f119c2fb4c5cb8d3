import Digests
import Foundation

/// The progress of an upload in pieces. It is saved in the queue before the next request is sent.
package struct PieceProgress: Hashable, Sendable, Codable {
  /// The value of `{upload.id}`.
  package var id: String
  /// How many bytes each piece but the last has.
  package var size: Int64
  /// The values kept from the reply to `begin` or to the first piece.
  package var begun: [String: String] = [:]
  /// Whether a server other than the target's own has chosen values that addresses are made from.
  package var isFromAway = false
  /// Which pieces the server has, if they are sent in any order. If nil, the server has the file up to the point's
  /// offset.
  package var done: PieceSet?
  /// The values that `each` needs of each piece, by the piece's index, in the order of `PieceRules.keptValues`; empty
  /// for a piece that the server does not have.
  package var kept: [[String]] = []
  /// Whether the server has taken a piece, even if only an empty one.
  package var hasTaken = false
  /// Whether a piece that must not arrive twice may have arrived, since there was no reply to it.
  package var isUnderWay = false
  /// Whether a request that finishes the upload, or may finish it, has been sent.
  package var isFinishing = false
  /// A hash of the requests as they were described when the upload began.
  package var seal: String

  package init(id: String, size: Int64, seal: String) {
    (self.id, self.size, self.seal) = (id, size, seal)
  }

  package mutating func keep(_ values: [String], at index: Int) {
    if index >= kept.count { kept += [[String]](repeating: [], count: index + 1 - kept.count) }
    kept[index] = values
  }

  /// The placeholder values for an upload of this many bytes.
  package func values(_ values: Template.Values, of length: Int64) -> Template.Values {
    var values = values
    values.upload = Template.Values.Upload(
      id: id, count: PieceRules.count(of: size, for: length), begun: begun,
      isFromAway: isFromAway || values.upload.isFromAway)
    return values
  }

  /// The progress from which an upload of `length` bytes can resume, if the server has `offset` of them; nil if it
  /// cannot. A progress that another program wrote may be an impossible one. If the pieces went one after the other
  /// and may now go in any order, says which ones the server has.
  package func resumed(at offset: Int64, of length: Int64, by rules: PieceRules) -> PieceProgress? {
    guard size > 0, offset >= 0, offset <= length else { return nil }
    var resumed = self
    let count = PieceRules.count(of: size, for: length)
    let isWhole = offset == length && hasTaken
    var taken = done
    if taken == nil, isWhole || offset % size == 0 {
      taken = PieceSet(first: isWhole ? count : Int(offset / size))
    }
    if let done {
      let bytes = done.ranges(of: size, in: length).reduce(0) { $0 + Int64($1.count) }
      guard rules.orderedBy == nil, done.end <= count, bytes == offset else { return nil }
    } else if rules.mostAtOnce > 1 {
      guard let taken else { return nil }
      resumed.done = taken
    }
    let names = rules.keptValues
    guard !names.isEmpty, hasTaken else { return resumed }
    guard let taken, kept.count == taken.end else { return nil }
    let isWholeList = kept.enumerated().allSatisfy { index, values in
      values.count == (taken.contains(index) ? names.count : 0)
    }
    return isWholeList ? resumed : nil
  }

  /// The value of `{pieces}`, which lists the pieces for the request that finishes the upload.
  package func list(_ values: Template.Values, of length: Int64, by rules: PieceRules) -> String {
    guard let each = rules.each else { return "" }
    let names = rules.keptValues
    let elements = (0..<PieceRules.count(of: size, for: length)).map { index in
      var values = values
      values.piece = rules.piece(from: Int64(index) * size, of: size, in: length)
      if kept.indices.contains(index) {
        let kept = Dictionary(zip(names, kept[index])) { first, _ in first }
        values.piece.values = kept
        values.piece.digests = ContentDigests(named: kept)
      }
      return each.template.filled(with: values)
    }
    guard let separator = each.separator else { return "[\(elements.joined(separator: ","))]" }
    return elements.joined(separator: separator)
  }
}

extension PieceRules {
  /// A hash of everything that the requests are made from, including the values of the run, so that an upload starts
  /// over in another run. Secrets enter it by name only.
  package func seal(_ opened: [String: String]) -> String {
    var hash = SHA256()
    func add(_ text: String) { hash.update("\(text.utf8.count) \(text)".utf8) }
    for (name, call) in calls {
      add("\(name) \(call.method) \(call.type ?? "") \(call.body.rawValue)")
      for template in call.templates {
        add(template.source)
        for value in template.derivedValues {
          add("\(value.name) \(value.algorithm.rawValue) \(value.text.source)")
        }
      }
      for field in call.query + call.headers + call.form { add(field.name) }
    }
    for (name, value) in opened.sorted(by: { $0.key < $1.key }) { add("\(name) \(value)") }
    add("\(first) \(url?.source ?? "") \(each?.template.source ?? "")")
    return hash.finalize().hexadecimal
  }
}
