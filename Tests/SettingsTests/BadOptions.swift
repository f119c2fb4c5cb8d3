/// Mistakes in what goes beyond an address, fields and headers.
extension BadConfiguration {
  private static let size = "expected a size such as \"100 MB\""
  private static let placeholders =
    "{file.name} {file.stem} {file.ext} {file.path} {file.size} {file.type} {file.mtime} {file.mtime.unix_s} {file.mtime.unix_ms} {file.sha256} {file.sha512} {file.sha1} {file.md5} {file.crc32} {file.crc32c} {index} {open.…} {unix_s} {unix_ms} {now.iso8601} {now} {uuid}"

  static let options: [BadConfiguration] = [
    // What hoist's own receiver decides.
    BadConfiguration(
      line: "type = \"s3\"",
      "type: expected \"hoist\", for hoist's own receiver, found \"s3\"; other targets have no type"
    ),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"\nurl = \"http://h/\"\nmethod = \"PUT\"",
      "c.toml:4: targets.a.method: the type decides this; leave out \"method\" or \"type\""),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"\nurl = \"http://h/\"\nserver = {}",
      "c.toml:4: targets.a.server: the type decides this; leave out \"server\" or \"type\""),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"\nurl = \"http://h:3000/upload\"",
      "c.toml:3: targets.a.url: the receiver's own address is enough; leave out /upload"),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"\nurl = \"http://h:3000/?a=b\"",
      "c.toml:3: targets.a.url: the receiver's own address must not have a query"),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"",
      "c.toml:1: targets.a: \"url\" is missing: the address that files are sent to"),
    BadConfiguration(
      "[targets.a]\ntype = \"hoist\"\nurl = \"desk\"",
      "c.toml:3: targets.a.url: expected a URL such as https://host/upload, found \"desk/upload\", which lacks http:// or https://"
    ),
    BadConfiguration(
      line: "response = { deletion_url = \"del\" }",
      "response.deletion_url: expected a JSON Pointer such as \"/files/0/url\", found \"del\""),
    BadConfiguration(
      line: "response = { duplicate_when = [{ status = 99 }] }",
      "response.duplicate_when[0].status: expected a whole number from 200 to 599, found 99"),
    BadConfiguration(
      line: "if_there = \"overwrite\"",
      "if_there: expected \"replace\", \"skip\", \"rename\", \"fail\" or \"ask\", found \"overwrite\""
    ),
    BadConfiguration(
      line: "if_there = \"skip\"",
      "if_there: needs a way to tell whether a name is taken: an address that the file is PUT to by itself, \"exists\" without a digest, \"server.list\", or a rule of \"duplicate_when\" with the status of a refusal"
    ),
    BadConfiguration(
      line:
        "if_there = \"ask\"\nserver = { list = { url = \"http://h/\", id = \"/id\" } }\nbatch = { max_files = 2 }",
      "if_there: cannot be combined with \"batch\": it is decided for each file"),
    BadConfiguration(
      line: "if_there = \"rename\"\nmethod = \"PUT\"\nbody = \"binary\"",
      "if_there: \"rename\" needs the file's name in what is sent: put {file.name}, {file.stem} or {file.path} into the address"
    ),
    BadConfiguration(
      line:
        "if_there = \"rename\"\nserver = { list = { url = \"http://h/\", id = \"/id\" } }\nresume = \"http\"",
      "if_there: \"rename\" cannot be combined with \"resume\": an upload that goes on keeps its name"
    ),
    BadConfiguration(
      line: "before_retry = { url = \"http://h/{id}\" }",
      "before_retry: {id} has no value: the target needs a server.list with the names of files"),
    BadConfiguration(
      line: "before_retry = { url = \"http://h/\" }\nbatch = { max_files = 2 }",
      "before_retry: cannot be combined with \"batch\": a remnant belongs to one file"),
    BadConfiguration(
      line: "before_retry = { url = \"http://h/\" }\nresume = \"http\"",
      "before_retry: cannot be combined with \"resume\": another attempt goes on with what an earlier one left"
    ),
    // The body.
    BadConfiguration(
      line: "body = \"raw\"", "body: expected \"multipart\" or \"binary\", found \"raw\""),
    BadConfiguration(line: "body = 1", "body: expected a string, found a number"),
    BadConfiguration(
      line: "file_field = \"x\"\nbody = \"binary\"",
      "file_field: a binary body contains only the file; there is no form for \"file_field\""),
    BadConfiguration(
      line: "fields = { a = \"b\" }\nbody = \"binary\"",
      "fields: a binary body contains only the file; there is no form for \"fields\""),
    BadConfiguration(line: "file_name = \"\"", "file_name: expected a file name, found nothing"),
    BadConfiguration(
      line: "file_name = \"{file.nam}\"",
      "file_name: unknown placeholder {file.nam}; available: \(placeholders) {env.NAME} {secret.NAME}"
    ),
    BadConfiguration(
      line: "file_name = \"{id}\"",
      "file_name: {id} has no value here; available: \(placeholders) {env.NAME} {secret.NAME}"),
    BadConfiguration(
      line: "folders = \"ftp\"",
      "folders: expected \"webdav\", or a table with \"method\""),
    BadConfiguration(
      line:
        "server = { list = { url = \"http://h/\", method = \"PROPFIND\", id = \"/id\", json = {} } }",
      "server.list.json: a PROPFIND request has a body of its own"),
    BadConfiguration(line: "folders = true", "folders: expected a string, found a boolean"),
    BadConfiguration(
      line: "folders = { ok = [201] }", "folders: \"method\" is missing: how a folder is made"),
    BadConfiguration(
      line: "folders = { method = \"GET\" }",
      "folders.method: expected \"MKCOL\", \"PUT\" or \"POST\", found \"GET\""),
    BadConfiguration(
      line: "folders = \"webdav\"",
      "folders: has nothing to make: there is no folder in the path of \"url\""),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/{file.name}?to={file.path|url}\"\nfolders = \"webdav\"",
      "c.toml:3: targets.a.folders: has nothing to make: there is no folder in the path of \"url\""),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/a/\"\nresume = \"tus\"\nfolders = \"webdav\"",
      "c.toml:4: targets.a.folders: cannot be combined with resume = \"tus\": the server decides where files go"
    ),
    BadConfiguration(
      "[targets.a]\nfolders = \"webdav\"\nticket = { url = \"http://h/a/t\", upload_url = \"/u\" }",
      "c.toml:2: targets.a.folders: the ticket says where files go, so no folder is known"),
    // Dates.
    BadConfiguration(
      line: "file_name = \"{file.name|%Y}\"",
      "file_name: {file.name|%Y}: a date is written of {now} and {file.mtime}, before other filters, and |local follows it: {now|%Y/%m|local}"
    ),
    BadConfiguration(
      line: "file_name = \"{now|local}\"",
      "file_name: {now|local}: a date is written of {now} and {file.mtime}, before other filters, and |local follows it: {now|%Y/%m|local}"
    ),
    BadConfiguration(
      line: "file_name = \"{now|%Y-%q}\"",
      "file_name: {now|%Y-%q}: \"%q\" is unknown in a date; available: %Y %m %d %H %M %S %y %j %G %V %u %%"
    ),
    BadConfiguration(line: "companions = []", "companions: an empty list names no file"),
    BadConfiguration(
      line: "companions = [\"../{file.name}.xmp\"]",
      "companions[0]: expected a name such as \"{file.stem}.xmp\", for a file in the same folder"),
    BadConfiguration(
      line: "companions = [{ file = [\"{file.name}.xmp\", \"meta.{file.ext}\"] }]",
      "companions[0].file[1]: contains neither {file.name} nor {file.stem}: the same file would be sent along with every file"
    ),
    BadConfiguration(
      line: "companions = [{ field = \"a\" }]",
      "companions[0]: \"file\" is missing: the name of the file to send along"),
    BadConfiguration(
      line: "companions = [\"{file.size}.xmp\"]",
      "companions[0]: {file.size} has no value here; available: {file.name} {file.stem} {file.ext} {env.NAME} {secret.NAME}"
    ),
    BadConfiguration(
      line: "companions = [\"{file.stem}.xmp\"]\nbody = \"binary\"",
      "companions: needs a form: a file sent by itself leaves no room for another"),
    BadConfiguration(
      line: "companions = [\"{file.stem}.xmp\"]\nresume = \"http\"",
      "companions: cannot be combined with \"resume\": both files go in one request"),
    BadConfiguration(
      line: "companions = [\"{file.stem}.xmp\"]\nprepare = [\"cp\", \"{in}\", \"{out}\"]",
      "companions: cannot be combined with \"prepare\": the file that the command makes has no other files beside it"
    ),
    BadConfiguration(
      line: "same_names = \"yes\"", "same_names: expected true or false, found a string"),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nfields = { n = \"{index}\" }\nbatch = { max_files = 2 }",
      "c.toml:4: targets.a.batch: the field \"n\" contains {index}, which differs from file to file, but a batch sends several files in one request; remove one or the other"
    ),
    BadConfiguration(
      line: "file_type = \"jpeg\"",
      "file_type: expected a media type such as \"text/plain\", found \"jpeg\""),
    BadConfiguration(
      line: "file_name = \"{file.name|upper}\"",
      "file_name: {file.name|upper}: \"|upper\" is unknown; available filters: |json |url |quoted |xml |base64 |number |raw |local |05 |%Y-%m-%d"
    ),
    BadConfiguration(
      line: "fields = { a = \"{ticket:/id}\" }",
      "fields.a: {ticket:/id} has no value here; available: \(placeholders) {env.NAME} {secret.NAME}"
    ),
    BadConfiguration(
      "[targets.a]\npublic_headers = { X-Token = \"hunter2{ticket:/a}\" }\nticket = { url = \"http://h/t\", upload_url = \"/u\" }",
      "c.toml:2: targets.a.public_headers.X-Token: this header is sent to every server, but its name suggests a secret"
    ),
    BadConfiguration(
      line: "public_headers = { X-Token = \"a\" }",
      "public_headers.X-Token: this header is sent to every server, but its name suggests a secret"),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nheaders = { A = \"1\" }\npublic_headers = { a = \"2\" }",
      "c.toml:4: targets.a.public_headers.a: this header is in \"headers\" as well; remove one of the two"
    ),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/u?api_key=hunter2\"\ntls = {}",
      "c.toml:3: targets.a.tls: tls rules need an https:// URL, and this target's is http://h/u"),
    // Placeholders in the address.
    BadConfiguration(
      url: "\"http://{file.name}/\"", "the host and port of a URL cannot contain placeholders"),
    BadConfiguration(
      url: "\"http://h:{file.size}/\"",
      "expected a URL such as https://host/upload, found \"http://h:a/\""),
    BadConfiguration(
      url: "\"{file.name}\"",
      "expected a URL such as https://host/upload, found \"a\", which lacks http:// or https://"),
    BadConfiguration(
      url: "\"http://h/{file.name\"", "\"{\" without \"}\" after it; write \"{{\" for a brace"),
    // Limits.
    BadConfiguration(line: "limits = 5", "limits: expected a table, found a number"),
    BadConfiguration(
      line: "limits = { max_byte = 5 }", "limits.max_byte: unknown key; did you mean \"max_bytes\"?"
    ),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { n = \"{file.name|number}\" } }]",
      "fields[0].json.n: {file.name|number}: |number works only in JSON, and only for placeholders whose value is a number"
    ),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { n = \"{env.X|number}\" } }]",
      "fields[0].json.n: {env.X|number}: |number works only in JSON, and only for placeholders whose value is a number"
    ),
    // What may be a secret is in no message.
    BadConfiguration(
      line: "auth = { bearer = \"{hunter2}\" }",
      "auth.bearer: it contains a placeholder that is not available here; write {{ and }} for literal braces"
    ),
    BadConfiguration(
      line: "headers = { X-Api-Key = \"a}hunter2\" }",
      "headers.X-Api-Key: it contains a placeholder that is not available here; write {{ and }} for literal braces"
    ),
    BadConfiguration(
      line: "query = { n = \"{file.size|number}\" }",
      "query.n: {file.size|number}: |number works only in JSON, and only for placeholders whose value is a number"
    ),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { n = \"{file.size|number} B\" } }]",
      "fields[0].json.n: a placeholder with |number must be the whole value, with no text around it"
    ),
    BadConfiguration(line: "limits = { max_bytes = 0 }", "limits.max_bytes: \(size)"),
    BadConfiguration(
      line: "limits = { max_bytes = \"big\" }", "limits.max_bytes: \(size), found \"big\""),
    BadConfiguration(line: "limits = { max_bytes = 1.5 }", "limits.max_bytes: \(size)"),
    BadConfiguration(
      line: "limits = { types = \"image/*\" }", "limits.types: expected an array, found a string"),
    BadConfiguration(
      line: "limits = { types = [] }", "limits.types: an empty list would accept no files"),
    BadConfiguration(
      line: "limits = { types = [\"image/*\", \"jpeg\"] }",
      "limits.types[1]: expected a media type such as \"image/jpeg\" or \"image/*\", found \"jpeg\""
    ),
    BadConfiguration(
      line: "limits = { types = [\"*/*\"] }",
      "limits.types[0]: expected a media type such as \"image/jpeg\" or \"image/*\", found \"*/*\""),
    BadConfiguration(
      line: "limits = { types = [\"image/*\"], check = \"magic\" }",
      "limits.check: expected \"name\" or \"content\", found \"magic\""),
    BadConfiguration(
      line: "limits = { check = true }", "limits.check: expected a string, found a boolean"),
    BadConfiguration(
      line: "connection = \"closed\"",
      "connection: expected \"keep-alive\" or \"close\", found \"closed\""),
    BadConfiguration(
      line: "connection = true", "connection: expected a string, found a boolean"),
    BadConfiguration(
      "[targets.a]\nurl = \"https://h/\"\nhttp = \"2\"\nconnection = \"close\"",
      "c.toml:4: targets.a.connection: HTTP/2 cannot use a separate connection for each request; remove \"http\" or \"connection\""
    ),
    // JSON.
    BadConfiguration(
      line: "fields = [{ name = \"a\", value = \"b\", json = {} }]",
      "fields[0]: a field needs \"name\", and either \"value\" or \"json\""),
    BadConfiguration(
      line: "fields = [{ value = \"b\" }]",
      "fields[0]: a field needs \"name\", and either \"value\" or \"json\""),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { d = 2026-11-20 } }]",
      "fields[0].json.d: JSON has no dates; write the date as a string"),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { n = [1, nan] } }]",
      "fields[0].json.n[1]: JSON cannot represent this number"),
    BadConfiguration(
      line: "fields = [{ name = \"a\", json = { n = \"{x}\" } }]",
      "fields[0].json.n: unknown placeholder {x}; available: \(placeholders) {env.NAME} {secret.NAME}"
    ),
    // Commands.
    BadConfiguration(
      line: "prepare = \"magick {in} {out}\"",
      "prepare: expected an array of the program and its arguments, since no shell splits a string"),
    BadConfiguration(line: "prepare = []", "prepare: expected a program to run"),
    BadConfiguration(
      line: "prepare = [\"cp\", 1]", "prepare[1]: expected a string, found a number"),
    BadConfiguration(
      line: "prepare = [\"cp\", \"{in}\"]",
      "prepare: {out} is missing: the path of the file to write"),
    BadConfiguration(
      line: "prepare = [\"cp\", \"{out}\"]",
      "prepare: {in} is missing: the path of the file to read"),
    BadConfiguration(
      line: "prepare = { timeout = \"5s\" }",
      "prepare: \"command\" is missing: the program and its arguments"),
    BadConfiguration(
      line: "prepare = { command = [\"cp\", \"{in}\", \"{out}\"], timeout = \"soon\" }",
      "prepare.timeout: expected a time such as \"30s\" or \"5m\", found \"soon\""),
  ]

  private static let statuses =
    "expected statuses from 200 to 599 such as \"200-299\" or 201, found"
  private static let rule = "response = { fail_when = [{ pointer = \"/rc\""

  static let replies: [BadConfiguration] = [
    BadConfiguration(
      line: "response = { okay = 200 }",
      "response.okay: unknown key; valid here: deletion_url, duplicate_when, fail_when, ok, unreadable, url, verify"
    ),
    BadConfiguration(line: "response = { ok = \"2xx\" }", "response.ok: \(statuses) \"2xx\""),
    BadConfiguration(
      line: "response = { ok = \"299-200\" }", "response.ok: \(statuses) \"299-200\""),
    BadConfiguration(line: "response = { ok = 100 }", "response.ok: \(statuses) \"100\""),
    BadConfiguration(line: "response = { ok = \"200-\" }", "response.ok: \(statuses) \"200-\""),
    BadConfiguration(line: "response = { ok = [200, \"x\"] }", "response.ok[1]: \(statuses) \"x\""),
    BadConfiguration(
      line: "response = { ok = [] }", "response.ok: an empty list would make every reply a failure"),
    BadConfiguration(
      line: "response = { ok = true }",
      "response.ok: expected statuses such as \"200-299\" or 201, found a boolean"),
    BadConfiguration(
      line: "response = { url = \"files/0\" }",
      "response.url: expected a JSON Pointer such as \"/files/0/url\", found \"files/0\""),
    BadConfiguration(
      line: "response = { url = \"/a~b\" }",
      "response.url: \"~\" in a JSON Pointer must be written as ~0 (and \"/\" as ~1), found \"/a~b\""
    ),
    BadConfiguration(
      line: "response = { url = 5 }", "response.url: expected a JSON Pointer, found a number"),
    BadConfiguration(
      line: "response = { url = {} }",
      "response.url: expected one of \"pointer\", \"regex\" and \"header\""),
    BadConfiguration(
      line: "response = { url = { regex = \"a\", header = \"b\" } }",
      "response.url: expected one of \"pointer\", \"regex\" and \"header\""),
    BadConfiguration(
      line: "response = { url = { regex = \"(a\" } }",
      "response.url.regex: the regular expression is invalid near character 2: missing closing parenthesis"
    ),
    BadConfiguration(
      line: "response = { url = { regex = \"[a\" } }",
      "response.url.regex: the regular expression is invalid near character 2: missing terminating ] for character class"
    ),
    BadConfiguration(
      line: "response = { url = { regex = \"\" } }",
      "response.url.regex: expected a regular expression, found nothing"),
    BadConfiguration(
      line: "response = { url = { header = \"\" } }",
      "response.url.header: expected a header name, found nothing"),
    BadConfiguration(
      line: "response = { fail_when = [{ not = 0 }] }",
      "response.fail_when[0]: expected \"pointer\", \"regex\" or \"header\", to say where in the reply to look"
    ),
    BadConfiguration(
      line: "response = { fail_when = [{ regex = \"a\", header = \"b\", is = true }] }",
      "response.fail_when[0]: expected one of \"pointer\", \"regex\" and \"header\""),
    BadConfiguration(
      line: "response = { fail_when = [{ regex = \"a\", is = \"b\" }] }",
      "response.fail_when[0].is: expected true or false, found a string"),
    BadConfiguration(
      line: "response = { fail_when = [{ regex = \"a\", missing = true }] }",
      "response.fail_when[0]: \"missing\" works only with \"pointer\" or \"header\", and without \"is\" and \"not\""
    ),
    BadConfiguration(
      line: "response = { fail_when = [{ header = \"a\", is = \"b\", missing = false }] }",
      "response.fail_when[0]: \"missing\" works only with \"pointer\" or \"header\", and without \"is\" and \"not\""
    ),
    BadConfiguration(
      line: "response = { fail_when = [{ header = \"a\" }] }",
      "response.fail_when[0]: expected either \"is\" (a value that means failure) or \"not\" (the only value that means success)"
    ),
    BadConfiguration(
      line:
        "batch = { max_files = 2 }\nresponse = { fail_when = [{ header = \"a\", not = \"{file.md5}\" }] }",
      "batch: fail_when compares with the checksum of one file, but a batch has several files; remove one or the other"
    ),
    BadConfiguration(
      line: "\(rule) }] }",
      "response.fail_when[0]: expected either \"is\" (a value that means failure) or \"not\" (the only value that means success)"
    ),
    BadConfiguration(
      line: "\(rule), is = 1, not = 0 }] }",
      "response.fail_when[0]: expected either \"is\" (a value that means failure) or \"not\" (the only value that means success)"
    ),
    BadConfiguration(
      line: "\(rule), not = 0, mesage = \"/x\" }] }",
      "response.fail_when[0].mesage: unknown key; did you mean \"message\"?"),
    BadConfiguration(
      line: "\(rule), not = 0, message = \"/~\" }] }",
      "response.fail_when[0].message: \"~\" in a JSON Pointer must be written as ~0 (and \"/\" as ~1), found \"/~\""
    ),
    BadConfiguration(
      line: "response = { unreadable = \"maybe\" }",
      "response.unreadable: expected \"ok\", \"fail\" or \"unknown\", found \"maybe\""),
    BadConfiguration(
      line: "response = { unreadable = true }",
      "response.unreadable: expected a string, found a boolean"),
    BadConfiguration(
      line: "\(rule), not = 2026-11-20 }] }",
      "response.fail_when[0].not: JSON has no dates; write the date as a string"),
  ]

  private static let list = "server.list = { url = \"http://h/\", id = \"/id\","

  static let servers: [BadConfiguration] = [
    // The server side.
    BadConfiguration(
      line: "server = { lists = {} }", "server.lists: unknown key; did you mean \"list\"?"),
    BadConfiguration(
      line: "server.list = { url = \"http://h/\" }",
      "server.list: \"id\" is missing: the JSON Pointer to the ID of an entry"),
    BadConfiguration(
      line: "server.list = { id = \"/id\" }",
      "server.list: \"url\" is missing: the address of the request"),
    BadConfiguration(
      line: "server.list = { url = \"http://h/\", id = \"id\" }",
      "server.list.id: expected a JSON Pointer such as \"/files/0/url\", found \"id\""),
    BadConfiguration(
      line: "server.list = { url = \"http://h/{file.name}\", id = \"/id\" }",
      "server.list.url: {file.name} has no value here; available: {unix_s} {unix_ms} {now.iso8601} {now} {uuid} {env.NAME} {secret.NAME}"
    ),
    BadConfiguration(
      line: "server.list = { url = \"http://h/\", id = \"/id\", json = {} }",
      "server.list.json: a GET request has no body"),
    BadConfiguration(
      line: "server.list = { url = \"http://h/\", id = \"/id\", method = \"HEAD\" }",
      "server.list.method: expected \"GET\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\" or \"PROPFIND\", found \"HEAD\""
    ),
    BadConfiguration(
      line: "server.get = { url = \"http://h/all\" }",
      "server.get: {id} is missing: every request would be about the same entry"),
    BadConfiguration(
      line: "\(list) next = \"links\" }",
      "server.list.next: expected \"link\" or a table with \"pointer\" or \"query\", found \"links\""
    ),
    BadConfiguration(
      line: "\(list) next = {} }",
      "server.list.next: expected \"link\" or a table with \"pointer\" or \"query\""),
    BadConfiguration(
      line: "\(list) next = { pointer = \"/n\", from = 1 } }",
      "server.list.next.from: \"from\" is the number of the first page: use it with \"query\" and without \"pointer\""
    ),
    BadConfiguration(
      line: "\(list) next = { query = \"\" } }",
      "server.list.next.query: expected the name of a query item, found nothing"),
    BadConfiguration(
      line: "\(list) next = { query = \"page\", from = -1 } }",
      "server.list.next.from: expected a whole number from 0 to 1000000, found -1"),
    BadConfiguration(
      line: "\(list) columns = \"/id\" }",
      "server.list.columns: expected an array, found a string"),
    BadConfiguration(
      line: "\(list) columns = [{ format = \"epoch\" }] }",
      "server.list.columns[0]: \"pointer\" is missing: it must point to the value in the entry"),
    BadConfiguration(
      line: "\(list) time = { pointer = \"/t\", format = \"unix\" } }",
      "server.list.time.format: expected \"text\", \"epoch\", \"epoch_ms\" or \"iso8601\", found \"unix\""
    ),
    BadConfiguration(
      line: "\(list) total = { headers = \"X\" } }",
      "server.list.total.headers: unknown key; did you mean \"header\"?"),
    BadConfiguration(
      line: "server.delete = { url = \"http://h/all\" }",
      "server.delete: {id} is missing: every request would be about the same entry"),
    BadConfiguration(
      line: "server.delete = { url = \"http://{id}/\" }",
      "server.delete.url: the host and port of a URL cannot contain placeholders"),
    BadConfiguration(
      line: "server.create = { url = \"h/\" }",
      "server.create.url: expected a URL such as https://host/upload, found \"h/\", which lacks http:// or https://"
    ),
    BadConfiguration(
      line:
        "server.list = { url = \"http://h/\", id = \"/id\", fail_when = [{ pointer = \"/*/e\", is = 1 }] }",
      "server.list.fail_when: \"*\" stands for the number of a file, but this request has no file"),
    BadConfiguration(
      line: "server.create = { url = \"http://h/\", json = { a = \"{reply:id}\" } }",
      "server.create.json.a: {reply:id}: expected a JSON Pointer such as \"/files/0/url\", found \"id\""
    ),
    BadConfiguration(
      line: "server.create = { url = \"http://h/\", json = {}, form = { a = \"b\" } }",
      "server.create.form: a request has one body; leave \"json\" or \"form\" out"),
    BadConfiguration(
      line: "server.list = { url = \"http://h/\", id = \"/id\", form = { a = \"b\" } }",
      "server.list.form: a GET request has no body"),
    // Tickets.
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nticket = {}",
      "c.toml:2: targets.a.url: the ticket says where files go; leave out \"url\""),
    BadConfiguration(
      "[targets.a]\nquery = { a = \"b\" }\nticket = {}",
      "c.toml:2: targets.a.query: the ticket says where files go; leave out \"query\""),
    BadConfiguration(
      "[targets.a.ticket]\nurl = \"http://h/\"",
      "c.toml:1: targets.a.ticket: \"upload_url\" is missing: where the reply holds the address for the file"
    ),
    BadConfiguration(
      "[targets.a.ticket]\nupload_url = \"/url\"",
      "c.toml:1: targets.a.ticket: \"url\" is missing: the address of the request"),
    BadConfiguration(
      "[targets.a.ticket]\nurl = \"http://h/\"\nupload_url = \"/url\"\nfeilds = \"/f\"",
      "c.toml:4: targets.a.ticket.feilds: unknown key; did you mean \"fields\"?"),
  ]

  private static let source = "expected { env = … }, { file = … } or { command = [ … ] }"

  static let secrets: [BadConfiguration] = [
    BadConfiguration(
      "[secrets]\na = \"hunter2\"",
      "c.toml:2: secrets.a: \(source); the secret itself does not belong here"),
    BadConfiguration("[secrets]\na = {}", "c.toml:2: secrets.a: \(source)"),
    BadConfiguration(
      "[secrets]\na = { env = \"X\", file = \"y\" }", "c.toml:2: secrets.a: \(source)"),
    BadConfiguration(
      "[secrets]\na = { comand = [\"x\"] }",
      "c.toml:2: secrets.a.comand: unknown key; did you mean \"command\"?"),
    BadConfiguration(
      "[secrets]\na = { command = \"pass show a\" }",
      "c.toml:2: secrets.a.command: expected an array of the program and its arguments, since no shell splits a string"
    ),
    BadConfiguration(
      "[secrets]\na = { file = \"x\", timeout = \"1s\" }",
      "c.toml:2: secrets.a.timeout: \"timeout\" works only with \"command\""),
    BadConfiguration(
      "[secrets]\na = { env = \"\" }", "c.toml:2: secrets.a.env: expected the name of a variable"),
    BadConfiguration("[secrets]\na = { file = \"\" }", "c.toml:2: secrets.a.file: expected a path"),
    BadConfiguration(
      "[secrets]\n\"a b\" = { env = \"X\" }",
      "c.toml:2: secrets.\"a b\": a secret's name may contain only letters, digits, \"_\" and \"-\""
    ),
    BadConfiguration(
      line: "headers = { A = \"{secret.token}\" }",
      "headers.A: there is no secret called \"token\"; the configuration has no [secrets]"),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nheaders = { A = \"{secret.tokn}\" }\n[secrets]\ntoken = { env = \"T\" }",
      "c.toml:3: targets.a.headers.A: there is no secret called \"tokn\"; did you mean \"token\"?"),
  ]
}
