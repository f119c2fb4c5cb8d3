import Testing
import UploadModel

/// The sentence in which a server says what is wrong, out of whatever it is wrapped in.
@Suite struct ReplyMessageTests {
  @Test(arguments: [
    // JSON, the ways in which servers and frameworks say it.
    (#"{"error": {"code": 413, "message": "too large"}}"#, "too large"),
    (#"{"message": "Maximum upload size exceeded"}"#, "Maximum upload size exceeded"),
    (#"{"detail": "Not authenticated"}"#, "Not authenticated"),
    (#"{"detail": [{"loc": ["body", "file"], "msg": "field required"}]}"#, "field required"),
    (#"{"error": "maximum upload size is 100 MB"}"#, "maximum upload size is 100 MB"),
    (#"{"error": "invalid_token", "error_description": "It has expired"}"#, "It has expired"),
    (#"{"errors": ["first", "second"]}"#, "first"),
    (#"{"errors": [{"title": "Bad file", "detail": "no extension"}]}"#, "Bad file: no extension"),
    (#"{"errors": {"file": ["is too big"]}}"#, "file: is too big"),
    (#"{"message": "", "error": "the real one"}"#, "the real one"),
    (#"["only one"]"#, "only one"), (#""a string""#, "a string"),
    // RFC 9457.
    (
      #"{"type": "https://e.org/q", "title": "Out of credit.", "detail": "30, but it costs 50.", "status": 403}"#,
      "Out of credit: 30, but it costs 50."
    ),
    (#"{"title": "Forbidden", "status": 403}"#, "Forbidden"),
    // JSON that says nothing, or is none: as it came.
    (#"{"status": 413}"#, #"{"status": 413}"#), (#"{"message": "cut of"#, #"{"message": "cut of"#),
    ("{}", "{}"),
    // HTML.
    (
      "<!DOCTYPE html>\n<html><HEAD><TITLE>413 Request Entity\n Too Large</TITLE></HEAD><body>",
      "413 Request Entity Too Large"
    ),
    (
      "<html><header>no</header><h1 class='a'>Sorry, <b>no</b> &amp; no&#33;</h1>",
      "Sorry, no & no!"
    ),
    (
      "<html><title> </title><h2>Only here &#x2013; &unknown; & so</h2>",
      "Only here – &unknown; & so"
    ),
    ("<title>never ends", "never ends"),
    (
      "<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1><h2>The backend sleeps</h2>",
      "The backend sleeps"
    ),
    // S3.
    (
      "<?xml version='1.0'?><Error><Code>EntityTooLarge</Code><Message>Too much.</Message></Error>",
      "Too much."
    ),
    // Text.
    ("\n\n  quota\texceeded  \r\nsecond line", "quota exceeded"), ("no", "no"),
  ])
  func said(_ reply: String, _ message: String) {
    #expect(Reply(text: reply).message == message)
  }

  @Test(arguments: ["", " \r\n ", "<html><body><p>x</p></body></html>", "<", "<title></title>"])
  func nothingSaid(_ reply: String) { #expect(Reply(text: reply).message == nil) }

  @Test func longAndDeepAndCutRepliesAreBounded() {
    #expect(Reply(text: String(repeating: "a", count: 60_000)).message?.count == 401)
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(Reply(text: deep).message == deep)
    let page = "<html>" + String(repeating: " ", count: 60_000) + "<title>far away</title>"
    #expect(Reply(text: page).message == nil)
    #expect(Reply(text: "{\"message\": \"a\"} and", isCut: true).message?.hasPrefix("{") == true)
  }

  /// A combining mark after a bracket or a quote makes one character of both.
  @Test func marksDoNotHideTheMarkup() {
    #expect(Reply(text: "<\u{301}").message == nil)
    #expect(Reply(text: "<title>\u{301}e</title>\u{301}").message == "\u{301}e")
  }
}
