import Testing

/// A configuration with one mistake, and the message for it.
struct BadConfiguration: Sendable, CustomTestStringConvertible {
  let text: String
  let message: String
  var testDescription: String { message }

  init(_ text: String, _ message: String) { (self.text, self.message) = (text, message) }

  /// A mistake on the third line, in a target that is good otherwise.
  init(line: String, _ message: String) {
    text = "[targets.a]\nurl = \"http://h/\"\n\(line)"
    self.message = "c.toml:3: targets.a.\(message)"
  }

  /// A mistake in the URL.
  init(url: String, _ message: String) {
    text = "[targets.a]\nurl = \(url)"
    self.message = "c.toml:2: targets.a.url: \(message)"
  }

  private static let top = "valid here: default_target, keys, screen, secrets, targets, theme"
  private static let inTarget =
    "valid here: after, auth, batch, before_retry, body, chunk, close, companions, concurrency, connection, deadline, exists, fields, file_field, file_name, file_type, folders, "
    + "headers, http, idempotent, if_there, limits, method, open, pieces, prepare, public_headers, query, rate_limit, redirect_to, "
    + "response, resume, resume_from, retry, retry_after, same_names, server, ticket, timeout, tls, tus, type, url, values, wait"
  private static let header = "is set by hoist itself"
  private static let time = "expected a time such as \"30s\" or \"5m\", found"

  static let all = general + options + replies + servers + secrets + resuming + pieces + runs

  private static let resuming: [BadConfiguration] = [
    BadConfiguration(
      line: "resume = \"yes\"",
      "resume: expected \"off\", \"tus\", \"http\" or \"auto\", found \"yes\""),
    BadConfiguration(line: "chunk = \"1 MiB\"", "chunk: works only with resume"),
    BadConfiguration(
      line: "resume_from = \"1 MiB\"", "resume_from: works only with resume = \"http\""),
    BadConfiguration(
      line: "resume_from = \"1 MiB\"\nresume = \"tus\"",
      "resume_from: works only with resume = \"http\""),
    BadConfiguration(line: "tus = {}", "tus: works only with resume = \"tus\" or \"auto\""),
    BadConfiguration(
      line: "batch = { max_files = 2 }\nresume = \"tus\"",
      "batch: cannot be combined with resume = \"tus\": each file is an upload of its own"),
    BadConfiguration(
      line: "fields = { a = \"b\" }\nresume = \"tus\"",
      "fields: cannot be combined with resume = \"tus\": use tus.metadata instead"),
    BadConfiguration(
      line: "body = \"multipart\"\nresume = \"tus\"",
      "body: cannot be combined with resume = \"tus\": the file is sent by itself"),
    BadConfiguration(
      line: "tus = {}\nresume = \"http\"", "tus: works only with resume = \"tus\" or \"auto\""),
    BadConfiguration(
      line: "prepare = [\"cp\", \"{in}\", \"{out}\"]\nresume = \"http\"",
      "prepare: cannot be combined with resume = \"http\": the command produces a different file each time"
    ),
    BadConfiguration(
      line: "chunk = 0\nresume = \"tus\"", "chunk: expected a size such as \"100 MB\""),
    BadConfiguration(
      line: "tus = { metadata = { \"a b\" = \"c\" } }\nresume = \"tus\"",
      "tus.metadata.\"a b\": a metadata key must be ASCII, without blanks or commas"),
    BadConfiguration(
      line: "tus = { meta = {} }\nresume = \"tus\"",
      "tus.meta: unknown key; valid here: metadata, with_upload"),
  ]

