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
    // Fields may be called what other servers call their messages.
    (#"{"errors": {"title": ["is too short", "is rude"]}}"#, "title: is too short"),
    (#"{"errors": {"message": ["is blank"], "title": []}}"#, "message: is blank"),
    (
      #"{"message": "Invalid.", "errors": {"title": ["Too short."]}}"#, "Invalid: title: Too short."
    ),
    (#"{"title": ["This field is required."]}"#, "title: This field is required."),
    (#"{"errors": [{"field": "title", "message": "is too short"}]}"#, "title: is too short"),
    (#"{"errors": [{"field": "title", "message": "Title is bad"}]}"#, "Title is bad"),
    (#"{"error": {"field": "title", "code": "short"}}"#, "title: short"),
    (#"{"errors": {"code": ["E7"], "file": ["is too large"]}}"#, "file: is too large"),
    // And some words are about no field.
    (#"{"message": "no file", "field": ""}"#, "no file"),
    (#"{"message": "no file", "field": " "}"#, "no file"),
    (#"{"__all__": ["You have 3 already"]}"#, "You have 3 already"),
    (#"{"errors": {"base": ["You have 3 already"], "title": ["no"]}}"#, "You have 3 already"),
    (#"{"errors": {"_errors": ["not today"]}}"#, "not today"),
    (#"{"data": {"errors": ["no room"]}}"#, "no room"),
    (#"{"errors": {}, "reason": "none"}"#, "none"),
    (#"{"message": "", "error": "the real one"}"#, "the real one"),
    (#"["only one"]"#, "only one"), (#""a string""#, "a string"),
    (#"{"errors": [{"code": "BLOB_UPLOAD_INVALID"}]}"#, "BLOB_UPLOAD_INVALID"),
    (#"{"errors": [{"code": "DENIED", "message": "no push"}]}"#, "no push"),
    // GitHub.
    (
      #"{"message": "Validation Failed", "errors": [{"resource": "ReleaseAsset", "code": "already_exists", "field": "name"}]}"#,
      "Validation Failed: name: already_exists"
    ),
    // Laravel.
    (
      #"{"message": "The data was invalid.", "errors": {"file": ["It is too big."], "tag": ["no"]}}"#,
      "The data was invalid: file: It is too big."
    ),
    // Google says it twice.
    (#"{"error": {"code": 400, "message": "bad", "errors": [{"message": "bad"}]}}"#, "bad"),
    // Jira, GitLab, Django, Discord, Telegram, Dropbox, Imgur, Seafile.
    (#"{"errorMessages": [], "errors": {"file": "no room"}}"#, "file: no room"),
    (#"{"message": {"file": ["is missing"]}}"#, "file: is missing"),
    (#"{"file": ["No file was submitted."], "tag": ["too long"]}"#, "file: No file was submitted."),
    (
      #"{"message": "Invalid Form Body", "code": 50035, "errors": {"content": {"_errors": [{"code": "X", "message": "This field is required"}]}}}"#,
      "Invalid Form Body: content: This field is required"
    ),
    (
      #"{"ok": false, "error_code": 400, "description": "Bad Request: no chat"}"#,
      "Bad Request: no chat"
    ),
    (
      #"{"error_summary": "path/conflict/file/..", "error": {".tag": "path"}}"#,
      "path/conflict/file/.."
    ),
    (#"{"data": {"error": "over capacity"}, "success": false}"#, "over capacity"),
    (#"{"error_msg": "Out of quota"}"#, "Out of quota"),
    (#"{"code": "bad_request", "status": 400}"#, "bad_request"),
    // RFC 9457.
    (
      #"{"type": "https://e.org/q", "title": "Out of credit.", "detail": "30, but it costs 50.", "status": 403}"#,
      "Out of credit: 30, but it costs 50."
    ),
    (#"{"title": "Forbidden", "status": 403}"#, "Forbidden"),
    // JSON that says nothing, and text that is not JSON: as it came.
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
    // sabre/dav and Nextcloud, SOAP, Azure, and XML that has only a code.
    (
      """
      <?xml version="1.0" encoding="utf-8"?>
      <d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
        <s:exception>Sabre\\DAV\\Exception\\BadRequest</s:exception>
        <s:message>X-OC-MTime header must be a valid positive integer</s:message>
      </d:error>
      """, "X-OC-MTime header must be a valid positive integer"
    ),
    (
      "<d:error xmlns:d='DAV:'><s:exception>OCA\\DAV\\FileLocked</s:exception><s:message/></d:error>",
      "OCA\\DAV\\FileLocked"
    ),
    (
      "<soap:Envelope><soap:Body><soap:Fault><faultcode>x</faultcode><faultstring>No &lt;file&gt;</faultstring></soap:Fault>",
      "No <file>"
    ),
    ("<?xml version='1.0'?><Error><Code>NoSuchBucket</Code></Error>", "NoSuchBucket"),
    ("<r><!-- <message>no</message> --><message><![CDATA[a < b]]></message></r>", "a < b"),
    (
      "<problem xmlns='urn:ietf:rfc:7807'><title>Out of credit.</title><detail>It costs 50.</detail></problem>",
      "Out of credit: It costs 50."
    ),
    ("<result><error>file type</error></result>", "file type"),
    // Pages whose title is the status: nginx, Apache, Flask, Tomcat, Jetty. PyPI says it in the title.
    (
      """
      <html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>
      <body><center><h1>400 Bad Request</h1></center><center>The plain HTTP request was sent to HTTPS port</center>
      """, "400 The plain HTTP request was sent to HTTPS port"
    ),
    (
      """
      <html><head><title>413 Request Entity Too Large</title></head><body>
      <center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx/1.18.0 (Ubuntu)</center></body></html>
      """, "413 Request Entity Too Large"
    ),
    (
      """
      <!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>400 Bad Request</title>
      <style>p { color: red }</style><SCRIPT>if (a < b) alert("no")</SCRIPT></head><body><h1>Bad Request</h1>
      <p>Size of a request header field exceeds<br />server limit.</p><address>Apache/2.4 Server at h</address>
      """, "Size of a request header field exceeds server limit."
    ),
    (
      "<!doctype html><html lang=en><title>400 Bad Request</title><h1>Bad Request</h1><p>The CSRF token is missing.</p>",
      "The CSRF token is missing."
    ),
    (
      "<html><head><title>HTTP Status 400 \u{2013} Bad Request</title></head><body><h1>HTTP Status 400 \u{2013} Bad Request</h1><hr /><p><b>Type</b> Status Report</p><p><b>Message</b> Required part &#39;file&#39; is not present</p><p><b>Description</b> The server cannot</p>",
      "Required part 'file' is not present"
    ),
    (
      "<html><head><title>Error 400 Bad Request</title></head><body><h2>HTTP ERROR 400 Bad Request</h2><table><tr><th>URI:</th><td>/up</td></tr><tr><th>MESSAGE:</th><td>no boundary</td></tr></table>",
      "no boundary"
    ),
    (
      "<html><head><title>400 File already exists.</title></head><body><h1>400 File already exists.</h1>",
      "400 File already exists."
    ),
    // The title is a status, perhaps with the name of the site; the sentence says why.
    ("<title>500</title><p>The disk is full.</p>", "The disk is full."),
    (
      "<!doctype html><html><head><title>500 | Shop</title></head><body><h1>500</h1><p>No room left.</p>",
      "No room left."
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
