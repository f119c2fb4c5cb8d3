import Foundation

/// Where this repository is, for tests that need its files.
public enum Repository {
  /// The absolute path of the directory with Package.swift in it.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
}
