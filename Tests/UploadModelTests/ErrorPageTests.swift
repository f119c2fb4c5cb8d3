import Testing
import UploadModel

/// The error pages of servers and frameworks: the sentence for a row, and the text for the details.
@Suite("Error pages") struct ErrorPageTests {
  struct Page: Sendable, CustomTestStringConvertible {
    let server: String
    let source: String
    let sentence: String
    let text: [String]

    var testDescription: String { server }
  }

  static let pages = [
    Page(
      server: "nginx",
      source: """
        <html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r
        <center><h1>413 Request Entity Too Large</h1></center>\r
        <hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r
        <!-- a padding to disable MSIE and Chrome friendly error page -->\r
        """,
      sentence: "413 Request Entity Too Large",
      text: ["413 Request Entity Too Large", "nginx/1.24.0"]),
    Page(
      server: "Apache",
      source: """
        <!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">
        <html><head>
        <title>413 Request Entity Too Large</title>
        </head><body>
        <h1>Request Entity Too Large</h1>
        The requested resource does not allow request data with POST requests, or the amount of data provided in
        the request exceeds the capacity limit.
        <hr>
        <address>Apache/2.4.57 (Debian) Server at h Port 80</address>
        </body></html>
        """,
      sentence:
        "The requested resource does not allow request data with POST requests, or the amount of "
        + "data provided in the request exceeds the capacity limit.",
      text: [
        "413 Request Entity Too Large", "Request Entity Too Large",
        "The requested resource does not allow request data with POST requests, or the amount of data provided in "
          + "the request exceeds the capacity limit.",
        "Apache/2.4.57 (Debian) Server at h Port 80",
      ]),
    Page(
      server: "IIS",
      source: """
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml"><head><title>404 - File or directory not found.</title>
        <style type="text/css"><!--
        body{margin:0;font-size:.7em}
        --></style></head><body>
        <div id="header"><h1>Server Error</h1></div>
        <div id="content"><div class="content-container"><fieldset>
        <h2>404 - File or directory not found.</h2>
        <h3>The resource you are looking for might have been removed.</h3>
        </fieldset></div></div></body></html>
        """,
      sentence: "The resource you are looking for might have been removed.",
      text: [
        "404 - File or directory not found.", "Server Error", "404 - File or directory not found.",
        "The resource you are looking for might have been removed.",
      ]),
    Page(
      server: "Django",
      source: """
        <!doctype html><html lang="en"><head><title>403 Forbidden</title>
        <style>html * { padding:0; }</style></head>
        <body><div id="summary"><h1>Forbidden <span>(403)</span></h1>
        <p>CSRF verification failed. Request aborted.</p></div></body></html>
        """,
      sentence: "CSRF verification failed. Request aborted.",
      text: ["403 Forbidden", "Forbidden (403)", "CSRF verification failed. Request aborted."]),
    Page(
      server: "Django, to developers",
      source: """
        <!DOCTYPE html><html lang="en"><head><title>OperationalError at /up</title></head><body>
        <header id="summary"><h1>OperationalError at /up</h1>
        <pre class="exception_value">database is &#x27;locked&#x27;</pre></header></body></html>
        """,
      sentence: "database is 'locked'",
      text: ["OperationalError at /up", "database is 'locked'"]),
    Page(
      server: "Rails",
      source: """
        <!doctype html><html lang="en"><head><title>We're sorry, but something went wrong (500)</title></head>
        <body><div class="dialog"><div><h1>We&#39;re sorry, but something went wrong.</h1></div>
        <p>If you are the application owner check the logs for more information.</p></div></body></html>
        """,
      sentence: "We're sorry, but something went wrong (500)",
      text: [
        "We're sorry, but something went wrong (500)", "We're sorry, but something went wrong.",
        "If you are the application owner check the logs for more information.",
      ]),
    Page(
      server: "Rails, to developers",
      source: """
        <html><head><title>Action Controller: Exception caught</title></head><body>
        <header><h1>ActiveRecord::StatementInvalid in UploadsController#create</h1></header>
        <div id="container"><h2>SQLite3::BusyException: database is locked</h2></div></body></html>
        """,
      sentence: "SQLite3::BusyException: database is locked",
      text: [
        "Action Controller: Exception caught",
        "ActiveRecord::StatementInvalid in UploadsController#create",
        "SQLite3::BusyException: database is locked",
      ]),
    Page(
      server: "PHP",
      source: """
        <br />
        <b>Fatal error</b>:  Allowed memory size of 128 bytes exhausted in <b>/var/www/up.php</b> on line <b>3</b><br />
        """,
      sentence:
        "Fatal error: Allowed memory size of 128 bytes exhausted in /var/www/up.php on line 3",
      text: ["Fatal error: Allowed memory size of 128 bytes exhausted in /var/www/up.php on line 3"]
    ),
    Page(
      server: "Laravel",
      source: """
        <!DOCTYPE html><html><head><title>Server Error</title></head><body>
        <div class="code">500</div><div class="message">Server Error</div></body></html>
        """,
      sentence: "Server Error", text: ["Server Error", "500", "Server Error"]),
    Page(
      server: "Tomcat",
      source: """
        <!doctype html><html lang="en"><head><title>HTTP Status 413 – Payload Too Large</title></head><body>
        <h1>HTTP Status 413 – Payload Too Large</h1><hr class="line" /><p><b>Type</b> Status Report</p>
        <p><b>Message</b> The file is larger than 10 MB</p><hr class="line" /><h3>Apache Tomcat/9.0.31</h3>
        </body></html>
        """,
      sentence: "The file is larger than 10 MB",
      text: [
        "HTTP Status 413 – Payload Too Large", "Type Status Report",
        "Message The file is larger than 10 MB", "Apache Tomcat/9.0.31",
      ]),
    Page(
      server: "one of one's own",
      source: """
        <html><head><title>Oops! Error</title><script>if (a < b) track("<p>no</p>")</script></head><body>
        <h1>500</h1><p>Database is locked &amp; sad</p><table><tr><th>Code</th><td>17</td></tr></table></body></html>
        """,
      sentence: "Database is locked & sad",
      text: ["Oops! Error", "500", "Database is locked & sad", "Code 17"]),
    Page(
      server: "one with a trace",
      source: "<html><title>Error</title><pre>first line\n  second &lt;line&gt;\n</pre>",
      sentence: "first line second <line>", text: ["Error", "first line", "second <line>"]),
  ]

