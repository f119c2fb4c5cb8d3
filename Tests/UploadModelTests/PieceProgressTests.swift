import Foundation
import Testing

@testable import UploadModel

@Suite("The progress of an upload in pieces")
struct PieceProgressTests {
  private static func template(_ text: String) throws -> Template {
    try Template(
      text, scope: [.pieceNumber, .pieceSize, .pieceValue, .pieceSHA1], escaping: .none,
      lookup: Template.Lookup(environment: { _ in nil }))
  }

  /// Rules by which pieces may go in any order, and whose list names an ETag of each.
  private static func rules(
    atOnce: Int = 4, each: String? = "{piece.number}={piece.etag}", separator: String? = ", ",
    _ change: (inout PieceRules) -> Void = { _ in }
  ) throws -> PieceRules {
    var rules = PieceRules()
    rules.parallel = atOnce
    rules.finish = Call(method: "POST")
    if let each { rules.each = PieceRules.Each(try template(each), separator: separator) }
    change(&rules)
    return rules
  }

  private static func progress(
    _ size: Int64 = 4, taken: [Int]? = nil, kept: [[String]] = [], hasTaken: Bool = true
  ) -> PieceProgress {
    var progress = PieceProgress(id: "u", size: size, seal: "s")
    (progress.kept, progress.hasTaken) = (kept, hasTaken)
    progress.done = taken.map { indexes in
      indexes.reduce(into: PieceSet()) { $0.insert($1) }
    }
    return progress
  }

  private static let values = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())

  @Test(
    "One that fits what the server has is resumed as it is",
    arguments: [
      (progress(kept: [["a"], ["b"]]), 8), (progress(hasTaken: false), 0),
      // Not at the end of a piece, but at the end of the file.
      (progress(kept: [["a"], ["b"], ["c"]]), 10),
    ] as [(PieceProgress, Int64)])
  func resumed(_ progress: PieceProgress, at offset: Int64) throws {
    #expect(progress.resumed(at: offset, of: 10, by: try Self.rules(atOnce: 1)) == progress)
  }

  @Test(
    "An impossible one is not resumed",
    arguments: [
      ("no size", progress(0), 0), ("before the file", progress(), -4),
      ("behind the file", progress(), 12),
      ("more bytes than pieces", progress(taken: [0], kept: [["a"]]), 8),
      ("fewer bytes than pieces", progress(taken: [0, 2], kept: [["a"], [], ["c"]]), 4),
      ("a piece that the file does not have", progress(taken: [3], kept: [[], [], [], ["d"]]), 0),
      ("a value is missing", progress(taken: [0, 1], kept: [["a"], []]), 8),
      ("values of a piece that is not there", progress(taken: [1], kept: [["a"], ["b"]]), 4),
      ("too many values", progress(kept: [["a"], ["b"], ["c"]]), 8),
      ("inside a piece, so that no piece is known to be there", progress(kept: [["a"]]), 6),
    ] as [(String, PieceProgress, Int64)])
  func impossible(_ why: String, _ progress: PieceProgress, at offset: Int64) throws {
    #expect(progress.resumed(at: offset, of: 10, by: try Self.rules()) == nil, "\(why)")
  }

  @Test("Pieces that went in order may go on in any order: those before the offset are there")
  func anyOrder() throws {
    let old = Self.progress(kept: [["a"], ["b"]])
    let new = try #require(old.resumed(at: 8, of: 10, by: try Self.rules()))
    #expect(new.done == PieceSet(first: 2))
    let whole = Self.progress(kept: [["a"], ["b"], ["c"]])
    #expect(whole.resumed(at: 10, of: 10, by: try Self.rules())?.done == PieceSet(first: 3))
  }

  @Test("Pieces that went in any order do not go on in order")
  func inOrder() throws {
    let progress = Self.progress(taken: [0, 1], kept: [["a"], ["b"]])
    let rules = try Self.rules { $0.status = Call(method: "GET") }
    #expect(progress.resumed(at: 8, of: 10, by: rules) == nil)
  }

  @Test("The list has each piece in order, with what was kept of it")
  func list() throws {
    let progress = Self.progress(kept: [["a"], ["b"], ["c"]])
    #expect(
      progress.list(Self.values, of: 10, by: try Self.rules()) == "1=a, 2=b, 3=c")
    let numbers = try Self.rules(each: "{piece.number}", separator: nil)
    #expect(Self.progress().list(Self.values, of: 10, by: numbers) == "[1,2,3]")
    #expect(Self.progress().list(Self.values, of: 0, by: numbers) == "[1]", "an empty file")
    #expect(progress.list(Self.values, of: 10, by: try Self.rules(each: nil)).isEmpty)
  }
}
