import Digests
import Foundation
import JSONText
import ScalarText

/// A POSIX shell script that makes curl send a file in pieces as hoist would. It is passed to an `sh` of its own, so
/// that it can be pasted into any shell.
///
/// It does not resume, and sends one piece after the other. It stops if a value in a reply contains control characters.
struct PieceScript {
  private(set) var lines: [String] = []
  /// The variables that must be exported before it runs.
  var variables: [String] { options.variables }
  var text: String { lines.joined(separator: "\n") }

  private var options: CurlOptions
  private let item: UploadItem
  @Boxed private var rules: PieceRules
  @Boxed private var target: Target
  private let values: Template.Values
  private let origin: String
  /// Whether parts of addresses may come from another server. Such an address gets no credentials, even if it leads
  /// back to the target's own server.
  private var hasLeft = false

  /// The script for a file. Throws if a script cannot send the same requests.
  init(
    _ item: UploadItem, _ rules: PieceRules, to target: Target, key: UUID, now: Date
  ) throws(InvalidInput) {
    let size: Int64
    do throws(Failure.Cause) { size = try rules.size(for: item.size) } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    var values = target.values(of: item, now: now, uuid: key)
    values.gaps = .ofScript
    values.upload.count = PieceRules.count(of: size, for: item.size)
    values.piece = rules.piece(from: 0, of: size, in: item.size)
    (self.item, self.rules, self.target, self.values) = (item, rules, target, values)
    origin = target.origin?.description ?? ""
    options = CurlOptions(values)
    let requests = try upload(size)
    let own = Self.names + options.ticketValues.indices.map(CurlOptions.ticketVariable)
    if let name = variables.first(where: { name in
      own.contains(name) || ["begin_", "piece_"].contains { name.hasPrefix(scalars: $0) }
    }) {
      throw InvalidInput("the script itself uses a variable called \(name)")
    }
    lines = try opening() + requests + ["reply", Self.end]
  }

  /// The delimiter that ends the here-document.
  private static let end = "END_OF_UPLOAD"
  /// The script's own variables.
  private static let names = [
    "allowed", "digest", "end", "file", "found", "index", "last", "length", "md5", "next", "number",
    "offset", "ok", "padded", "pieces", "program", "range", "sha1", "sha256", "sha512", "status",
    "taken", "upload", "url", "work", "LC_ALL",
  ]