  @Test("a row has the sentence that says most", arguments: pages)
  func sentence(_ page: Page) { #expect(Reply(text: page.source).message == page.sentence) }

  @Test("the details have the text", arguments: pages)
  func text(_ page: Page) { #expect(Reply(text: page.source).page == page.text) }

  /// Its names are those of HTML, but not its elements.
  @Test(
    "a SOAP fault is no page",
    arguments: [
      "<soap:Envelope><soap:Body><soap:Fault>", "<Envelope xmlns=\"http://x\"><Body><Fault>",
      "<?xml version=\"1.0\"?>\n<s:Envelope><s:Header/><s:Body><s:Fault>",
    ])
  func fault(_ start: String) {
    let reply = Reply(text: start + "<faultcode>x</faultcode><faultstring>No &lt;file&gt;")
    #expect(reply.page == nil && reply.message == "No <file>")
  }

  @Test("an element that is never closed does not take the rest of the page")
  func unclosed() {
    let reply = Reply(
      text: "<html><title>Error</title><noscript>No scripts?</noscript>"
        + "<noscript><p>The disk is full today</p></html>")
    #expect(reply.page == ["Error", "The disk is full today"])
    #expect(reply.message == "The disk is full today")
  }

  @Test("the innermost <error> has the words", arguments: ["", "<b></b>", "<error></error>"])
  func innermost(_ before: String) {
    let text = "<error><code>7</code>\(before)<error>no room</error></error>"
    #expect(Reply(text: text).message == "no room")
  }

  @Test("elements in one another take no longer than those in a row", .timeLimit(.minutes(1)))
  func nested() {
    for name in ["h1", "error"] {
      let page = String(repeating: "<\(name)> ", count: 2000)
      for _ in 0..<20 { #expect(Reply(text: page).message == nil) }
    }
  }

  @Test("what is no page stays as it is")
  func others() {
    for text in ["", "no", "{}", "<Error><Code>NoSuchBucket</Code></Error>", "<html></html>"] {
      #expect(Reply(text: text).page == nil)
    }
  }
}
