import UploadModel

/// The causes of failures, as far as they have advice of their own. A new cause does not compile until it is here. Then a
/// test fails until the table has a row for it.
enum AdviceKind: Hashable, Sendable, CaseIterable {
  case missing, unreadable, shortage, folder, brokenLink, specialFile, vanished, changed, tooLarge
  case empty, typeNotAllowed, unsendable, sameAddress, sameName
  case nameNotResolved, connectionRefused, unreachable, proxyUnreachable, connectionLost, stalled
  case outOfTime, selfSigned, insecure, network
  case refused, losesBody, otherOrigin, tooMany, noLocation, badLocation, otherRegion, unencrypted
  case nameTaken
  case notHTTP, rejected, unusable, differs, notRecorded, noFolder, unresumable
  case noToken, denied, anonymous, nonceExpired, notTried, cancelled, outcomeUnknown

  init(_ failure: Failure) {
    self =
      switch failure.cause {
      case .missing: .missing
      case .unreadable: .unreadable
      case .shortage: .shortage
      case .notAFile("a folder"): .folder
      case .brokenLink: .brokenLink
      case .notAFile: .specialFile
      case .changed(.vanished): .vanished
      case .changed(.shrank), .changed(.grew), .changed(.replaced), .changed(.modified): .changed
      case .tooLarge: .tooLarge
      case .empty: .empty
      case .typeNotAllowed: .typeNotAllowed
      case .unsendable: .unsendable
      case .clash(.address): .sameAddress
      case .clash(.name): .sameName
      case .taken: .nameTaken
      case .nameNotResolved: .nameNotResolved
      case .connectionRefused: .connectionRefused
      case .unreachable: .unreachable
      case .proxyUnreachable: .proxyUnreachable
      case .connectionLost: .connectionLost
      case .stalled: .stalled
      case .outOfTime: .outOfTime
      case .insecure(let why): why.contains("self-signed") ? .selfSigned : .insecure
      case .network: .network
      case .refused: .refused
      case .redirected(_, .losesBody): .losesBody
      case .redirected(_, .otherOrigin): .otherOrigin
      case .redirected(_, .tooMany): .tooMany
      case .redirected(_, .noLocation): .noLocation
      case .redirected(_, .badLocation): .badLocation
      case .redirected(_, .otherRegion): .otherRegion
      case .unencrypted: .unencrypted
      case .notHTTP: .notHTTP
      case .rejected: .rejected
      case .unusable: .unusable
      case .differs: .differs
      case .notRecorded: .notRecorded
      case .noFolder: .noFolder
      case .unresumable: .unresumable
      case .denied: failure.status == nil ? .noToken : .denied
      case .anonymous: .anonymous
      case .nonceExpired: .nonceExpired
      case .notTried: .notTried
      case .cancelled: .cancelled
      case .outcomeUnknown: .outcomeUnknown
      }
  }
}
