import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import Screens
import UploadModel

/// The files named by a line that the user typed to add files.
///
/// A file with exactly this name, including blanks, takes precedence. Otherwise the line is read as a shell would:
/// several paths, quotes, `~`, braces, patterns; and `file://` URLs. A word that names no file may have a type, a
/// name and a field after the file: `a.jpg;type=image/webp`.
struct TypedLine {
  let text: String
  let home: String

  /// The files that exist, and the words that name nothing.
  struct Files {
    var found: [NamedFile] = []
    var missing: [String] = []
    /// What is wrong with the options after a file, or why a folder cannot be read.
    var mistake: String?
  }

  var files: Files {
    var files = named
    let lasting = files.found.filter {
      $0.location == SpooledInput.argument || SpooledInput.descriptor(of: $0.location) == nil
    }
    if lasting.count < files.found.count {
      files.mistake = "what only this process can read cannot be queued; store it in a file first"
      files.found = lasting
    }
    return files
  }

  private var named: Files {
    let whole = TypedPath(text: text, home: home).files
    if whole.allSatisfy(Self.isThere) { return Files(found: whole.map { NamedFile($0) }) }
    var files = Files()
    for word in PastedPaths.typed(text) {
      switch word {
      case .typed(let word):
        for word in Self.bracesExpanded(word) {
          name(word, in: &files) { TypedPath(text: $0, home: home).files.filter(Self.isThere) }
        }
      case .exact(let word): name(word, in: &files) { [FileLocation($0)].filter(Self.isThere) }
      case .bytes(let bytes): files.found.append(NamedFile(FileLocation(bytes: bytes)))
      }
    }
    return files
  }

  /// Takes the files that a word names. A word that, taken as a whole, names none may have a type, a name and a field
  /// after the file.
  private func name(
    _ word: String, in files: inout Files, finding find: (String) -> [FileLocation]
  ) {
    let whole = find(word)
    files.found += whole.map { NamedFile($0) }
    guard whole.isEmpty else { return }
    do throws(UserError) {
      let wish = try FileArgument(word)
      let found = wish.path == word ? [] : find(wish.path)
      files.found += found.map { NamedFile($0, as: wish) }
      guard found.isEmpty else { return }
      if let trouble = TypedPath(text: wish.path, home: home).trouble {
        files.mistake = "\(SafeText.line(wish.path)): \(trouble)"
      } else {
        files.missing.append(word)
      }
    } catch {
      files.mistake = error.description
    }
  }

  /// Counts the files that would be added; stops counting if that takes too long. Returns nil if the answer is no
  /// longer needed.
  func preview(rules: FolderRules, isOutdated: () -> Bool) -> AddPreview? {
    let files = files
    var preview = AddPreview(missing: files.missing, mistake: files.mistake)
    if files.found.count == 1, let only = files.found.first?.location, Directory.isFolder(only) {
      preview.folder = SafeText.line(only.description)
    }
    let end = DispatchTime.now() + .milliseconds(500)
    var seen = 0
    // Counts a file, and returns whether to stop there.
    func stops(after file: FileLocation) -> Bool {
      do throws(FileError) {
        let size = try FileIdentity(ofReadable: file).size
        preview.files += 1
        preview.bytes &+= size
      } catch {
        if error.reason == .vanished { preview.brokenLinks += 1 } else { preview.unsendable += 1 }
      }
      seen += 1
      return seen % 64 == 0 && (isOutdated() || DispatchTime.now() >= end)
    }
    preview.isMore = files.found.contains { file in
      guard Directory.isFolder(file.location) else { return stops(after: file.location) }
      return FolderScan(file.location, rules: rules).contains {
        switch $0 {
        case .file(let file): return stops(after: file)
        case .unreadable:
          preview.unsendable += 1
          return false
        }
      }
    }
    return isOutdated() ? nil : preview
  }

  private static func isThere(_ file: FileLocation) -> Bool {
    var status = stat()
    return file.withCString { lstat($0, &status) } == 0
  }

  /// `a{b,c}d` as `abd` and `acd`, one pair after the other, as in bash. Braces without a comma stay, as do those of
  /// more than 1000 choices.
  static func bracesExpanded(_ word: String) -> [String] {
    var (open, depth, commas) = (String.Index?.none, 0, [String.Index]())
    let scalars = word.unicodeScalars
    for index in scalars.indices {
      switch scalars[index] {
      case "{":
        if depth == 0 { (open, commas) = (index, []) }
        depth += 1
      case "," where depth == 1: commas.append(index)
      case "}" where depth > 0:
        depth -= 1
        guard depth == 0, let start = open, !commas.isEmpty else { continue }
        let tails = bracesExpanded(String(scalars[scalars.index(after: index)...]))
        var choices: [String] = []
        var from = scalars.index(after: start)
        for comma in commas + [index] {
          choices += bracesExpanded(String(scalars[from..<comma]))
          from = scalars.index(after: comma)
        }
        let before = String(scalars[..<start])
        guard choices.count * tails.count <= 1000 else { return [word] }
        return choices.flatMap { choice in tails.map { before + choice + $0 } }
      default: break
      }
    }
    return [word]
  }
}
