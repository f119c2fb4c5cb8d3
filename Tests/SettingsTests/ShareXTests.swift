import Foundation
import JSONText
import Testing
import UploadModel

@testable import Settings

struct ShareXTests {
  private func imported(_ text: String) throws -> (text: String, notes: [String]) {
    let uploader = try ShareXUploader(text)
    let table = TargetText.of(uploader.target, named: uploader.name, isRevealing: true)
    // What comes out has to be a configuration.
    let settings = try Settings.parse(table, file: "c.toml", environment: [:])
    let target = try #require(settings.blueprint(of: uploader.name))
    #expect(TargetText.of(target, named: uploader.name, isRevealing: true) == table)
    return (table, uploader.notes)
  }

  @Test func thePresentSyntax() throws {
    let (text, notes) = try imported(
      #"""
      {
        "Version": "15.0.0",
        "Name": "My Host (images)",
        "DestinationType": "ImageUploader, FileUploader",
        "RequestMethod": "POST",
        "RequestURL": "https://img.example/api/upload",
        "Parameters": { "z": "1", "api_key": "k3y" },
        "Headers": { "Authorization": "Basic {base64:me:secret}", "Content-Length": "1" },
        "Body": "MultipartFormData",
        "Arguments": { "zeta": "{filename}", "alpha": "%unix", "password": "hunter2", "when": "%mo" },
        "FileFormName": "images[]",
        "URL": "https://i.example/{json:data.files[0]['link id']}.png",
        "ThumbnailURL": "{json:data.thumb}",
        "DeletionURL": "https://i.example/delete/{json:data.key}",
        "ErrorMessage": "{json:error}"
      }
      """#)
    #expect(
      text == """
        [targets.my-host-images]
        url = "https://img.example/api/upload"
        file_field = "images[]"
        fields = [
          { name = "zeta", value = "{file.name}" },
          { name = "alpha", value = "{unix_s}" },
          { name = "password", value = "hunter2" },
        ]
        query = { api_key = "k3y", z = "1" }
        headers = { Authorization = "Basic bWU6c2VjcmV0" }

        [targets.my-host-images.response]
        url = { pointer = "/data/files/0/link id", prefix = "https://i.example/", suffix = ".png" }
        deletion_url = { pointer = "/data/key", prefix = "https://i.example/delete/" }

        """)
    #expect(
      notes == [
        "Headers: Content-Length is set by hoist itself",
        "Arguments when: %mo has no counterpart here",
        "ThumbnailURL: hoist has no such setting",
        "ErrorMessage: hoist has no such setting",
      ])
  }

  @Test func theOldSyntax() throws {
    let (text, notes) = try imported(
      #"""
      {
        "Name": "old",
        "RequestType": "POST",
        "RequestURL": "http://old.example/up.php",
        "FileFormName": "sharex",
        "Arguments": { "secret": "abc", "name": "$filename$" },
        "Version": "12.4.1",
        "RegexList": [ "x", "<a href=\"([^\"]+)\">(\\w{2,3})" ],
        "URL": "http://old.example/$regex:2|1$"
      }
      """#)
    #expect(notes.isEmpty)
    #expect(
      text == #"""
        [targets.old]
        url = "http://old.example/up.php"
        file_field = "sharex"
        fields = [
          { name = "secret", value = "abc" },
          { name = "name", value = "{file.name}" },
        ]

        [targets.old.response]
        url = { regex = '<a href="([^"]+)">(\w{2,3})', prefix = "http://old.example/" }

        """#)
  }

  @Test(arguments: [
    ("15.0.0", "{json:url}", "url = \"/url\""),
    ("12.0.0", "$json:data.link$", "url = \"/data/link\""),
    ("15.0.0", "{json:$.a['b/c'][2]}", "url = \"/a/b~1c/2\""),
    ("15.0.0", "{response}", #"regex = '\S+'"#), ("13.7.1", "$response$", #"regex = '\S+'"#),
    ("13.7.1", "$json:a$", "url = \"/a\""), ("13.7.2", "{json:a}", "url = \"/a\""),
    ("12.0.0", "$response$", #"regex = '\S+'"#),
    ("15.0.0", "{header:Location}", "header = \"location\""),
    ("15.0.0", "{regex:\\d{3,}}", #"regex = '\d{3,}'"#),
    ("15.0.0", "{regex:id=(\\d+)|1}", #"regex = 'id=(\d+)'"#),
    ("15.0.0", "{regex:a(\\d)|0}", #"regex = '(a(\d))'"#),
    ("15.0.0", "{regex:(a)(b)|2}", #"regex = "(?:a)(b)""#),
    ("15.0.0", #"{regex:u="(?<url>.+)"|url}"#, #"regex = 'u="(?<url>.+)"'"#),
    ("15.0.0", #"{regex:(?<q>['"])(\w+)\k<q>|q}"#, #"(?<q>['\"])(\\w+)\\k<q>""#),
    ("15.0.0", #"{regex:(?<=id=)(?'n'\d+)(?!x)|1}"#, #"regex = "(?<=id=)(?'n'\\d+)(?!x)""#),
    ("15.0.0", #"{regex:(['"])\w+\1|1}"#, #"(['\"])\\w+\\1""#),
    ("15.0.0", #"{regex:{response}|id=(\d)|1}"#, #"regex = 'id=(\d)'"#),
    ("15.0.0", #"{regex:(a\|b)|1}"#, #"regex = "(a|b)""#),
    // Those without a name count first.
    ("15.0.0", "{regex:(?<n>a)[(](b)|1}", #"regex = "(?:a)[(](b)""#),
    ("15.0.0", "{regex:(?<n>a)[(](b)|2}", #"regex = "(?<n>a)[(](b)""#),
    ("15.0.0", "{regex:(?i)a(b)}", #"regex = "((?i)a(b))""#),
    (
      "15.0.0", "http://x/{json:a}/{regex:b(c)|1}{header:D}.e",
      #"url = [ { pointer = "/a", prefix = "http://x/" }, { regex = "b(c)", prefix = "/" }, { header = "d", suffix = ".e" } ]"#
    ),
    ("12.0.0", "$responseurl$.jpeg", #"url = { header = "location", suffix = ".jpeg" }"#),
    ("12.0.0", "$responseurl$", #"ok = [ "200-299", "301-303" ]"#),
    ("15.0.0", "https://{random:a.example|b.example}/{json:f}", #"prefix = "https://a.example/""#),
    ("12.0.0", "http://x/$json:id$", "prefix = \"http://x/\""),
    ("15.0.0", "", #"regex = '\S+'"#),
  ])
  func addresses(_ version: String, _ url: String, _ expected: String) throws {
    let quoted = JSONValue.string(url).source
    let (text, notes) = try imported(
      #"{"Version":"\#(version)","RequestURL":"http://h/","URL":\#(quoted)}"#)
    #expect(text.contains(expected), "\(text)")
    #expect(notes.isEmpty)
  }

  @Test(arguments: [
    ("{xml:/a/b}", "hoist has no counterpart of {xml}"),
    ("{json:a[*].b}", "the path \"a[*].b\" cannot be written as a JSON Pointer"),
    ("{regex:(a)(b)|3}", "the regular expression has no group 3"),
    ("{regex:(a)(b)|x}", "the regular expression has no group x"),
    (
      "{regex:(a)|-9223372036854775808}", "the regular expression has no group -9223372036854775808"
    ),
    ("{regex:{header:x}|(a)|1}", "the expression searches something other than the reply"),
    (
      "{regex:(?=a}",
      "the regular expression is invalid near character 4: missing closing parenthesis"
    ),
    // Another group would change what back references mean, or it is unclear which group is meant.
    (
      #"{regex:(a)\1}"#,
      "hoist uses the first group of a regular expression; rewrite it so that the first group is the one you want"
    ),
    (
      #"{regex:(a)(b)\1|2}"#,
      "hoist uses the first group of a regular expression; rewrite it so that the first group is the one you want"
    ),
    (
      "{regex:(?#(c)(a)(b)|2}",
      "hoist uses the first group of a regular expression; rewrite it so that the first group is the one you want"
    ),
    ("http://fixed/", "it takes nothing from the reply"),
    ("{json:a", "a placeholder is not closed"),
  ])
  func addressesThatAreNotCarriedOver(_ url: String, _ note: String) throws {
    let quoted = JSONValue.string(url).source
    let (text, notes) = try imported(
      #"{"Version":"15.0.0","RequestURL":"http://h/","URL":\#(quoted)}"#)
    #expect(notes == ["URL: \(note)"])
    #expect(!text.contains("response"))
  }

  @Test(arguments: [
    ("[]", "is not a JSON object, the format of ShareX uploaders"),
    ("{}", "has no RequestURL"),
    (
      #"{"RequestURL":"http://h/","URL":"{json:link}"}"#,
      "has no Version, so it is unclear which of ShareX's two syntaxes it uses; add \"Version\": \"15.0.0\" for {json:link}, or \"12.0.0\" for $json:link$"
    ),
    (#"{"Version":"15"}"#, "has no RequestURL"),
    (
      #"{"Version":"15","RequestURL":"http://{filename}/"}"#,
      "RequestURL: expected an http or https URL with a host, found \"http://\""
    ),
    (
      #"{"Version":"15","RequestURL":"x"}"#,
      "RequestURL: expected a URL such as https://host/upload, found \"x\", which lacks http:// or https://"
    ),
    (
      #"{"Version":"15","RequestURL":"http://h/{json:x}"}"#,
      "RequestURL: hoist has no counterpart of {json}"
    ),
    (
      #"{"Version":"15","RequestURL":"http://h/","RequestMethod":"GET"}"#,
      "RequestMethod is GET, which cannot send a file"
    ),
    (
      #"{"Version":"15","RequestURL":"http://h/","Body":"JSON"}"#,
      "Body is JSON, which sends text or URLs but no file"
    ),
  ])
  func whatIsNoUploader(_ text: String, _ message: String) {
    let mistake = #expect(throws: InvalidInput.self) { try ShareXUploader(text) }
    #expect(mistake?.description == message)
  }

  @Test func withoutVersionTheOldSyntaxIsTakenWhereItIsCertain() throws {
    let (text, notes) = try imported(
      #"""
      {"RequestType": "POST", "RequestURL": "http://h/", "Headers": {"token": 5}, "URL": "$json:url$",
       "DeletionURL": "http://h/$json:data.delete$"}
      """#)
    #expect(text.contains(#"url = "/url""#), "\(text)")
    #expect(
      text.contains(#"deletion_url = { pointer = "/data/delete", prefix = "http://h/" }"#),
      "\(text)")
    #expect(notes.isEmpty)
    for unclear in ["{json:url}", "$json:url$ {json:x}", "$price$", "a$"] {
      let quoted = JSONValue.string(unclear).source
      #expect(throws: InvalidInput.self, "\(unclear)") {
        try ShareXUploader(#"{"RequestURL":"http://h/","URL":\#(quoted)}"#)
      }
    }
  }

  @Test func numbersCommentsAndCommasAreTakenAsByShareX() throws {
    let (text, notes) = try imported(
      #"""
      // An uploader, with "quotes" and a , }
      {
        "Version": 15.0, /* the
        present one */ "RequestURL": "http://h//up", // not a comment in there
        "Headers": { "X-Level": 1.50, "X-Large": 12345678901234567890, "X-Say": "a,] // \" /* b",},
        "Arguments": { "on": true, "n": -3e2, },
        "URL": "{json:a[0]}",
      }
      // The end
      """#)
    #expect(text.contains(#"url = "http://h//up""#), "\(text)")
    #expect(text.contains(#"X-Level = "1.50""#), "\(text)")
    #expect(text.contains(#"X-Large = "12345678901234567890""#), "\(text)")
    #expect(text.contains(#"a,] // " /* b"#), "\(text)")
    #expect(text.contains(#""true""#) && text.contains(#""-3e2""#), "\(text)")
    #expect(notes.isEmpty, "\(notes)")
    for broken in ["{\"a\": 1.2.3}", "{} /* ", "{\"a\": \"", "/", "[,]]", "{\"a\" 1}"] {
      #expect(throws: InvalidInput.self, "\(broken)") { try ShareXUploader(broken) }
    }
  }

  /// As ShareX 13.7 reads them: a number, then a group's name or number behind "," or "|".
  @Test(arguments: [
    ("1", "(<a>(?<thumb>t+)(b)</a>)"), ("1,thumb", "<a>(?<thumb>t+)(b)</a>"),
    ("1|thumb", "<a>(?<thumb>t+)(b)</a>"), ("1,1", "<a>(?:t+)(b)</a>"),
    ("1,2", "<a>(?<thumb>t+)(b)</a>"),
    ("1,0", "(<a>(?<thumb>t+)(b)</a>)"),
  ])
  func groupsOfTheOldSyntax(_ argument: String, _ expected: String) throws {
    let (text, notes) = try imported(
      #"{"Version":"12.4.1","RequestURL":"http://h/","RegexList":["<a>(?<thumb>t+)(b)</a>"],"URL":"$regex:\#(argument)$"}"#
    )
    #expect(text.contains("url = { regex = \"\(expected)\" }"), "\(text)")
    #expect(notes.isEmpty)
  }

  @Test func nothingIsNull() throws {
    let (text, notes) = try imported(
      #"{"Version":"15.0.0","Name":null,"RequestURL":"http://h/","FileFormName":null,"Arguments":{"a":null,"b":"c"},"URL":null,"DeletionURL":null}"#
    )
    #expect(!text.contains("null") && notes.isEmpty, "\(text) \(notes)")
    #expect(text.contains(#"{ name = "a", value = "" }"#), "\(text)")
  }

  @Test func aFileThatNeedsNoSyntaxNeedsNoVersion() throws {
    let (text, notes) = try imported(
      #"{"RequestURL":"http://h/up","FileFormName":"f","Arguments":{"key":"k3y"},"RegexList":["x{2}$"]}"#
    )
    #expect(text.hasPrefix("[targets.h]\nurl = \"http://h/up\"\nfile_field = \"f\"\n"), "\(text)")
    #expect(notes.isEmpty)
  }

  @Test func binaryUploaders() throws {
    let (text, _) = try imported(
      #"{"Version":"15.0.0","RequestURL":"http://h/","RequestMethod":"PUT","Body":"Binary","FileFormName":"x"}"#
    )
    #expect(
      text.hasPrefix("[targets.h]\nurl = \"http://h/\"\nmethod = \"PUT\"\nbody = \"binary\"\n"))
  }

  @Test func theFilesNameInTheAddress() throws {
    let (text, notes) = try imported(
      #"{"Version":"15.0.0","RequestURL":"https://h/up/{filename}?k=1","RequestMethod":"PUT","Body":"Binary","URL":"{response}"}"#
    )
    #expect(text.contains(#"url = "https://h/up/{file.name}?k=1""#), "\(text)")
    #expect(notes.isEmpty)
  }
}