  private static let general: [BadConfiguration] = [
    // Keys that do not exist.
    BadConfiguration(
      "defalt_target = \"a\"",
      "c.toml:1: defalt_target: unknown key; did you mean \"default_target\"?"),
    BadConfiguration(
      "\n\n[target.a]\nurl = \"http://h/\"",
      "c.toml:3: target: unknown key; did you mean \"targets\"?"),
    BadConfiguration("colour = 1", "c.toml:1: colour: unknown key; \(top)"),
    BadConfiguration("\"a b\" = 1", "c.toml:1: \"a b\": unknown key; \(top)"),
    BadConfiguration(
      line: "file_feild = \"x\"", "file_feild: unknown key; did you mean \"file_field\"?"),
    BadConfiguration(line: "Method = \"POST\"", "Method: unknown key; did you mean \"method\"?"),
    BadConfiguration(line: "zebra = 1", "zebra: unknown key; \(inTarget)"),
    BadConfiguration(
      line: "retry = { attemps = 3 }", "retry.attemps: unknown key; did you mean \"attempts\"?"),
    BadConfiguration(
      line: "fields = [{ name = \"a\", valu = \"b\" }]",
      "fields[0].valu: unknown key; did you mean \"value\"?"),
    BadConfiguration(
      line: "rate_limit = \"fast\"", "rate_limit: expected a speed such as \"2 MB/s\""),
    BadConfiguration(line: "rate_limit = 5", "rate_limit: expected a string, found a number"),
    BadConfiguration(
      line: "deadline = \"0s\"", "deadline: expected a time from 1 s to 168 h"),
    // Values of another kind.
    BadConfiguration(
      "default_target = 3", "c.toml:1: default_target: expected a string, found a number"),
    BadConfiguration("targets = \"a\"", "c.toml:1: targets: expected a table, found a string"),
    BadConfiguration(
      "[targets]\na = \"http://h/\"", "c.toml:2: targets.a: expected a table, found a string"),
    BadConfiguration(url: "3", "expected a string, found a number"),
    BadConfiguration(url: "[\"http://h/\"]", "expected a string, found an array"),
    BadConfiguration(line: "method = true", "method: expected a string, found a boolean"),
    BadConfiguration(
      line: "concurrency = \"4\"",
      "concurrency: expected a number from 1 to 64, \"auto\", or a table such as { min = 2, max = 16 }"
    ),
    BadConfiguration(
      line: "concurrency = { min = 8, max = 4 }",
      "concurrency: \"min\" (8) is more than \"max\" (4)"),
    BadConfiguration(
      line: "concurrency = { max = 65 }",
      "concurrency.max: expected a whole number from 1 to 64, found 65"),
    BadConfiguration(
      line: "concurrency = 4.5", "concurrency: expected a whole number from 1 to 64, found a number"
    ),
    BadConfiguration(
      line: "idempotent = \"yes\"", "idempotent: expected true or false, found a string"),
    BadConfiguration(line: "headers = [\"a\"]", "headers: expected a table, found an array"),
    BadConfiguration(line: "query = \"a=b\"", "query: expected a table, found a string"),
    BadConfiguration(line: "fields = \"a=b\"", "fields: expected an array, found a string"),
    BadConfiguration(line: "fields = [\"a\"]", "fields[0]: expected a table, found a string"),
    BadConfiguration(line: "retry = 5", "retry: expected a table, found a number"),
    BadConfiguration(
      line: "redirect_to = \"http://x/\"", "redirect_to: expected an array, found a string"),
    BadConfiguration(
      line: "query = { d = 2026-11-20 }", "query.d: expected a string, found a date or time"),
    // Values out of range or empty.
    BadConfiguration(
      line: "concurrency = 0", "concurrency: expected a whole number from 1 to 64, found 0"),
    BadConfiguration(
      line: "concurrency = 65", "concurrency: expected a whole number from 1 to 64, found 65"),
    BadConfiguration(
      line: "retry.attempts = 0", "retry.attempts: expected a whole number from 1 to 100, found 0"),
    BadConfiguration(
      line: "retry = { statuses = 502 }", "retry.statuses: expected an array, found a number"),
    BadConfiguration(
      line: "retry = { statuses = [200] }",
      "retry.statuses[0]: expected a whole number from 400 to 599, found 200"),
    BadConfiguration(line: "file_field = \"\"", "file_field: expected a field name, found nothing"),
    BadConfiguration(
      line: "method = \"GET\"", "method: expected \"POST\", \"PUT\" or \"PATCH\", found \"GET\""),
    BadConfiguration(
      line: "method = \"post\"", "method: expected \"POST\", \"PUT\" or \"PATCH\", found \"post\""),
    BadConfiguration(
      line: "method = \"PO ST\"", "method: expected \"POST\", \"PUT\" or \"PATCH\", found \"PO ST\""
    ),
    // Times.
    BadConfiguration(line: "timeout = \"soon\"", "timeout: \(time) \"soon\""),
    BadConfiguration(line: "timeout = \"60\"", "timeout: \(time) \"60\""),
    BadConfiguration(line: "timeout = \"-5s\"", "timeout: \(time) \"-5s\""),
    BadConfiguration(line: "timeout = \"5 parsecs\"", "timeout: \(time) \"5 parsecs\""),
    BadConfiguration(line: "timeout = true", "timeout: \(time) a boolean"),
    BadConfiguration(line: "timeout = \"5ms\"", "timeout: expected a time from 1 s to 24 h"),
    BadConfiguration(line: "timeout = 0", "timeout: expected a time from 1 s to 24 h"),
    BadConfiguration(line: "timeout = nan", "timeout: expected a time from 1 s to 24 h"),
    BadConfiguration(line: "timeout = \"25h\"", "timeout: expected a time from 1 s to 24 h"),
    BadConfiguration(
      line: "retry = { when = [{ status = 99, regex = 'a' }] }",
      "retry.when[0].status: expected a whole number from 200 to 599, found 99"),
    BadConfiguration(
      line: "retry = { when = [{ status = 400 }] }",
      "retry.when[0]: expected \"pointer\", \"regex\" or \"header\", to say where in the reply to look"
    ),
    BadConfiguration(
      line: "retry_after = 5", "retry_after: expected a JSON Pointer, found a number"),
    BadConfiguration(
      line: "retry = { base = \"2m\" }", "retry: \"base\" (2 min) is longer than \"max\" (60 s)"),
    // Credentials.
    BadConfiguration(line: "auth = \"x\"", "auth: expected a table, found a string"),
    BadConfiguration(
      line: "values = { \"a b\" = { sha1 = \"x\" } }",
      "values.\"a b\": a value's name may contain only letters, digits, \"_\" and \"-\""),
    BadConfiguration(
      line: "values = { a = { key = \"x\" } }",
      "values.a: expected one of md5, sha1, sha256, hmac_sha1, hmac_sha256, with the text to compute it from"
    ),
    BadConfiguration(
      line: "values = { a = { hmac_sha1 = \"x\" } }", "values.a: an HMAC needs a \"key\""),
    BadConfiguration(
      line: "values = { a = { md5 = \"x\", key = \"k\" } }",
      "values.a: md5 takes no key; use hmac_sha1 or hmac_sha256"),
    BadConfiguration(
      line: "values = { a = { hmac_sha1 = \"x\", key = \"\" } }",
      "values.a.key: expected a key, found nothing"),
    BadConfiguration(
      line: "values = { a = { md5 = \"{value.a}\" } }",
      "values.a.md5: there is no value called \"a\"; define it under \"values\""),
    BadConfiguration(
      line: "headers = { A = \"{value.a}\" }\nvalues = { a = { md5 = \"{piece.size}\" } }",
      "headers.A: {value.a} contains {piece.size}, which has no value here"),
    BadConfiguration(
      line: "exists = {}", "exists: \"url\" is missing: the address of the request"),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", json = { a = 1 } }",
      "exists.json: a GET request has no body"),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", is_there_when = [{ pointer = \"/*/a\", is = 1 }] }",
      "exists.is_there_when: \"*\" stands for the number of a file, but this request has no file"),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", max_files = 2 }",
      "exists.max_files: works only with \"each\""),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", query = { a = \"{files}\" } }",
      "exists: {files} has no value without \"each\""),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", each = \"{file.sha1}\" }",
      "exists: \"each\" has no effect, since the request does not use {files}"),
    BadConfiguration(
      line:
        "exists = { url = \"http://h/{file.name}\", query = { a = \"{files}\" }, each = \"{file.sha1}\" }",
      "exists: {file.name} differs from file to file, but the request is about several files; use it in \"each\""
    ),
    BadConfiguration(
      line: "exists = { url = \"http://h/\", query = { a = \"{files}\" }, each = \"{file.sha1}\" }",
      "exists: with \"each\", \"is_there_when\" needs pointers with \"*\" in place of a file's number, such as \"/results/*/known\""
    ),
    BadConfiguration(
      line: "wait = {}",
      "wait: \"url\" is missing: where the server is asked about a file that it has accepted"),
    BadConfiguration(
      line: "wait = { url = \"http://other/\" }",
      "wait: \"url\" is on another server, which would not get the target's credentials"),
    BadConfiguration(
      line: "wait = { url = \"http://h/t?token=a\" }",
      "wait.url: hoist keeps this address in its queue, so it must not contain a secret; requests to it already carry the target's headers"
    ),
    BadConfiguration(
      line: "wait = { url = \"http://h/{file.name}\" }",
      "wait.url: {file.name} has no value here; available: {reply:/…} {env.NAME} {secret.NAME}"),
    BadConfiguration(
      line: "wait = { url = \"http://h/\", until = { pointer = \"/*/a\", is = 1 } }",
      "wait: \"*\" stands for the number of a file, but this request has no file"),
    BadConfiguration(
      line: "wait = { url = \"http://h/\", statuses = [404] }",
      "wait.statuses[0]: expected a whole number from 200 to 299, found 404"),
    BadConfiguration(
      line: "wait = { url = \"http://h/\" }\nserver.create = { url = \"http://h/\" }",
      "wait: cannot be combined with server.create, which would be sent before the server has finished with the file"
    ),
    BadConfiguration(
      line: "response.verify = { pointer = \"/s\" }",
      "response.verify: \"sum\" is missing: the checksum's algorithm, one of sha256, sha512, sha1, md5, crc32, crc32c"
    ),
    BadConfiguration(
      line: "response.verify = { sum = \"md5\" }",
      "response.verify: expected one of \"pointer\" and \"header\""),
    BadConfiguration(
      line: "after = \"move\"", "after: expected \"keep\" or \"delete\", found \"move\""),
    BadConfiguration(
      line: "after = { final = [201] }",
      "after: expected either \"move\" with a folder, or delete = true"),
    BadConfiguration(
      line: "after = { delete = true, move = \"a\" }",
      "after: expected either \"move\" with a folder, or delete = true"),
    BadConfiguration(
      line: "after = \"delete\"\nprepare = [\"cp\", \"{in}\", \"{out}\"]",
      "after: cannot be combined with \"prepare\": the server gets a copy that the command makes, not the original"
    ),
    BadConfiguration(
      "[targets.a]\nticket = { url = \"http://h/\", upload_url = \"/u\", is_there_when = [{ pointer = \"/*/a\", is = 1 }] }",
      "c.toml:2: targets.a.ticket.is_there_when: \"*\" stands for the number of a file, but this request has no file"
    ),
    BadConfiguration(
      line: "auth = {}", "auth: expected one of basic, bearer, bearer_command, digest, sigv4"),
    BadConfiguration(
      line: "auth = { bearer = \"a\", bearer_command = [\"b\"] }",
      "auth: expected one of basic, bearer, bearer_command, digest, sigv4"),
    BadConfiguration(
      line: "auth = { baerer = \"a\" }", "auth.baerer: unknown key; did you mean \"bearer\"?"),
    BadConfiguration(
      line: "auth = { bearer_command = \"pass show\" }",
      "auth.bearer_command: expected an array, found a string"),
    BadConfiguration(
      line: "auth = { bearer_command = [] }",
      "auth.bearer_command: expected a program and its arguments, found nothing"),
    BadConfiguration(
      line: "auth = { bearer_command = [\"\"] }",
      "auth.bearer_command: expected a program and its arguments, found nothing"),
    BadConfiguration(
      line: "auth = { bearer_command = [\"pass\", 3] }",
      "auth.bearer_command[1]: expected a string, found a number"),
    BadConfiguration(
      line: "auth = { basic = { user = \"me\" } }",
      "auth.basic: \"user\" and \"password\" are both needed"),
    BadConfiguration(
      line: "auth = { basic = { user = \"m:e\", password = \"x\" } }",
      "auth.basic.user: a user name cannot contain a colon"),
    BadConfiguration(
      line: "auth = { digest = { password = \"x\" } }",
      "auth.digest: \"user\" and \"password\" are both needed"),
    BadConfiguration(
      line: "auth = { digest = { user = \"m:e\", password = \"x\" } }",
      "auth.digest.user: a user name cannot contain a colon"),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", key = \"k\" } }",
      "auth.sigv4: \"region\", \"key\" and \"secret\" are all needed"),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r/s\", key = \"k\", secret = \"s\" } }",
      "auth.sigv4.region: expected a name such as \"eu-central-1\" or \"s3\""),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", service = \"\", key = \"k\", secret = \"s\" } }",
      "auth.sigv4.service: expected a name such as \"eu-central-1\" or \"s3\""),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", key = \"a/b\", secret = \"s\" } }",
      "auth.sigv4.key: an access key cannot contain a slash, comma or space"),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", key = \"k\", secret = \"\" } }",
      "auth.sigv4.secret: expected a key, found nothing"),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", key = \"k\", secret = \"s\", token = \"a\\nb\" } }",
      "auth.sigv4.token: the value of Authorization contains a control character"),
    BadConfiguration(
      line:
        "auth = { sigv4 = { region = \"r\", service = \"execute-api\", key = \"k\", secret = \"s\" } }",
      "auth: execute-api wants the SHA-256 of the request's body, which is not known for a form; use body = \"binary\""
    ),
    BadConfiguration(
      line: "auth = { sigv4 = { region = \"r\", key = \"k\", secret = \"s\" } }",
      "auth: over plain http, S3 wants the SHA-256 of the request's body, which is not known for a form; use body = \"binary\""
    ),
    BadConfiguration(
      line: "auth = { bearer = \"{file.name}\" }",
      "auth.bearer: only {env.NAME} and {secret.NAME} can be filled in here"),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nheaders = { authorization = \"x\" }\nauth = { bearer = \"y\" }",
      "c.toml:4: targets.a.auth: the target has an Authorization header as well; leave one of the two out"
    ),
    // Batches.
    BadConfiguration(line: "batch = 10", "batch: expected a table, found a number"),
    BadConfiguration(
      line: "batch = {}", "batch: \"max_files\" is missing: how many files go in one request"),
    BadConfiguration(
      line: "batch = { max_files = 0 }",
      "batch.max_files: expected a whole number from 1 to 1000, found 0"),
    BadConfiguration(
      line: "batch = { max_files = 5, max_size = 3 }",
      "batch.max_size: unknown key; did you mean \"max_files\"?"),
    BadConfiguration(
      line: "batch = { max_files = 5, max_bytes = \"much\" }",
      "batch.max_bytes: expected a size such as \"100 MB\", found \"much\""),
    BadConfiguration(
      line: "batch = { max_files = 5, max_bytes = 0 }",
      "batch.max_bytes: expected a size such as \"100 MB\""),
    BadConfiguration(
      line: "batch = { max_files = 5, split_refused = 1 }",
      "batch.split_refused: expected true or false, found a number"),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nfields = { title = \"{file.stem}\" }\nbatch = { max_files = 5 }",
      "c.toml:4: targets.a.batch: the field \"title\" contains {file.stem}, which differs from file to "
        + "file, but a batch sends several files in one request; remove one or the other"),
    // URLs.
    BadConfiguration(
      "[targets.a]\nmethod = \"PUT\"",
      "c.toml:1: targets.a: \"url\" is missing: the address that files are sent to"),
    BadConfiguration(url: "\"\"", "expected a URL such as https://host/upload, found \"\""),
    BadConfiguration(
      url: "\"host/upload\"",
      "expected a URL such as https://host/upload, found \"host/upload\", which lacks http:// or https://"
    ),
    BadConfiguration(
      url: "\"htp:/x\"", "expected an http or https URL with a host, found \"htp:/x\""),
    BadConfiguration(
      url: "\"ftp://h/\"", "expected an http or https URL with a host, found \"ftp://h/\""),
    BadConfiguration(
      url: "\"http://\"", "expected an http or https URL with a host, found \"http://\""),
    BadConfiguration(url: "\"http://h:0/\"", "the port 0 is not between 1 and 65535"),
    BadConfiguration(url: "\"http://h:99999/\"", "the port 99999 is not between 1 and 65535"),
    BadConfiguration(url: "\"http://h/#top\"", "a fragment (\"#…\") is never sent; leave it out"),
    BadConfiguration(url: "\"http://h/a b\"", "the URL contains a space; write it as %20"),
    BadConfiguration(url: "\"http://h h/\"", "the URL contains a space; write it as %20"),
    BadConfiguration(url: "\"http://h/\\u001b[31m\"", "the URL contains a control character"),
    BadConfiguration(
      line: "redirect_to = [\"https://x/\", \"x\"]",
      "redirect_to[1]: expected a URL such as https://host/upload, found \"x\", which lacks http:// or https://"
    ),
    BadConfiguration(
      "[targets.a]\nurl = \"https://h/\"\nredirect_to = [\"https://x\", \"http://x:8080/a\"]",
      "c.toml:3: targets.a.redirect_to: http://x:8080 is not encrypted, but the target is; files would be sent on unencrypted"
    ),
    // Header fields.
    BadConfiguration(line: "headers = { Host = \"x\" }", "headers.Host: Host \(header)"),
    BadConfiguration(
      line: "headers.content-type = \"x\"", "headers.content-type: content-type \(header)"),
    BadConfiguration(
      line: "headers = { Transfer-Encoding = \"x\" }",
      "headers.Transfer-Encoding: Transfer-Encoding \(header)"),
    BadConfiguration(
      line: "headers = { \"a b\" = \"x\" }", "headers.\"a b\": \"a b\" is not a header name"),
    BadConfiguration(line: "headers = { \"\" = \"x\" }", "headers.\"\": \"\" is not a header name"),
    BadConfiguration(
      line: "headers = { A = \"1\", a = \"2\" }",
      "headers.a: this header occurs twice; upper and lower case make no difference"),
    BadConfiguration(line: "headers = { A = [] }", "headers.A: expected a string, found an array"),
    // Fields and templates.
    BadConfiguration(
      line: "fields = [{ name = \"a\" }]",
      "fields[0]: a field needs \"name\", and either \"value\" or \"json\""),
    BadConfiguration(
      line: "fields = [{ name = \"a\", value = \"b\", type = \"text\" }]",
      "fields[0].type: expected a media type such as \"text/plain\", found \"text\""),
    BadConfiguration(
      line: "fields = { a = \"{\" }",
      "fields.a: \"{\" without \"}\" after it; write \"{{\" for a brace"),
    BadConfiguration(
      line: "query = { a = \"}\" }",
      "query.a: \"}\" without \"{\" before it; write \"}}\" for a brace"),
    BadConfiguration(
      line: "headers = { A = \"{env.}\" }", "headers.A: {env.} names no environment variable"),
    // The default.
    BadConfiguration(
      "default_target = \"demmo\"\n[targets.demo]\nurl = \"http://h/\"",
      "c.toml:1: default_target: no target is called \"demmo\"; did you mean \"demo\"?"),
    BadConfiguration(
      "default_target = \"zzzzzz\"\n[targets.b]\nurl = \"http://h/\"\n[targets.a]\nurl = \"http://h/\"",
      "c.toml:1: default_target: no target is called \"zzzzzz\"; the targets are: a, b"),
    BadConfiguration(
      "default_target = \"a\"",
      "c.toml:1: default_target: no target is called \"a\"; the configuration has no targets; a URL starts with http:// or https://"
    ),
  ]
}
