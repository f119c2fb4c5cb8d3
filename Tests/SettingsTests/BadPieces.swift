/// Mistakes in `open` and `close`.
extension BadConfiguration {
  static let runs: [BadConfiguration] = [
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nheaders = { A = \"{open.id}\" }",
      "c.toml:1: targets.a: {open.id} has no value: define it in \"values\" of \"open\""),
    BadConfiguration(
      "[targets.a]\nurl = \"http://h/\"\nclose = { url = \"http://h/{open.id}\" }",
      "c.toml:1: targets.a: {open.id} has no value: define it in \"values\" of \"open\""),
    BadConfiguration(
      line: "open = { json = {} }", "open: the request has no \"url\""),
    BadConfiguration(
      line: "close = { url = \"http://h/c\", abort = { text = \"a\" } }",
      "close: \"abort\" has no \"url\""),
    BadConfiguration(
      line: "open = { url = \"http://h/o\", json = {}, text = \"a\" }",
      "open.text: a request has one body; leave the others out"),
    BadConfiguration(
      line: "open = { url = \"http://h/{file.name}\" }",
      "open.url: {file.name} has no value here; available: {unix_s} {unix_ms} {now.iso8601} {now} {uuid} {env.NAME} {secret.NAME}"
    ),
    BadConfiguration(
      line: "open = { url = \"http://h/o\" }\nexists = { url = \"http://h/e\" }",
      "open: cannot be combined with \"exists\": this request would be sent even if no file needs to be sent"
    ),
    BadConfiguration(
      line:
        "after = { delete = true, final = [201] }\nclose = { url = \"http://h/c\", on_failure = \"abort\", abort = { url = \"http://h/a\" } }",
      "after: cannot be combined with on_failure = \"abort\": an abort may discard files that the server already has"
    ),
    BadConfiguration(
      line: "close = { url = \"http://h/c\", on_failure = \"abort\" }",
      "close: on_failure = \"abort\" needs the request \"abort\""),
    BadConfiguration(
      line:
        "close = { url = \"{open.u}\", text = \"{env.HOME}\" }\nopen = { url = \"http://h/o\", values = { u = \"/u\" } }",
      "close: the address of the request comes from a reply, so the request cannot contain secrets"),
  ]
}

