import Testing
import UploadModel

@testable import Sessions

@Suite("The reasons in a summary")
struct ReasonLinesTests {
  @Test("a server that has its own words for each file does not fill the terminal")
  func manyReasons() {
    let failed = (1...12).map { number in
      (
        FailureReason(
          Failure(.refused, status: 403, reply: Reply(text: "request \(number)"), attempts: 1),
          of: "a"), number
      )
    }
    let lines = ReasonLines.cut(FailureGroup.gathered(failed), \.line)
    #expect(lines.count == 11)
    #expect(lines.first?.contains("request") == true)
    #expect(lines.last == "  … and 2 reasons more")
  }
}
