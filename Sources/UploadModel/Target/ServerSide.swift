import Foundation
import JSONText

/// A request to a target's server that is not an upload: its placeholders are filled in each time.
public struct ServerCall: Hashable, Sendable {
  /// Where it goes: a whole URL once it is filled in.
  public var url: Template
  /// The HTTP method, in upper case.
  public var method: String
  /// The body, JSON once it is filled in; nil for none.
  public var json: Template?
  /// How its reply is judged.
  public var rules: ReplyRules

  /// A call.
  public init(
    url: Template, method: String = "GET", json: Template? = nil, rules: ReplyRules = ReplyRules()
  ) {
    self.url = url
    self.method = method
    self.json = json
    self.rules = rules
  }
}

/// What can be done with what is on a target's server already.
public struct ServerSide: Hashable, Sendable {
  /// Shows the entries.
  public var list: Listing?
  /// Deletes one, `{id}`.
  public var delete: ServerCall?
  /// Sent after each upload.
  public var create: ServerCall?

  /// Nothing, unless said otherwise.
  public init(list: Listing? = nil, delete: ServerCall? = nil, create: ServerCall? = nil) {
    self.list = list
    self.delete = delete
    self.create = create
  }

  /// How entries are listed.
  public struct Listing: Hashable, Sendable {
    /// The request.
    public var call: ServerCall
    /// The array of entries in the reply.
    public var items: JSONPointer
    /// An entry's identifier, in the entry.
    public var id: JSONPointer
    /// What an entry is called, in the entry.
    public var title: JSONPointer
    /// Its size in bytes, in the entry; nil where it has none.
    public var size: JSONPointer?
    /// When it was stored, in the entry; nil where that is not said.
    public var time: JSONPointer?
    /// Where it can be found, in the entry; nil where that is not said.
    public var location: JSONPointer?

    /// A way to list entries.
    public init(call: ServerCall, items: JSONPointer, id: JSONPointer, title: JSONPointer) {
      self.call = call
      self.items = items
      self.id = id
      self.title = title
    }

    /// The entries that a reply lists.
    ///
    /// - Throws: what is wrong with the reply.
    public func entries(in document: JSONValue) throws(ServerEntry.Mistake) -> [ServerEntry] {
      guard case .array(let values)? = items.value(in: document) else {
        throw ServerEntry.Mistake(
          description: items.tokens.isEmpty
            ? "its answer is not a list" : "its answer has no list at \(items)")
      }
      var entries: [ServerEntry] = []
      for (index, value) in values.enumerated() {
        guard let id = id.value(in: value) else {
          throw ServerEntry.Mistake(description: "entry \(index) of its list has no \(self.id)")
        }
        var entry = ServerEntry(id: id.text, title: text(title, in: value) ?? "", value: value)
        entry.size = text(size, in: value).flatMap { Int64($0) }
        entry.time = text(time, in: value)
        entry.url = text(location, in: value)
        entries.append(entry)
      }
      return entries
    }

    private func text(_ pointer: JSONPointer?, in value: JSONValue) -> String? {
      pointer?.value(in: value)?.text
    }
  }
}

/// Something that is on a target's server. It came from outside: make it safe before it is shown.
public struct ServerEntry: Hashable, Sendable {
  /// Why a reply is no list of entries.
  public struct Mistake: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
  }

  /// What the server calls it.
  public var id: String
  /// What people call it.
  public var title: String
  /// Its size in bytes, where the server says so.
  public var size: Int64?
  /// When it was stored, in the server's words.
  public var time: String?
  /// Where it can be found, where the server says so.
  public var url: String?
  /// All that the server says of it.
  public var value: JSONValue

  /// An entry.
  public init(id: String, title: String, value: JSONValue) {
    self.id = id
    self.title = title
    self.value = value
  }
}

/// A request for leave to upload, whose reply says where to and with which fields (presigned POST).
public struct Ticket: Hashable, Sendable {
  /// The request.
  public var call: ServerCall
  /// Where its reply holds the URL that takes the file.
  public var uploadURL: JSONPointer
  /// Where its reply holds an object of form fields; nil for none.
  public var fields: JSONPointer?

  /// A way to get a ticket.
  public init(call: ServerCall, uploadURL: JSONPointer, fields: JSONPointer? = nil) {
    self.call = call
    self.uploadURL = uploadURL
    self.fields = fields
  }

  /// What a ticket allows.
  public struct Grant: Hashable, Sendable {
    /// Where the file goes.
    public var url: URL
    /// Form fields that go before all others.
    public var fields: [Target.Field]

    /// A grant.
    public init(url: URL, fields: [Target.Field]) {
      self.url = url
      self.fields = fields
    }
  }

  /// Why a reply is no ticket.
  public struct Mistake: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
  }

  /// What a reply to the call at `address` allows.
  public func grant(
    in document: JSONValue, from address: URL, redirects: Set<Origin>
  ) throws(Mistake) -> Grant {
    guard case .string(let text)? = uploadURL.value(in: document) else {
      throw Mistake(description: "the ticket has no \(uploadURL)")
    }
    guard let url = URL(string: text, relativeTo: address)?.absoluteURL, let origin = Origin(url),
      url.user == nil, url.password == nil
    else { throw Mistake(description: "the ticket's \(uploadURL) is no address to send to") }
    // Whoever was asked in secret does not send the file in the open.
    guard
      origin.scheme == "https" || Origin(address)?.scheme == "http" || redirects.contains(origin)
    else {
      throw Mistake(
        description: "the ticket leads from https to \(origin), which is not encrypted; list it in "
          + "redirect_to if that is meant")
    }
    guard let pointer = fields else { return Grant(url: url, fields: []) }
    guard case .object(let members)? = pointer.value(in: document) else {
      throw Mistake(description: "the ticket has no fields at \(pointer)")
    }
    return Grant(
      url: url,
      fields: members.sorted { $0.key < $1.key }.map {
        Target.Field(name: $0.key, value: Template(literal: $0.value.text))
      })
  }
}

/// A command that makes the file to send out of the one that was given. It runs without a shell.
public struct PrepareCommand: Hashable, Sendable {
  /// The program and its arguments.
  public var words: [Template]
  /// Seconds until it is ended.
  public var timeout: Double

  /// A command.
  public init(words: [Template], timeout: Double = 60) {
    self.words = words
    self.timeout = timeout
  }
}
