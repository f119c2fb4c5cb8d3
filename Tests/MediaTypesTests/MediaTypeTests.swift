import MediaTypes
import Testing

@Suite("MediaType")
struct MediaTypeTests {
  @Test(
    "keeps the essence, lower case, without parameters",
    arguments: [
      ("image/jpeg", "image/jpeg"),
      ("Text/HTML; charset=UTF-8", "text/html"),
      ("  video/MP2T\t", "video/mp2t"),
      (
        "application/vnd.ms-excel.sheet.macroEnabled.12",
        "application/vnd.ms-excel.sheet.macroenabled.12"
      ),
      ("application/ld+json;", "application/ld+json"),
    ])
  func accepts(text: String, essence: String) throws {
    let type = try #require(MediaType(text))
    #expect(type.description == essence)
    #expect("\(type.type)/\(type.subtype)" == essence)
  }

  @Test(
    "refuses what could not stand in a header",
    arguments: [
      "", "/", "text", "text/", "/plain", "text/pl ain", "text /plain", "text/plain/x",
      "text/pläin",
      "text/plain\r\nX-Evil: 1", "text/\"plain\"", ";charset=utf-8", "\u{0}/\u{0}",
    ])
  func refuses(text: String) {
    #expect(MediaType(text) == nil)
  }
}
