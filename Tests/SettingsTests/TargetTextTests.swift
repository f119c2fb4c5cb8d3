import Foundation
import TestSupport
import Testing
import UploadModel

@testable import Settings

struct TargetTextTests {
  private func settings(_ text: String) throws -> Settings {
    try Settings.parse(text, file: "/c.toml", environment: ["HOME": "/home/me"])
  }

  static let samples = [
    "url = \"http://h/up?a=b\"", "type = \"hoist\"\nurl = \"http://h/\"\nbatch = { max_files = 2 }",
    "url = \"http://h/f\"\nresume = \"http\"\nresume_from = \"1 MiB\"",
    "url = \"http://h/f\"\nresume = \"tus\"\nchunk = \"1 MiB\"\ntus = { metadata = { a = \"{file.stem}\" } }",
    "url = \"http://h/f\"\nresume = \"auto\"\ntus = { with_upload = true }",
    "url = \"http://h/f\"\nresume = \"http\"\nmethod = \"PUT\"\nbody = \"binary\"",
    "url = \"http://h/{{x}}/{file.name}?t={env.T}\"\nbody = \"binary\"\nmethod = \"PUT\"",
    #"""
    url = "https://h/"
    file_field = 'a "b" \c'
    file_name = "{unix_ms}_{{x}}.{file.ext}"
    fields = [
      { name = "z", value = "line\nand 'more' \"of\" it" }, { name = "a", value = "{secret.s}", type = "text/csv" },
      { name = "r", json = { memo = "{file.stem} {{}}", size = "{file.size|number}", n = [1, 2.5, true, {}], "ä b" = "x\ty" } },
    ]
    query = { a = "{now.iso8601}", "b c" = "d" }
    headers = { Authorization = "Bearer {env.TOKEN}", X-Plain = "v" }
    limits = { max_bytes = "100 MB", types = ["image/*", "text/csv"] }
    prepare = { command = ["sh", "-c", "cp $0 $1", "{in}", "{out}"], timeout = "1500ms" }
    concurrency = 7
    rate_limit = "2 MiB/s"
    retry = { attempts = 3, base = "500ms", max = "10s", statuses = [500, 520], when = [{ status = 400, regex = "a|b" }, { pointer = "/e", is = 1, message = "no" }, { status = 409, header = "x-h", missing = true }, { header = "x-h", not = "a" }] }
    retry_after = { header = "x-wait" }
    idempotent = true
    timeout = "2m"
    deadline = "1h"
    redirect_to = ["https://b.example", "https://a.example:8080"]
    tls = { pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" }
    http = "2"
    response.ok = ["200-204", 302]
    response.fail_when = [{ pointer = "/rc", not = 0, message = "/descr" }, { pointer = "/e", is = { a = [1.5, "x"] }, message = "no" }]
    response.deletion_url = { header = "x-delete", suffix = "?yes" }
    response.url = { regex = 'href="([^"]+)"', prefix = "http://i/" }
    server.list = { url = "https://h/l?s={unix_s}", items = "/items", id = "/id", title = "/name", size = "/s", location = "/u" }
    server.delete = { url = "https://h/l/{id}", method = "POST", fail_when = [] }
    server.create = { url = "https://h/n", json = { url = "{result.url}", n = 1 }, ok = 201 }
    """#,
    """
    headers = { Authorization = "Bearer {secret.s}" }
    ticket = { url = "https://h/presign/{file.name}", json = { name = "{file.name}" }, upload_url = "/url", fields = "/fields" }
    """,
    """
    url = "http://h/"
    auth = { bearer_command = ["pass", "show", "a b"] }
    retry = { when = [] }
    retry_after = { pointer = "/wait" }
    batch = { max_files = 10, max_bytes = "64 MiB", split_refused = true }
    concurrency = { min = 2, max = 16 }
    """,
    "url = \"http://h/\"\nauth = { bearer = \"{secret.s}\" }\nbatch = { max_files = 2 }\nretry_after = { regex = \"in ([0-9]+) s\" }",
    "url = \"https://h/u?api_key=hunter2&a={{b}}\"\nlimits = { refuse_empty = true }",
    """
    url = "https://h/{file.name}?token=a%20b{env.T}c&x={unix_s}&=&y"
    server.list = { url = "https://h/l?api_key=hunter2", id = "/id" }
    """,
    """
    public_headers = { x-ms-blob-type = "BlockBlob" }
    file_type = "application/octet-stream"
    fields = { id = "{ticket:/a~1b|json}" }
    ticket = { url = "https://h/t", form = { n = "{file.name}" }, query = { l = "{file.size}" }, upload_url = { regex = "x.*", suffix = "/{{a}}/{file.name}" }, headers = "/h", send_auth_to = ["h:8443", "uploads.example"], is_there_when = [{ pointer = "/u", missing = true }, { header = "x-h", missing = false }], confirm = { url = "/c", headers = "/d", method = "PUT", json = { k = "{ticket:/k}" }, type = "text/json", query = { a = "b" }, ok = 200, fail_when = [], unreadable = "fail" } }
    server.create = { url = "https://h/c", form = { id = "{ticket:/id}", r = "{reply:/*/x}" } }
    """,
    """
    url = "http://h/"
    server.list = { url = "https://h/l", id = "/id", next = "link", total = { header = "x-total" }, time = { pointer = "/t", format = "epoch" }, columns = ["/id", { pointer = "/t", format = "iso8601" }] }
    server.get = { url = "https://h/l/{id}" }
    """,
    "url = \"http://h/\"\nserver.list = { url = \"https://h/l\", id = \"/id\", next = { pointer = \"/n\" }, total = \"/total\" }",
    "url = \"http://h/\"\nserver.list = { url = \"https://h/l\", id = \"/id\", next = { pointer = \"/n\", query = \"after\" } }",
    "url = \"http://h/\"\nserver.list = { url = \"https://h/l\", id = \"/id\", next = { query = \"page\", from = 0 } }",
    "url = \"http://h/\"\nauth = { digest = { user = \"me\", password = \"{env.T}\" } }",
    "url = \"http://h/\"\nauth = { digest = { user = \"{env.T}\", password = \"hunter2\" } }",
    "url = \"https://h/\"\nauth = { sigv4 = { region = \"r\", key = \"{env.T}\", secret = \"hunter2\" } }",
    """
    url = "http://h/"
    body = "binary"
    auth = { sigv4 = { region = "eu-1", service = "execute-api", key = "AK", secret = "{secret.s}", token = "hunter2" } }
    """,
    """
    url = "http://h/"
    exists = { url = "https://h/{file.sha256}", method = "POST", json = { n = "{file.name}" }, type = "text/json", query = { a = "b" }, ok = 200, fail_when = [], unreadable = "fail", is_there_when = [{ pointer = "/r", is = "d" }], address = { pointer = "/u", prefix = "https://h/" } }
    response.duplicate_when = [{ status = 409 }, { status = 422, pointer = "/code", is = "already_exists" }, { header = "x-d", is = "{file.sha1}" }]
    """,
    """
    url = "http://h/u"
    wait = { url = "http://h/t/{reply:/*/id}?a=b", statuses = [202, 200], every = "500ms", for = "3600s", until = { pointer = "/0/s", is = "done" }, ok = 200, fail_when = [{ pointer = "/s", is = 1, message = "/m" }], duplicate_when = [{ pointer = "/s", is = 2 }], address = "/u" }
    """,
    "url = \"http://h/\"\nwait = { url = { header = \"location\" }, until = [{ pointer = \"/a\", is = 1 }, { pointer = \"/b\", is = 2 }] }",
    "url = \"http://h/\"\nwait = { url = \"/status_url\" }",
    #"""
    url = "http://h/{open.bucket}/{file.name}"
    headers = { X-Draft = "{open.id}" }
    open = { url = "http://h/d", json = { t = "{now.iso8601}" }, values = { id = "/id", bucket = { regex = "/files/(.+?)\"" } }, ok = 201 }
    close = { url = "{open.id}/publish", form = { n = "{open.id}" }, headers = { A = "{open.id}" }, on_failure = "abort", abort = { url = "http://h/d/{open.id}", ok = [204, 404] } }
    """#,
    "url = \"http://h/\"\nclose = { url = \"http://h/c\", method = \"PUT\", text = \"over\" }",
    "url = \"http://h/\"\nafter = \"delete\"",
    """
    url = "http://h/{file.name}"
    method = "PUT"
    body = "binary"
    if_there = "rename"
    before_retry = { url = "http://h/{file.name}", ok = [200, 404] }
    """,
    "url = \"http://h/\"\nafter = { move = \"/a/{{b\" }",
    "url = \"http://h/\"\nafter = { delete = true, final = [201, 204] }",
    "url = \"http://h/\"\nresponse.verify = { header = \"repr-digest\" }",
    "url = \"http://h/\"\nresponse.verify = { pointer = \"/files/*/s\", sum = \"sha1\" }",
    """
    url = "http://h/"
    exists = { url = "https://h/f", method = "POST", json = { c = "{files}" }, each = { n = "{index|number}", s = ["{file.sha1}"] }, max_files = 7, is_there_when = [{ pointer = "/r/*/k", is = true }], address = "/r/*/u" }
    """,
    "url = \"http://h/\"\nexists = { url = \"https://h/f\", form = { n = \"{file.name}\" }, method = \"PUT\" }",
    """
    url = "http://h/"
    values = { sig = { sha1 = "t={unix_s}{secret.s}" }, h-2 = { hmac_sha256 = "{file.name}{{", key = "hunter2" }, k = { hmac_sha1 = "a", key = "{env.T}" }, m = { md5 = "{file.name}" }, s = { sha256 = "{{" } }
    query = { s = "{value.sig}", h = "{value.h-2|base64}" }
    fields = { k = "{value.k}" }
    """,
    """
    url = "http://h/"
    companions = ["{file.stem}.xmp", { file = ["{file.name}.a", "{file.stem}.b"], field = "s{index}", type = "text/xml" }]
    same_names = true
    connection = "close"
    limits = { types = ["image/*"], check = "content" }
    response.unreadable = "ok"
    response.fail_when = [{ pointer = "/rc", not = 0 }, { pointer = "/files/*/e", is = 1 }]
    server.list = { url = "https://h/l", id = "/id", unreadable = "fail" }
    """,
    "url = \"http://h/\"\nfields = [{ name = \"m\", json = { token = \"hunter2\", s = \"{file.size|number}\" } }]",
    "url = \"http://h/\"\nserver.list = { url = \"https://h/l\", id = \"/id\", title = \"\" }",
    #"""
    url = "http://h/"
    fields = [{ name = "a", value = '{{"a":null,"z":1.50}}', type = "application/json" }]
    """#,
    #"""
    url = "https://h/{file.path}"
    method = "PUT"
    body = "binary"
    pieces.url = "https://h/up/{upload.id}"
    pieces.size = "8 MiB"
    pieces.min = "5 MiB"
    pieces.max = "1 GiB"
    pieces.round = "1 MiB"
    pieces.max_pieces = 1000
    pieces.min_pieces = 2
    pieces.above = "10 MB"
    pieces.first = 0
    pieces.begin = { method = "MKCOL", url = "{url}/new", query = { a = "b" }, headers = { To = "{file.path|url}" }, type = "text/csv", json = { n = "{piece.count|number}", token = "hunter2" }, ok = 201, fail_when = [{ pointer = "/e", is = 1 }], unreadable = "ok", values = { id = "/id", place = { header = "location" } } }
    pieces.ticket = { url = "https://h/part", form = { n = "{piece.number}", id = "{begin.id}" } }
    pieces.piece = { url = "{ticket:/url}/{piece.number|05|base64}", headers = { Sum = "{piece.sha256|base64}" }, type = "application/octet-stream", body = "binary", unanswered = "restart", ok = "200-299", values = { etag = { header = "etag" } }, offset = { header = "range", regex = '-(\d+)$', plus = 1, missing = "0" } }
    pieces.last = { method = "POST", url = "{begin.place}", query = { done = "{piece.is_last}" }, ok = 202, fail_when = [], unreadable = "fail" }
    pieces.finish = { url = "{url}/{{done}}", text = "<L>{pieces}</L>", type = "application/xml" }
    pieces.abort = { method = "POST", url = "{url}/{begin.id}" }
    pieces.status = { url = "{url}", query = { at = "{piece.offset}" }, offset = "/offset", ok = [200, 308] }
    pieces.each = { text = "<P><N>{piece.number|xml}</N></P>", separator = ",{{" }
    """#,
    """
    url = "https://h/up"
    pieces.parallel = 4
    pieces.piece = { url = "{url}/{piece.number}" }
    pieces.finish = { url = "{url}/done" }
    """,
    """
    url = "https://h/up?sig={env.T}"
    pieces.begin = { form = { a = "{file.name}" }, values = { id = "/id" } }
    pieces.piece = { method = "POST", query = { id = "{begin.id}" }, body = "multipart", fail_when = [{ pointer = "/ok", not = true }], begins = { part = "/p" }, values = { sum = "/sum" } }
    pieces.finish = { json = { parts = "{pieces}", id = "{begin.id}" } }
    pieces.abort = { text = "{begin.id}{begin.part}" }
    pieces.forgotten = [{ pointer = "/e", is = "gone" }]
    pieces.status = { method = "POST", json = { id = "{begin.id}" }, offset = { pointer = "/n", missing = "known" } }
    pieces.each = { json = { n = "{piece.number|number}" } }
    """,
    """
    url = "https://h/up"
    pieces.piece = { values = { sum = "/sum" } }
    pieces.last = { values = { sum = "/sum" } }
    pieces.finish = { json = { parts = "{pieces}" } }
    pieces.each = { json = { s = "{piece.sha1}", t = "{piece.sum}" } }
    """,
    "url = \"http://h/\"\nresponse.url = \"/url\"\nquery = { api_key = \"hunter2\" }",
  ]

  private static let secrets = "\n[secrets]\ns = { env = \"S\" }\n"

  @Test(
    arguments: samples.map { "[targets.\"a b\"]\n\($0)\(secrets)" }
      + [SampleConfiguration.text, SampleConfiguration.withDefaults])
  func readsAsTheSameAgain(_ text: String) throws {
    let settings = try settings(text)
    for name in settings.targetNames {
      let target = try #require(settings.blueprint(of: name))
      for showsDefaults in [false, true] {
        let text = TargetText.of(
          target, named: name, isRevealing: true, showsDefaults: showsDefaults)
        let secrets = Self.secrets + "store = { env = \"STORE_TOKEN\" }\n"
        var again = try #require(try self.settings(text + secrets).blueprint(of: name), "\(text)")
        // Credentials come last, and in the text in their place.
        #expect(Set(again.headers) == Set(target.headers), "\(text)")
        again.headers = target.headers
        #expect(again == target, "\(text)")
      }
    }
  }

  @Test func thePlainOneIsShort() throws {
    let target = try #require(
      try settings("[targets.a]\nurl = \"http://h/\"\nmethod = \"POST\"").blueprint(of: "a"))
    #expect(TargetText.of(target, named: "a") == "[targets.a]\nurl = \"http://h/\"\n")
  }

  @Test func literalSecretsAreHidden() throws {
    let target = try #require(
      try settings("[targets.a]\n\(Self.samples.last ?? "")").blueprint(of: "a"))
    let text = TargetText.of(target, named: "a")
    #expect(text.contains("query = { api_key = \"…\" }") && !text.contains("hunter2"))
  }

  @Test func literalSecretsInJSONAreHidden() throws {
    let target = try #require(
      try settings(
        """
        [targets.a]
        url = "https://h/"
        fields = [{ name = "m", json = { api_key = "hunter2", n = { token = "hunter3" }, s = "{file.size|number}" } }]
        server.create = { url = "https://h/c", json = { password = "hunter4{{" } }
        """
      ).blueprint(of: "a"))
    let text = TargetText.of(target, named: "a", showsDefaults: true)
    #expect(!text.contains("hunter") && text.contains("json = { api_key = \"…\""), "\(text)")
    #expect(target.secrets.hidden(in: "hunter2 hunter3") == "(secret) (secret)")
  }

  @Test func literalSecretsInAddressesAreHidden() throws {
    let target = try #require(
      try settings(
        """
        [targets.a]
        url = "https://h/u?a=1&api_key=hunter22222"
        server.list = { url = "https://h/l?token=hunter33333&p={env.PAGE}", id = "/id" }
        server.delete = { url = "https://h/d/{id}?p={id}&api%5Fkey=hunter44444x{env.T}y" }
        """
      ).blueprint(of: "a"))
    let text = TargetText.of(target, named: "a", showsDefaults: true)
    #expect(text.contains("url = \"https://h/u?a=1&api_key=…\""), "\(text)")
    #expect(text.contains("https://h/l?token=…&p={env.PAGE}"), "\(text)")
    #expect(text.contains("https://h/d/{id}?p={id}&api%5Fkey=…{env.T}…"), "\(text)")
    #expect(!text.contains("hunter"))
  }

  // MARK: Into a file

  private func add(_ url: String, to text: String) throws -> String {
    let target = Target(name: "new", url: try TargetURL.parse(url))
    return try ConfigEdit(of: text, file: "/c.toml", environment: [:])
      .adding(target, named: "new")
  }

  @Test func whatIsThereStays() throws {
    let table = "[targets.new]\nurl = \"http://h/\"\n"
    let before = "# mine\r\n[targets.old]\r\nurl = \"http://o/\" # here"
    #expect(try add("http://h/", to: "") == table)
    #expect(try add("http://h/", to: before) == "\(before)\n\n\(table)")
    #expect(try add("http://h/", to: before + "\n") == "\(before)\n\n\(table)")
  }

  /// Nothing that was meant is left away without a word.
  @Test func theWholeTargetIsWritten() throws {
    var target = Target(name: "new", url: try TargetURL.parse("http://h/?token=hunter2"))
    target.limits.takesEmpty = false
    let text = try ConfigEdit(of: "", file: "/c.toml", environment: [:])
      .adding(target, named: "new")
    #expect(try settings(text).blueprint(of: "new") == target, "\(text)")
    // There is no way to write this.
    target.query = [Target.Field(name: "a", value: Template(literal: "b"), type: "text/csv")]
    #expect(throws: ConfigError.self) {
      try ConfigEdit(of: "", file: "/c.toml", environment: [:]).adding(target, named: "new")
    }
  }

  @Test(arguments: [
    ("[targets.new]\nurl = \"http://o/\"", "/c.toml: there is already a target called \"new\""),
    ("[targets", "/c.toml:1: not valid TOML"),
    ("targets = { old = { url = \"http://o/\" } }\n", "/c.toml:"),
  ])
  func whatIsNotEdited(_ text: String, _ beginning: String) {
    let mistake = #expect(throws: ConfigError.self) { try add("http://h/", to: text) }
    #expect(mistake?.description.hasPrefix(beginning) == true, "\(mistake?.description ?? "")")
  }
}
