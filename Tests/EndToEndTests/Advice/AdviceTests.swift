import Foundation
import TestSupport
import Testing
import UploadModel

extension EndToEnd {
  /// The tests do what hoist advises after a failure, and compare what the server then has.
  @Suite("A person does what hoist advises")
  struct AdviceTests {
    struct Case: Sendable, CustomTestStringConvertible {
      let row: AdviceRow
      let story: AdviceStory
      var testDescription: String { "\(story.way) \(row.testDescription)" }
    }

    static let cases = AdviceTable.rows.flatMap { row in
      row.stories.map { Case(row: row, story: $0) }
    }
    private static func isKey(_ story: AdviceStory) -> Bool {
      if case .screen = story.way { true } else { false }
    }

    @Test("by the command", arguments: cases.filter { !isKey($0.story) })
    func command(_ advice: Case) async throws { try await advice.story.run(advice.row) }

    @Test("by the key", arguments: cases.filter { isKey($0.story) })
    func key(_ advice: Case) async throws { try await advice.story.runOnScreen() }

    @Test func everyCauseHasARow() {
      let kinds = Set(AdviceTable.rows.map(\.kind))
      for kind in AdviceKind.allCases { #expect(kinds.contains(kind), "no row for \(kind)") }
      let faults = AdviceTable.rows.compactMap { row in
        if case .unresumable(let fault) = row.failure.cause { fault } else { nil }
      }
      #expect(Set(faults) == Set(ResumeFault.allCases))
    }

    @Test("the advice for every status is in the table, whether or not the file may have arrived")
    func everyStatus() {
      let known = Set(AdviceTable.rows.map(\.lastSentence))
      for status in 100...599 {
        for arrival in [Failure.Arrival.notArrived, .unclear] {
          var failure = Failure(.refused, status: status, attempts: 1)
          failure.arrival = arrival
          let row = AdviceRow(failure, .person)
          #expect(known.contains(row.lastSentence), "\(failure.explanation)")
        }
      }
    }

    /// No advice sends a file unencrypted or to a server that nobody has checked. Advice that only a person can follow names
    /// no command.
    @Test(arguments: AdviceTable.rows)
    func noAdviceDoesHarm(_ row: AdviceRow) throws {
      let words = row.failure.explanation
      let addresses = [
        "http://USER:PASSWORD@HOST:PORT", "http://a.example/files/1", "http://b.example/v",
        "http://h/a.bin",
      ]
      for harm in ["http://", "--insecure"] {
        #expect(
          !addresses.reduce(words, { $0.replacing($1, with: "") }).contains(harm), "\(words)")
      }
      switch row.remedy {
      case .person:
        for command in ["hoist ", "Retry", "retry.", "--"] {
          #expect(!words.contains(command), "\(words)")
        }
      case .test(let name, let file):
        let path = Person.repository.appendingPathComponent("Tests/EndToEndTests/\(file).swift")
        #expect(try String(contentsOf: path, encoding: .utf8).contains("func \(name)("), "\(row)")
      case .stories(let stories):
        let isCarriedOut = AdviceTable.rows.contains {
          $0.lastSentence == row.lastSentence && !$0.stories.isEmpty
        }
        #expect(!stories.isEmpty || isCarriedOut, "\(row.testDescription)")
      }
    }
  }
}
