import Foundation
import Testing
import UploadDraft

/// The rows are what the texts of the drafts say.
@Suite("What each version of the draft says")
struct DraftVersionTests {
  @Test func numbers() {
    #expect(DraftVersion.allCases.map(\.number) == Array(3...10))
    #expect(
      DraftVersion.newest.number == 10
        && DraftVersion.newest.older.map(\.number) == [9, 8, 7, 6, 5, 4, 3])
    #expect(DraftVersion(rawValue: 3)?.older == [])
    #expect(DraftVersion(rawValue: 2) == nil && DraftVersion(rawValue: 11) == nil)
  }

  static let rules: [(DraftVersion.Rule, ClosedRange<Int64>)] = [
    (.incomplete, 3...3), (.bareQuestions, 3...6), (.statedCompleteness, 3...9),
    (.progress, 5...10), (.pieceType, 6...10), (.length, 6...10), (.limits, 6...10),
    (.maxAge, 7...10), (.markedReplies, 7...10), (.replay, 8...10),
  ]

  @Test(arguments: rules) func rule(_ rule: DraftVersion.Rule, _ numbers: ClosedRange<Int64>) {
    #expect(DraftVersion.allCases.filter { $0.has(rule) }.map(\.number) == Array(numbers))
  }

  @Test func allRulesHaveRows() {
    #expect(Set(Self.rules.map(\.0)) == Set(DraftVersion.Rule.allCases))
  }

  @Test(
    arguments: [
      ("3", 3), ("10", 10), (" 6 ", 6), ("11", nil), ("2", nil), ("\"6\"", nil), ("6.0", nil),
      ("", nil),
      ("6, 7", nil), (nil, nil), ("6;a=1", 6),
    ] as [(String?, Int64?)])
  func named(_ value: String?, _ number: Int64?) {
    #expect(DraftVersion(named: value)?.number == number)
  }

  @Test(arguments: DraftVersion.allCases) func completeness(_ version: DraftVersion) {
    for isComplete in [true, false] {
      let (name, value) = version.completeness(isComplete)
      #expect(name == (version.number == 3 ? "Upload-Incomplete" : "Upload-Complete"))
      #expect(value == (isComplete != (version.number == 3) ? "?1" : "?0"))
      #expect(version.isComplete { $0 == name.lowercased() ? value : nil } == isComplete)
    }
    #expect(version.isComplete { _ in nil } == nil)
    #expect(version.isComplete { _ in "1" } == nil)
    // The field of the other versions says nothing.
    let other = version.number == 3 ? "upload-complete" : "upload-incomplete"
    #expect(version.isComplete { $0 == other ? "?1" : nil } == nil)
  }

  @Test func fields() {
    #expect(
      DraftVersion.allCases.map(\.ageKey) == Array(repeating: "expires", count: 4)
        + Array(repeating: "max-age", count: 4))
    #expect(
      DraftVersion.allCases.map { $0.pieceType != nil } == [
        false, false, false, true, true, true, true, true,
      ])
    #expect(DraftVersion.newest.pieceType == "application/partial-upload")
    #expect(DraftVersion.newest.stamp == ("Upload-Draft-Interop-Version", "10"))
  }

  @Test(arguments: DraftVersion.allCases) func isKeptByNumber(_ version: DraftVersion) throws {
    let data = try JSONEncoder().encode([version])
    #expect(String(decoding: data, as: UTF8.self) == "[\(version.number)]")
    #expect(try JSONDecoder().decode([DraftVersion].self, from: data) == [version])
  }

  @Test func unknownNumberIsNotRead() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DraftVersion].self, from: Data("[11]".utf8))
    }
  }
}