  /// The lines before the first request.
  private func opening() throws(InvalidInput) -> [String] {
    let functions = ShellFunction.allCases.filter(options.functions.contains)
    let programs = Set(functions.flatMap(\.programs)).sorted()
    let needs = ["curl \(target.sigV4 == nil ? "7.81" : "7.87") or newer"] + programs
    var lines = [
      "sh -eu <<'\(Self.end)'",
      "# Uploads a file in \(HumanReadable.count(values.upload.count, "piece")). "
        + "It needs \(needs.joined(separator: ", ")).",
    ]
    if !variables.isEmpty {
      lines.append("# Export first: \(variables.joined(separator: " "))")
      lines += variables.map { ": \"${\($0)?is not set}\"" }
    }
    let calls = [rules.begin, rules.ticket, rules.piece, rules.last].compactMap(\.self)
    let judged = calls.map(\.rules) + [rules.response(of: target)]
    if judged.contains(where: { !$0.failures.isEmpty }) {
      lines.append("# The script judges a reply only by its status; hoist also applies fail_when.")
    }
    if rules.abort != nil {
      lines.append("# If the script stops early, the server keeps what it has received.")
    }
    var tls = CurlOptions()
    try tls.addTLS(of: target)
    let setting = #"""
      export LC_ALL=C
      file=\#(try options.word([CurlOptions.path(item.location)]))
      stop() { printf '%s\n' "$1" >&2; exit 1; }
      for program in \#((["curl"] + programs).joined(separator: " ")); do
        command -v "$program" > /dev/null || stop "$program is missing"
      done
      [ "$(wc -c < "$file")" -eq \#(item.size) ] || stop 'the file has changed'
      work=$(mktemp -d)
      trap 'rm -rf "$work"' EXIT
      trap 'exit 1' HUP INT TERM
      # Prints the last reply without characters that could control a terminal.
      reply() { tr -d '\000-\010\013-\037\177' < "$work/reply"; }
      # Sends a request. The first argument lists the statuses that its reply may have: "200-299 308".
      ask() {
        allowed=$1
        shift
        : > "$work/reply"
        status=$(curl --globoff --silent --show-error --dump-header "$work/head" \
          \#((["--output \"$work/reply\" --write-out '%{http_code}'"] + tls.lines).joined(separator: " ")) "$@")
        for range in $allowed; do
          if [ "$status" -ge "${range%-*}" ] && [ "$status" -le "${range#*-}" ]; then return; fi
        done
        stop "the server answered $status: $(reply)"
      }
      """#
    return lines + [setting] + functions.map(\.definition)
  }

  // MARK: The requests

  private mutating func upload(_ size: Int64) throws(InvalidInput) -> [String] {
    var lines: [String] = []
    if let begin = rules.begin {
      lines += try request(begin, begin.rules.statuses) + keep(begin.values, as: "begin")
    }
    for value in rules.piece.beginning { lines.append("begin_\(value.name)=") }
    let sending = try pieces()
    let finishing = try rules.finish.map { call throws(InvalidInput) in
      try request(call, rules.response(of: target).statuses)
    }
    let asked = options.asked
    if asked.contains(.uploadID) {
      lines.insert("upload=$(od -An -v -N16 -tx1 < /dev/urandom | tr -d ' \\n')", at: 0)
    }
    if rules.each != nil { lines.append("pieces=") }
    lines += [
      "offset=0", "while :; do", "  next=$((offset + \(size)))",
      "  if [ \"$next\" -lt \(item.size) ]; then last=false; else last=true next=\(item.size); fi",
      "  length=$((next - offset))",
    ]
    if !asked.isDisjoint(with: [.pieceIndex, .pieceNumber]) {
      lines.append("  index=$((offset / \(size)))")
    }
    if asked.contains(.pieceNumber) { lines.append("  number=$((index + \(rules.first)))") }
    if asked.contains(.pieceEnd) { lines.append("  end=$((next - 1))") }
    lines += [
      "  tail -c \"+$((offset + 1))\" < \"$file\" | head -c \"$length\" > \"$work/piece\"",
      "  [ \"$(wc -c < \"$work/piece\")\" -eq \"$length\" ] || stop 'the file has changed'",
    ]
    for digest in asked.compactMap(\.pieceDigest).map(\.rawValue).sorted() {
      guard Self.names.contains(digest) else {
        throw InvalidInput("a script has no program to compute \(digest)")
      }
      lines.append("  \(digest)=$(\(digest)sum < \"$work/piece\" | cut -d ' ' -f 1)")
    }
    lines += sending.map { "  \($0)" }
    return lines + ["done"] + (finishing ?? [])
  }

  /// The lines that send one piece.
  private mutating func pieces() throws(InvalidInput) -> [String] {
    var lines: [String] = []
    if let ticket = rules.ticket { lines += try request(ticket, ticket.rules.statuses) }
    let place = lines.endIndex
    let (piece, whole) = (rules.piece, rules.response(of: target).statuses)
    let isOver = "if [ \"$last\" = true ]; then break; fi"
    var beginning: [String] = []
    if !piece.beginning.isEmpty {
      beginning = ["if [ \"$offset\" -eq 0 ]; then"]
      beginning += keep(piece.beginning, as: "begin").map { "  \($0)" } + ["fi"]
    }
    let keeping = keep(piece.values, as: "piece") + beginning
    switch (rules.finish, rules.last) {
    case (nil, nil):
      // The reply to the last piece is the upload's.
      lines.append(
        "if [ \"$last\" = true ]; then ok='\(whole)'; else ok='\(piece.rules.statuses)'; fi")
      lines += try request(piece, nil, isPiece: true) + [isOver] + keeping
    case (nil, let last?):
      lines.append("if [ \"$last\" = true ]; then")
      lines += try request(last, whole, isPiece: true).map { "  \($0)" } + ["  break", "fi"]
      lines += try request(piece, piece.rules.statuses, isPiece: true) + keeping
    case (_?, let last):
      var sending = try request(piece, piece.rules.statuses, isPiece: true) + keeping
      if let last {
        let other =
          try request(last, last.rules.statuses, isPiece: true)
          + keep(last.values, as: "piece") + beginning
        sending =
          ["if [ \"$last\" = true ]; then"] + other.map { "  \($0)" } + ["else"]
          + sending.map { "  \($0)" } + ["fi"]
      }
      lines += sending
    }
    if let each = rules.each {
      let separator = each.separator ?? ","
      if !separator.isEmpty {
        lines.append("if [ -n \"$pieces\" ]; then pieces=$pieces\(ShellWord.quoted(separator)); fi")
      }
      lines.append("pieces=$pieces\(try options.word(each.template.stretches(with: values)))")
    }
    // The requests that carry the piece use these values of the ticket, so the values must be set before them.
    let tickets = options.ticketValues.enumerated().map { index, pointer in
      "\(CurlOptions.ticketVariable(index))=\(read(.pointer(pointer)))"
    }
    lines.insert(contentsOf: tickets, at: place)
    if rules.finish != nil { lines.append(isOver) }
    return lines + offset(after: piece)
  }

  /// The lines that set the offset of the next piece.
  private mutating func offset(after call: PieceCall) -> [String] {
    guard let offset = call.offset else { return ["offset=$next"] }
    var source = find(offset.place)
    if let pattern = offset.pattern {
      source += " | \(options.call(.pattern, ShellWord.quoted(pattern.source)))"
    }
    let missing =
      switch offset.missing {
      case .failure: "stop 'the reply does not say how many bytes the server has'"
      case .nothing: "taken=0"
      case .known: "taken=$next"
      }
    return [
      "taken=$(\(source)) || taken=",
      "case $taken in", "  '') \(missing) ;;",
      "  *[!0-9]*) stop \"the reply has no number of bytes, but this: $taken\" ;;",
      "  *) taken=$((taken + \(offset.plus))) ;;", "esac",
      "if [ \"$taken\" -le \"$offset\" ] || [ \"$taken\" -gt \"$next\" ]; then",
      "  stop \"the server says that it has $taken bytes; $next were sent\"", "fi", "offset=$taken",
    ]
  }

  // MARK: Replies

  /// The lines that set variables to values from the last reply.
  private mutating func keep(_ wanted: [PieceCall.Value], as kind: String) -> [String] {
    wanted.map { value in
      let (prefix, suffix) = (value.place.prefix.fixedText, value.place.suffix.fixedText)
      var line = "\(kind)_\(value.name)="
      if !prefix.isEmpty { line += ShellWord.quoted(prefix) }
      line += read(value.place.place)
      if !suffix.isEmpty { line += ShellWord.quoted(suffix) }
      return line
    }
  }

  /// The shell expansion that gives the value at a place of the reply. The script stops if there is no such value.
  private mutating func read(_ place: ReplyPlace) -> String {
    options.output(.value, find(place))
  }

  /// The command that prints the value at a place of the reply.
  private mutating func find(_ place: ReplyPlace) -> String {
    switch place {
    case .pattern(let pattern):
      options.call(.pattern, ShellWord.quoted(pattern.source), "< \"$work/reply\"")
    case .header(let name): options.call(.header, ShellWord.quoted(name))
    case .pointer(let pointer): options.call(.pointer, ShellWord.quoted(pointer.jqFilter))
    }
  }

  /// The lines that send a request and judge its reply by the status. If `statuses` is nil, those that mean success are
  /// in the variable `ok`.
  private mutating func request(
    _ call: PieceCall, _ statuses: String?, isPiece: Bool = false
  ) throws(InvalidInput) -> [String] {
    let (request, parts): (ResumeRequest, [RequestPlan.Part]?)
    let (own, bare): (RequestHead, RequestHead)
    do throws(Failure.Cause) {
      request = try ResumeRequest(call, of: target, values)
      own = try RequestHead(
        request, of: target, credentials: .all(token: target.tokenPlaceholder), values: values)
      bare = try RequestHead(request, of: target, credentials: .none, values: values)
      parts = isPiece && call.body == .multipart ? try form() : nil
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    let (address, text) = (request.described?.address ?? [], request.described?.text)
    let isFromReply = request.described?.isAddressFromReply == true
    let isAtHome = Origin(text: address.written) == target.origin
    var before: [String] = []
    let body = try text.map { text throws(InvalidInput) in try options.word(text) }
    if let body { before.append("printf %s \(body) |") }
    if isFromReply {
      let word = try options.word(address)
      before.insert("url=\(options.output(.absolute, ShellWord.quoted(origin), word))", at: 0)
    }
    let isTrusted = isFromReply ? !hasLeft : isAtHome
    // The reply to the first piece may give addresses, whichever request carries that piece.
    if !isPiece || !rules.piece.beginning.isEmpty { hasLeft = hasLeft || isFromReply || !isAtHome }
    if isTrusted {
      // Only the target's own server may get these header fields and credentials.
      for header in own.headers where !bare.headers.contains(header) { try options.add(header) }
      var sum: CurlOptions.Piece?
      if target.sigV4?.isS3 == true, target.signsContent, parts == nil {
        sum =
          isPiece
          ? options.pieceSum() : body.map { .expansion(options.output(.digest, "sha256", $0)) }
        sum = sum ?? .text(SHA256.hash("".utf8).hexadecimal)
      }
      try options.addCredentials(of: target, own, sum: sum)
    }
    let credentials = options.take()

    let ok = statuses.map(ShellWord.quoted) ?? "\"$ok\""
    options.add("ask \(ok) --request \(request.method)")
    if isFromReply { options.add("\"$url\"") } else { try options.add("", options.pieces(address)) }
    if !isFromReply {
      credentials.forEach { options.add($0) }
    } else if !credentials.isEmpty {
      options.add("\"$@\"")
    }
    for header in bare.headers { try options.add(header) }
    if let parts {
      for part in parts { try options.add(part, content: .expansion("$work/piece")) }
    } else if isPiece || text != nil || ["POST", "PUT"].contains(request.method) {
      if !bare.has("Content-Type") {
        let type = isPiece ? " \(target.sentType(of: item))" : ""
        try options.add("--header", [.text("Content-Type:\(type)")])
      }
      options.add("--data-binary \(isPiece ? "\"@$work/piece\"" : text == nil ? "''" : "@-")")
    }
    let command = options.take()
    if isFromReply, !credentials.isEmpty {
      before.insert(
        contentsOf: [
          "# Only the target's own server may get its credentials.",
          "case $url in",
          "  \(ShellWord.quoted(origin))/*) set -- \(credentials.joined(separator: " ")) ;;",
          "  *) set -- ;;", "esac",
        ], at: 1)
    }
    return before
      + command.enumerated().map { index, line in
        (index == 0 ? "" : "  ") + line + (index == command.count - 1 ? "" : " \\")
      }
  }

  /// The parts of the form that carries a piece.
  private func form() throws(Failure.Cause) -> [RequestPlan.Part] {
    let plan = try RequestPlan([item], to: target, at: .target, credentials: .none, values)
    return if case .form(let parts) = plan.content { parts } else { [] }
  }
}

extension ReplyRules {
  /// The statuses that mean success, separated by spaces.
  fileprivate var statuses: String {
    ok.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: " ")
  }
}

extension JSONPointer {
  /// The pointer as a filter for jq.
  fileprivate var jqFilter: String {
    guard !tokens.isEmpty else { return "." }
    return tokens.map { token in
      let member = ".[\"\(JSONValue.escaped(token))\"]"
      // A number may also be the name of an object's member.
      guard token == "*" || !token.isEmpty && token.utf8.allSatisfy(\.isDigit)
      else { return member }
      return "if type == \"array\" then .[\(token == "*" ? "0" : token)] else \(member) end"
    }.joined(separator: " | ")
  }
}
