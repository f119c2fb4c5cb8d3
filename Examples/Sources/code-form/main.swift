// Turns a value into a form, and the bytes of the form back into a value, as the two ends of an upload do:
//
//   code-form TITLE COVER [KEYWORD…]

import Foundation
import MultipartForm
import MultipartFormCodable

struct Album: Codable {
  struct Place: Codable {
    var name: String
    var latitude: Double?
  }

  var title: String
  var taken: Date
  var place: Place
  var keywords: [String]
  var cover: FormFile
}

func fail(_ words: String) -> Never {
  FileHandle.standardError.write(Data("code-form: \(words)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments
guard arguments.count > 2 else { fail("usage: code-form TITLE COVER [KEYWORD…]") }

/// The request's Content-Type and body.
func send() throws -> (contentType: String, body: Data) {
  let album = Album(
    title: arguments[1], taken: Date(timeIntervalSince1970: 1_777_638_600),
    place: Album.Place(name: "Lisbon"), keywords: Array(arguments.dropFirst(3)),
    cover: FormFile(at: FileLocation(arguments[2]), contentType: "image/jpeg"))
  let form = try MultipartFormEncoder().encode(album)
  for part in form.parts { print(part.name) }
  // In memory, for once: send-form streams.
  let body = try FormBody(form)
  return (body.contentType, Data(try body.bytes()))
}

/// The album in a request, or what to answer.
func receive(_ body: Data, contentType: String) throws -> (album: Album?, refusal: String?) {
  let form = try CollectedForm(body, boundary: Boundary(contentType: contentType))
  do {
    return (try MultipartFormDecoder().decode(Album.self, from: form), nil)
  } catch let DecodingError.keyNotFound(_, fault), let DecodingError.typeMismatch(_, fault),
    let DecodingError.valueNotFound(_, fault), let DecodingError.dataCorrupted(fault)
  {
    return (nil, fault.debugDescription)
  }
}

do {
  let sent = try send()
  let received = try receive(sent.body, contentType: sent.contentType)
  guard let album = received.album else { fail(received.refusal ?? "") }
  print("\(album.title), \(album.keywords), \(album.cover.bytes?.count ?? 0) bytes")

  let incomplete = "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--B--\r\n"
  let other = try receive(Data(incomplete.utf8), contentType: "multipart/form-data; boundary=B")
  print(other.refusal ?? "")
} catch { fail("\(error)") }
