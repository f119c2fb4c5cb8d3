import Foundation
import MediaTypes
import MultipartForm
import Synchronization
import UploadModel

/// Turns paths into items of the queue: looks at each file once, guesses its type, and marks at once
/// what cannot be sent.
final class FileIntake: Sendable {
  private let guesser: MediaTypeGuesser
  private let lastID = Atomic<Int64>(0)

  init(guesser: MediaTypeGuesser = .system) { self.guesser = guesser }

  /// The item for a file. One that cannot be sent comes out failed, with the reason.
  func item(at location: FileLocation) -> UploadItem {
    let number = lastID.add(1, ordering: .relaxed).newValue
    return look(at: UploadItem(id: ItemID(number), location: location))
  }

  /// The item with what its file looks like now, as before a retry.
  func look(at item: UploadItem) -> UploadItem {
    var item = item
    do throws(FileError) {
      let identity = try FileIdentity.of(item.location)
      item.identity = identity
      item.size = identity.size
      item.state = .waiting
      note(guesser.guess(path: item.location.bytes), in: &item)
    } catch {
      if let guess = guesser.guess(name: item.location.bytes) { note(guess, in: &item) }
      item.state = .failed(Failure(Failure.Cause(error, wasSeen: false)))
    }
    return item
  }

  private func note(_ guess: MediaTypeGuess, in item: inout UploadItem) {
    item.mediaType = guess.type.description
    item.typeSource = guess.source.description
    item.typeIsCertain = guess.source.isCertain
  }
}

extension MediaTypeGuess.Source {
  /// Whether anybody or anything said what the file is.
  fileprivate var isCertain: Bool {
    switch self {
    case .override, .extensionTable, .content: true
    case .unknown: false
    }
  }
}
