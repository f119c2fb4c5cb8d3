import Foundation
import TestSupport
import Testing

/// A server from elsewhere that keeps what is uploaded and answers with what it saw.
struct Peer {
  let url: String
  private let programs: [Program]

  /// Flask, as people start with it.
  static func flask(_ person: Person) async throws -> Peer {
    let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
    try #require(
      FileManager.default.isExecutableFile(atPath: python), "\(python) is missing: run make setup")
    let program = try Program(
      python, [script("flask_app.py"), person.folder.path], environment: person.environment,
      directory: person.folder.path)
    let port = try await wait(for: "Flask", otherwise: { program.errors }) {
      program.output.firstMatch(of: /port (\d+)/).map { String($0.1) }
    }
    return Peer(url: "http://127.0.0.1:\(port)/upload", programs: [program])
  }

  /// PHP's own server.
  static func php(_ person: Person) async throws -> Peer {
    var environment = person.environment
    environment["KEEP"] = person.folder.path
    return try await started(needs: "php-cli") { port in
      try Program(
        "php",
        [
          "-d", "upload_max_filesize=64M", "-d", "post_max_size=64M", "-S", "127.0.0.1:\(port)",
          script("upload.php"),
        ], environment: environment, directory: person.folder.path)
    }
  }

  /// nginx in front of Flask. It takes a mebibyte and no more, except under `/large`.
  static func nginx(_ person: Person) async throws -> Peer {
    let flask = try await flask(person)
    let folder = person.folder.path("nginx")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let peer = try await started(needs: "nginx-light") { port in
      // Workers of root's nginx would become another user, who may not write here.
      let user = getuid() == 0 ? "user root;" : ""
      try """
      \(user) daemon off; master_process off; pid nginx.pid; error_log stderr;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        client_max_body_size 1m;
        server {
          listen 127.0.0.1:\(port);
          location /upload { proxy_pass \(flask.url); }
          location /large { client_max_body_size 64m; proxy_pass \(flask.url); }
        }
      }
      """.write(toFile: "\(folder)/nginx.conf", atomically: true, encoding: .utf8)
      return try Program(
        "nginx", ["-p", folder, "-c", "nginx.conf", "-e", "stderr"],
        environment: person.administrator, directory: folder)
    }
    return Peer(url: peer.url, programs: peer.programs + flask.programs)
  }

  /// A WebDAV server whose root is the folder `dav`. Its log, `dav.log`, has a line for each request: the method, the
  /// status, and the path.
  /// `options` are further ones of rclone.
  static func webDAV(
    _ server: WebDAVServer, _ person: Person, options: [String] = []
  ) async throws -> Peer {
    let root = person.folder.path("dav")
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    switch server {
    case .rclone:
      let rclone = try await started(needs: "rclone") { port in
        try Program(
          "rclone",
          ["serve", "webdav", root, "--addr", "127.0.0.1:\(port)", "--config", ""] + options,
          environment: person.environment, directory: person.folder.path)
      }
      // It writes no log of requests, so nginx does.
      let origin = rclone.url.replacing("/upload", with: "")
      let nginx = try await self.nginx(
        person, "location / { proxy_pass \(origin); }")
      return Peer(url: nginx.url, programs: nginx.programs + rclone.programs)
    case .nginx:
      return try await nginx(person, "root \(root); dav_methods PUT DELETE MKCOL COPY MOVE;")
    case .apache: return try await apache(person, root)
    }
  }

  /// An nginx with one server, whose log is `dav.log`.
  private static func nginx(_ person: Person, _ server: String) async throws -> Peer {
    let folder = person.folder.path
    let peer = try await started(needs: "nginx-light") { port in
      let user = getuid() == 0 ? "user root;" : ""
      try """
      \(user) daemon off; master_process off; pid nginx.pid; error_log stderr;
      events {}
      http {
        log_format plain '$request_method $status $request_uri';
        access_log dav.log plain;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        client_max_body_size 0;
        server { listen 127.0.0.1:\(port); \(server) }
      }
      """.write(toFile: "\(folder)/dav.conf", atomically: true, encoding: .utf8)
      return try Program(
        "nginx", ["-p", folder, "-c", "dav.conf", "-e", "stderr"],
        environment: person.administrator,
        directory: folder)
    }
    return Peer(url: peer.url.replacing("/upload", with: ""), programs: peer.programs)
  }

  private static func apache(_ person: Person, _ root: String) async throws -> Peer {
    let folder = person.folder.path
    let modules = ["mpm_event", "authz_core", "dav", "dav_fs"].map {
      "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n"
    }.joined()
    let isRoot = getuid() == 0
    // Apache refuses to serve as root. Another user must be able to reach the folder.
    if isRoot {
      let own = "chmod 711 . && mkdir -p run && chown -R nobody dav run"
      let outcome = try await person.shell(own).end()
      try #require(outcome.status == 0, "\(outcome)")
    }
    let peer = try await started(needs: "apache2-bin") { port in
      try """
      ServerName localhost
      Listen 127.0.0.1:\(port)
      PidFile \(folder)/apache.pid
      DefaultRuntimeDir \(folder)
      ErrorLog \(folder)/apache.log
      \(modules)
      \(isRoot ? "User nobody" : "")
      LogFormat "%m %>s %U" plain
      CustomLog \(folder)/dav.log plain
      DavLockDB \(folder)/\(isRoot ? "run/" : "")lock
      DocumentRoot \(root)
      <Directory \(root)>
      Require all granted
      Dav On
      </Directory>
      """.write(toFile: "\(folder)/apache.conf", atomically: true, encoding: .utf8)
      return try Program(
        "apache2", ["-X", "-f", "\(folder)/apache.conf"], environment: person.administrator,
        directory: folder)
    }
    return Peer(url: peer.url.replacing("/upload", with: ""), programs: peer.programs)
  }

  /// Starts a server that has to be told its port, and waits until it listens there. Somebody else
  /// may have taken the port meanwhile; then another one is tried.
  private static func started(
    needs package: String, _ start: (_ port: Int) throws -> Program
  ) async throws -> Peer {
    var errors = ""
    for _ in 1...3 {
      let port = try HostileServer.closedPort()
      let program = try start(port)
      let listens = try await wait(for: package, otherwise: { program.errors }) { () -> Bool? in
        if program.hasEnded { return false }
        return (try? RawClient(port: port)).map { _ in true }
      }
      if listens {
        return Peer(url: "http://127.0.0.1:\(port)/upload", programs: [program])
      }
      errors += program.errors
    }
    throw WaitedInVain(
      description: "\(package) does not start (is it missing? run make setup)\n\(errors)")
  }

  private static func script(_ name: String) -> String {
    Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/\(name)").path
  }
}

/// WebDAV servers that are not ours.
enum WebDAVServer: String, CaseIterable { case rclone, apache, nginx }

extension Person {
  /// The environment for servers, which may be where only administrators look for programs.
  fileprivate var administrator: [String: String] {
    environment.merging(["PATH": (environment["PATH"] ?? "") + ":/usr/sbin"]) { $1 }
  }
}
