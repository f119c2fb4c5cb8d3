import Testing

@testable import ProcessContext
@testable import Sessions

/// What a person says about one file behind its name.
struct FileArgumentTests {
  private func wish(_ argument: String, exists: Set<String> = []) throws -> FileArgument {
    try FileArgument(argument) { exists.contains($0) }
  }

  @Test(
    arguments: [
      ("a.jpg", "a.jpg", nil, nil, nil), ("a;b.jpg", "a;b.jpg", nil, nil, nil),
      ("a;type=image/webp", "a", nil, "image/webp", nil),
      ("a;b;name=c;field=d", "a;b", "c", nil, "d"),
      ("*.jpg;type=IMAGE/png", "*.jpg", nil, "image/png", nil),
      ("a;filename=b=c", "a", "b=c", nil, nil),
      ("a;type=image/webp;name=b.jpg;field=photo", "a", "b.jpg", "image/webp", "photo"),
    ] as [(String, String, String?, String?, String?)])
  func isTakenApart(
    _ argument: String, _ path: String, _ name: String?, _ type: String?, _ field: String?
  ) throws {
    let wish = try wish(argument)
    #expect(wish.path == path && wish.name == name && wish.type == type && wish.field == field)
  }

  @Test func aFileOfThatNameIsThatFile() throws {
    let name = "odd;type=x"
    #expect(try wish(name, exists: [name]).path == name)
  }

  @Test(arguments: [
    "a;type=jpeg", "a;name=", "a;field=x;colour=red", "a;type=image/png;b",
  ])
  func whatIsNoWish(_ argument: String) {
    #expect(throws: UserError.self) { try wish(argument) }
  }
}
