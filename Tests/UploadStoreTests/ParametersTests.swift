import Foundation
import TestSupport
import Testing
import UploadStore

@Suite("Parameters of a statement")
struct ParametersTests {
  private let db: Database

  init() throws { db = try Database(path: ":memory:", patience: 0) }

  /// The type and the text that SQLite has for a value.
  private func stored(_ add: (inout Parameters) -> Void) throws -> String? {
    try db.statement("SELECT typeof(?1) || ' ' || quote(?1)").value(add)
  }

  @Test("a value of each type arrives as itself, empty ones included")
  func types() throws {
    #expect(try stored { $0.add("é\u{0}'") }?.hasPrefix("text 'é") == true)
    #expect(try stored { $0.add("") } == "text ''")
    #expect(try stored { $0.add(nil as String?) } == "null NULL")
    #expect(try stored { $0.add([0, 255] as [UInt8]) } == "blob X'00FF'")
    #expect(try stored { $0.add([] as [UInt8]) } == "blob X''")
    #expect(try stored { $0.add(-7 as Int) } == "integer -7")
    #expect(try stored { $0.add(Int64.min) } == "integer -9223372036854775808")
    #expect(try stored { $0.add(UInt64.max) } == "integer -1")
    #expect(try stored { $0.add(Int128.max) } == "text '170141183460469231731687303715884105727'")
    #expect(try stored { $0.add(true) } == "integer 1")
    #expect(try stored { $0.add(0.5) } == "real 0.5")
    let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    #expect(try stored { $0.add(uuid) } == "blob X'000102030405060708090A0B0C0D0E0F'")
  }

  @Test("what is not given is NULL, also after a run in which it was given")
  func rest() throws {
    let statement = try db.statement("SELECT COALESCE(?1, 'none') || COALESCE(?2, 'none')")
    #expect(
      try statement.value {
        $0.add("a")
        $0.add("b")
      } == "ab")
    #expect(try statement.value { $0.add("c") } == "cnone")
    #expect(try statement.value { _ in } == "nonenone")
  }

  @Test("a value without a parameter is refused")
  func tooMany() throws {
    let statement = try db.statement("SELECT ?1")
    #expect(throws: DatabaseError.self) {
      try statement.execute {
        $0.add(1)
        $0.add(2)
      }
    }
  }
}
