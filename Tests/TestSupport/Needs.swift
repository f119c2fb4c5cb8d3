import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips tests that need a program that is missing, and says so: running `swift test` should not require
  /// installed everything. `make test` has (`HOIST_ALL_TESTS`), and a missing program fails its tests there.
  ///
  /// - Parameter programs: names to be looked up in `PATH`; "peers" stands for the environment of `make setup`.
  public static func needs(_ programs: String...) -> Self {
    let missing = programs.filter { !isThere($0) }
    return .enabled(
      if: missing.isEmpty || ProcessInfo.processInfo.environment["HOIST_ALL_TESTS"] != nil,
      "\(missing.joined(separator: ", ")) missing; make setup installs what all tests need")
  }

  private static func isThere(_ program: String) -> Bool {
    program == "peers"
      ? access("\(Repository.root)/.build/peers/bin/python3", X_OK) == 0
      : (try? Tool.path(of: program)) != nil
  }
}
