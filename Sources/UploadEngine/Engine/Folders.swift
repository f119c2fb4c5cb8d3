import Foundation
import HTTPTransport
import UploadModel

/// The folders on the way to files: which of them are on their servers, and which is being made.
///
/// Once a server has said that a folder is missing, the target's folders are made before their files are sent. Attempts
/// share this, since no folder is to be made twice. What becomes of a file whose folder cannot be made is up to its
/// attempt.
final class Folders {
  /// What is known about the folders of a target, by their addresses.
  private struct Place {
    /// Whether the server has said that one is missing.
    var lacksSome = false
    var there: Set<String> = []
    /// Why folders could not be made. They are tried again once the user retries a file.
    var refused: [String: Failure] = [:]
    /// The folders being made.
    var underWay: [String: Making] = [:]
    /// The only one being made, as long as the folder that all files share may be missing.
    var first: Making?
  }

  private var places: [Route: Place] = [:]

  /// Whether folders are to be made before files are sent.
  func areMadeAhead(on route: Route) -> Bool { places[route]?.lacksSome == true }

  /// Records that a file has arrived, and so its folders are there.
  func noteArrival(in path: FolderPath, on route: Route) {
    places[route, default: Place()].there.formUnion(path.folders.map(\.address))
  }

  /// Records that the server has said that a folder is missing.
  func noteLack(on route: Route) { places[route, default: Place()].lacksSome = true }

  /// Records that the server lacks one of these folders, although all of them were there.
  func noteLoss(of path: FolderPath, on route: Route) {
    places[route]?.there.subtract(path.folders.map(\.address))
  }

  /// Lets the folders that could not be made be tried again.
  func tryAgain(on route: Route) { places[route]?.refused = [:] }

  func tryEverything() { for route in places.keys { tryAgain(on: route) } }

  /// Makes the folders on the way to an attempt's files, from the outermost on, or waits for those that others make.
  /// Returns why one of them could not be made; nil if all of them are there, or the files have been taken back.
  func provide(
    _ path: FolderPath, for attempt: Attempt, on engine: isolated UploadEngine
  ) async -> Obstacle? {
    guard let job = attempt.files.first?.job else { return nil }
    let route = job.route
    for index in path.indices {
      let address = path.folders[index].address
      while !isThere(address, on: route), !job.isTakenBack {
        let place = places[route, default: Place()]
        let refused = path.folders[...index].lazy.compactMap { place.refused[$0.address] }
        if let failure = refused.first {
          return Obstacle(failure: failure)
        }
        // As long as the folder that all files share may be missing, only one folder is made at a time.
        let base = path.folders[..<path.common].last
        let isSure = base.map { isThere($0.address, on: route) } ?? true
        let making =
          place.underWay[address] ?? (isSure ? nil : place.first)
          ?? begin(Making(index, of: path, attempt, job, on: engine), isSure, on: engine)
        await attempt.wait(for: making, on: engine)
        // What keeps one folder from being made need not keep others from it.
        if let obstacle = making.obstacle, making.address == address || !obstacle.isOfFolder {
          return obstacle
        }
      }
    }
    return nil
  }

  private func isThere(_ address: String, on route: Route) -> Bool {
    places[route]?.there.contains(address) == true
  }

  private func begin(
    _ making: Making, _ isSure: Bool, on engine: isolated UploadEngine
  ) -> Making {
    let route = making.job.route
    places[route, default: Place()].underWay[making.address] = making
    if !isSure { places[route, default: Place()].first = making }
    Task {
      await withTaskExecutorPreference(engine.executor) { await carryOut(making, on: engine) }
    }
    return making
  }

  private func carryOut(_ making: Making, on engine: isolated UploadEngine) async {
    making.obstacle = await make(making.index, by: making, on: engine)
    let route = making.job.route
    places[route]?.underWay[making.address] = nil
    if places[route]?.first === making { places[route]?.first = nil }
    making.end()
  }

  /// Makes a folder, and first the one around it if the server lacks that, too.
  private func make(
    _ index: Int, by making: Making, on engine: isolated UploadEngine
  ) async -> Obstacle? {
    let (folder, route) = (making.path.folders[index], making.job.route)
    let isInside = index > 0 && isThere(making.path.folders[index - 1].address, on: route)
    var answer = await making.ask(for: folder, on: engine)
    if case .failure(let failure) = answer, failure.cause == .refused,
      FolderRule.isMissing(failure.status), index > 0, !isInside
    {
      if let obstacle = await make(index - 1, by: making, on: engine) { return obstacle }
      answer = await making.ask(for: folder, on: engine)
    }
    switch answer {
    case .success:
      engine.access.noteAnswer(to: making.job, making.authorization, on: engine)
      places[route, default: Place()].there.formUnion(
        making.path.folders[...index].map(\.address))
      return nil
    case .failure(let failure):
      let obstacle = making.obstacle(of: folder, failure, on: engine)
      if obstacle.isOfFolder {
        places[route, default: Place()].refused[folder.address] = obstacle.failure
        noteLoss(of: making.path, on: route)
      }
      return obstacle
    }
  }

  /// Why a folder could not be made.
  struct Obstacle {
    var failure: Failure
    /// How the files start over if their attempts do not count.
    var restart: Authorization.Restart?

    /// Whether the server does not allow this folder, and will not by itself.
    var isOfFolder: Bool {
      if case .noFolder = failure.cause { !failure.isTransient } else { false }
    }
  }
}
