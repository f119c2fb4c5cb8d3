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
