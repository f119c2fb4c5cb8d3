import Foundation
import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// The environment variables that name a proxy, as libcurl reads them: `http_proxy` only in lower case;
/// `https_proxy`, `all_proxy` and `no_proxy` also in upper case (curl's manual, "Environment").
///
/// libcurl's error for an invalid address repeats the address, password included. So the address is checked here first,
/// with an error that does not repeat it.
struct ProxyVariables {
  let environment: [String: String]

  /// The target, with the password of its proxy added to its secrets. Throws an error if a variable that applies to its
  /// requests does not contain a valid address.
  func checked(for target: Target) throws(ConfigError) -> Target {
    var checked = target
    let others = target.calls.compactMap { URL(written: $0.address.template.sample("a")) }
    for url in [target.url] + others {
      guard let variable = variable(for: url), let value = environment[variable] else { continue }
      guard let proxy = ProxyAddress(value) else {
        throw ConfigError(
          "the environment variable \(variable) does not hold a valid proxy address (not shown, since it may "
            + "hold a password); expected one such as http://proxy:3128 or "
            + "http://name:password@proxy:3128, with a \"/\" in a password written as %2F")
      }
      checked.ingredients += proxy.secrets
      if Origin(url) == target.origin { checked.proxy = proxy.place }
    }
    return checked
  }

  /// The name of the variable that libcurl uses for a URL, if any.
  private func variable(for url: URL) -> String? {
    guard let origin = Origin(url), !isExempt(origin.host) else { return nil }
    let names = origin.scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return (names + ["all_proxy", "ALL_PROXY"]).first { environment[$0]?.isEmpty == false }
  }

  private func isExempt(_ host: String) -> Bool {
    let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    return list.lowercased().unicodeScalars.split { $0 == "," || $0.isBlank }.contains { item in
      let name = String(item.drop { $0 == "." })
      return name == "*" || name == host || host.hasSuffix(scalars: ".\(name)")
    }
  }
}