/// Mistakes in `pieces`, the requests in which a file goes in pieces.
extension BadConfiguration {
  static let pieces: [BadConfiguration] = [
    BadConfiguration(
      line: "resume = \"tus\"\npieces = {}",
      "resume: cannot be combined with \"pieces\": such uploads resume without it"),
    BadConfiguration(
      line: "batch = { max_files = 2 }\npieces = {}",
      "batch: cannot be combined with \"pieces\": each file is an upload of its own"),
    BadConfiguration(
      line: "pieces = { begin = { url = \"{url}?a=b\" } }",
      "pieces.begin.url: expected a slash after {url}; for a query, use \"query\""),
    BadConfiguration(
      line: "pieces = { begin = { url = \"{url}.evil/\" } }",
      "pieces.begin.url: expected a slash after {url}; for a query, use \"query\""),
    BadConfiguration(
      line: "pieces = { url = \"http://h/a?b=c\", begin = { url = \"{url}/a\" } }",
      "pieces.begin: {url} ends in a query, so nothing can follow it; use \"query\""),
    BadConfiguration(
      line: "pieces = { piece = { url = \"{url}/{begin.id}\" } }",
      "pieces.piece: {begin.id} has no value: define it in \"values\" of \"begin\", or in \"begins\" of \"piece\""
    ),
    BadConfiguration(
      line: "pieces = { each = { text = \"{piece.etag}\" }, finish = { text = \"{pieces}\" } }",
      "pieces.each: {piece.etag} has no value: define it in \"values\" of \"piece\""
    ),
    BadConfiguration(
      line: "pieces = { finish = { text = \"{pieces}\" } }",
      "pieces.finish: {pieces} has no value without \"each\""),
    BadConfiguration(
      line: "pieces = { each = { text = \"a\" } }",
      "pieces.each: has no effect, since no request uses {pieces}"),
    BadConfiguration(
      line: "pieces = { piece = { url = \"{ticket:/url}\" } }",
      "pieces.piece: {ticket:…} has no value without \"ticket\""),
    BadConfiguration(
      line: "pieces = { begin = { values = { \"A b\" = \"/a\" } } }",
      "pieces.begin.values.\"A b\": expected a name made of a-z, 0-9 and _, found \"A b\""),
    BadConfiguration(
      line: "pieces = { piece = { values = { size = \"/a\" } } }",
      "pieces.piece.values.size: {piece.size} already has a meaning; choose another name"),
    BadConfiguration(
      line: "pieces = { size = \"1 MB\", min = \"5 MB\" }",
      "pieces.size: 1 MB is less than \"min\", 5 MB"),
    BadConfiguration(
      line: "pieces = { size = \"9 MB\", max = \"5 MB\" }",
      "pieces.size: 9 MB is more than \"max\", 5 MB"),
    BadConfiguration(
      line: "pieces = { min = \"9 MB\", max = \"5 MB\" }",
      "pieces.max: 5 MB is less than \"min\", 9 MB"),
    BadConfiguration(
      line: "pieces = { size = \"5 MB\", round = \"2 MB\" }",
      "pieces.size: 5 MB is not a multiple of \"round\", 2 MB"),
    BadConfiguration(
      line: "pieces = { size = 0 }", "pieces.size: expected a size such as \"100 MB\""),
    BadConfiguration(
      line: "pieces = { max_pieces = 10001 }",
      "pieces.max_pieces: expected a whole number from 1 to 10000, found 10001"),
    BadConfiguration(
      line: "pieces = { parallel = 65 }",
      "pieces.parallel: expected a whole number from 1 to 64, found 65"),
    BadConfiguration(
      line: "pieces = { parallel = 2 }",
      "pieces.parallel: these pieces go one after the other: without \"finish\", the last piece ends the upload"
    ),
    BadConfiguration(
      line: "pieces = { parallel = 2, piece = { offset = \"/n\" }, finish = {} }",
      "pieces.parallel: these pieces go one after the other: \"offset\" counts the bytes from the beginning of the file"
    ),
    BadConfiguration(
      line: "pieces = { parallel = 2, status = { offset = \"/n\" }, finish = {} }",
      "pieces.parallel: these pieces go one after the other: \"status\" counts the bytes from the beginning of the file"
    ),
    BadConfiguration(
      line: "pieces = { parallel = 2, piece = { begins = { id = \"/id\" } }, finish = {} }",
      "pieces.parallel: these pieces go one after the other: with \"begins\", the other pieces need the reply to the first one"
    ),
    BadConfiguration(
      line: "pieces = { parallel = 2, piece = { unanswered = \"taken\" }, finish = {} }",
      "pieces.parallel: these pieces go one after the other: with \"unanswered\", the reply to each piece decides what comes next"
    ),
    BadConfiguration(
      line: "pieces = { begin = { json = { a = \"b\" }, text = \"c\" } }",
      "pieces.begin.text: a request has one body; leave the others out"),
    BadConfiguration(
      line: "pieces = { begin = { method = \"GET\", text = \"c\" } }",
      "pieces.begin.text: a GET request has no body"),
    BadConfiguration(
      line: "pieces = { piece = { body = \"multipart\" } }\nbody = \"binary\"",
      "pieces.piece: a form is possible only if the target has body = \"multipart\""),
    BadConfiguration(
      line:
        "pieces = { piece = { values = { a = \"/a\" } }, last = {}, each = { text = \"{piece.a}\" }, finish = { text = \"{pieces}\" } }",
      "pieces.each: {piece.a} has no value: define it in \"values\" of \"last\" as well"),
    BadConfiguration(
      line:
        "pieces = { status = { offset = \"/n\" }, each = { text = \"{piece.sha1}\" }, finish = { text = \"{pieces}\" } }",
      "pieces.each: can use only the numbers and offsets of pieces: with \"status\" or \"offset\", their other values may be unknown"
    ),
    BadConfiguration(
      line: "pieces = { last = { unanswered = \"taken\" } }",
      "pieces.last.unanswered: unknown key; valid here: body, fail_when, headers, method, offset, ok, query, type, unreadable, url, values"
    ),
    BadConfiguration(
      line:
        "pieces = { piece = { unanswered = \"taken\", values = { a = \"/a\" } }, each = { text = \"{piece.a}\" }, finish = { text = \"{pieces}\" } }",
      "pieces.piece: \"unanswered\" cannot be \"taken\", since \"each\" needs values from the reply to each piece"
    ),
    BadConfiguration(
      line: "pieces = { piece = { method = \"GET\" } }",
      "pieces.piece: a GET request cannot carry a piece"),
    BadConfiguration(
      line: "pieces = { piece = { fail_when = [{ pointer = \"/*/e\", is = 1 }] } }",
      "pieces.piece: \"*\" in \"fail_when\" stands for the number of a file, but this request has only a piece of a file"
    ),
    BadConfiguration(
      line: "pieces = { status = {} }",
      "pieces.status: \"offset\" is missing: where the reply says how many bytes have arrived"),
    BadConfiguration(
      line: "pieces = { min_pieces = 3, max_pieces = 2 }",
      "pieces.min_pieces: 3 is more than \"max_pieces\", 2"),
    BadConfiguration(
      line: "headers = { A = \"{env.X|raw}\" }",
      "headers.A: {env.X|raw}: |raw works only in a URL, for {env.…} and {secret.…}"),
    BadConfiguration(
      "[secrets]\ns = { env = \"S\" }\n[targets.a]\nurl = \"https://h/\"\npieces = { begin = { values = { place = { header = \"location\" } } }, piece = { url = \"{begin.place}\", headers = { X-Key = \"{secret.s}\" } } }",
      "c.toml:5: targets.a.pieces.piece: its address comes from a reply, so the request cannot contain secrets"
    ),
  ]
}
