"""Strict copies of the endpoints in config/recipes: endpoints.py.

Says "port N" when it is ready. `POST /port` there opens another port and answers with its number: each test has one to
itself, with files of its own, for a process for each takes longer to start than the test. Each service lies under a path of its own, `/0x0`, `/jira`, …, and answers as the
original does; what the original would refuse is refused in words that say why. Bodies are taken apart here and
not by the framework, so that order, types and names are seen as they were sent.
"""
import base64
import hashlib
import json
import re
import threading
from email.parser import BytesParser
from email.policy import HTTP

from flask import Flask, Response, abort, jsonify, make_response, request
from werkzeug.local import LocalProxy
from werkzeug.serving import make_server

app = Flask(__name__)


class Room:
    """What one test has uploaded."""

    def __init__(self):
        self.kept, self.assets = {}, {}
        self.sent, self.asked, self.isBusy = 0, {}, False
        self.drafts, self.refusals, self.albums = {}, {}, {}


rooms = {}
room = LocalProxy(lambda: rooms[request.environ["SERVER_PORT"]])
kept = LocalProxy(lambda: room.kept)
assets = LocalProxy(lambda: room.assets)


@app.post("/port")
def open_port():
    server = make_server("127.0.0.1", 0, app, threaded=True)
    # A second host of the same service.
    if first := request.args.get("beside"):
        rooms[str(server.server_port)] = rooms[first]
        rooms[first].neighbour = server.server_port
    else:
        rooms[str(server.server_port)] = Room()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return str(server.server_port)


class Wrong(Exception):
    """What the original would not take."""


@app.errorhandler(Wrong)
def wrong(error):
    return jsonify(error={"message": str(error)}, data={"error": str(error)}, success=False), 400


def need(truth, words):
    if not truth:
        raise Wrong(words)


def parts():
    """The form as (name, file name, type, content), in order."""
    kind = request.headers.get("Content-Type", "")
    need(kind.startswith("multipart/form-data; boundary="), f"no form but {kind}")
    whole = f"Content-Type: {kind}\r\n\r\n".encode() + request.get_data()
    found = []
    for part in BytesParser(policy=HTTP).parsebytes(whole).iter_parts():
        found.append((
            part.get_param("name", header="Content-Disposition"), part.get_filename(),
            part.get("Content-Type"), part.get_payload(decode=True)))
    return found


def one_file(field, *others):
    """The only file of a form, behind fields of these names in this order."""
    form = parts()
    need([p[0] for p in form] == [*others, field], f"parts are {[p[0] for p in form]}")
    need(all(p[1] is None for p in form[:-1]), "a field has a file name")
    need(form[-1][1], "the file has no name")
    return form[-1], {p[0]: p[3].decode() for p in form[:-1]}


def alone():
    """The body by itself."""
    kind = request.headers.get("Content-Type", "")
    need(kind and not kind.startswith(("multipart/", "application/x-www-form")), f"a body of {kind}")
    need(request.headers.get("Content-Length"), "no length")
    return request.get_data(), kind


def basic(user, password):
    expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    need(request.headers.get("Authorization") == expected, "wrong credentials")


def page(entries, size, header, path):
    """A page of a list with the header fields that say what is left."""
    number = int(request.args.get("page", 1))
    chunk = entries[(number - 1) * size:number * size]
    reply = jsonify(chunk)
    reply.headers[header] = str(len(entries))
    if number * size < len(entries):
        reply.headers["Link"] = (
            f'<{request.host_url}{path}?page={number + 1}>; rel="next", '
            f'<{request.host_url}{path}?page=9>; rel="last"')
    return reply


@app.post("/0x0/")
def null_pointer():
    (_, name, _, content), fields = one_file("file", "secret", "expires")
    need(fields["expires"].isdigit(), "expires is no number")
    need(content, "the file is empty")
    kept[name] = content
    return Response(f"https://0x0.st/Xy1z.{name.rsplit('.')[-1]}\n", mimetype="text/plain")


@app.put("/transfer/<path:name>")
def transfer(name):
    content, _ = alone()
    need(request.headers.get("Max-Days") == "14", "no Max-Days")
    kept[name] = content
    return Response(f"https://transfer.sh/k3Yx/{name}\n", mimetype="text/plain")


@app.route("/immich/api/assets", methods=["POST", "DELETE"])
def immich():
    if request.headers.get("x-api-key") != "s3cret":
        return jsonify(message="Invalid API key: wrong credentials", error="Unauthorized", statusCode=401), 401
    if request.method == "DELETE":
        for number in request.get_json()["ids"]:
            for sum in [sum for sum, known in assets.items() if known == number]:
                del assets[sum]
        return "", 204
    # The checksum, in hexadecimal or Base64, is only looked up; it is not compared with the content.
    told = request.headers.get("x-immich-checksum")
    if told:
        told = base64.b64decode(told).hex() if len(told) == 28 else told
        if told in assets:
            return jsonify(id=assets[told], status="duplicate"), 200
    form = {name: (file, kind, content) for name, file, kind, content in parts()}
    for name in ["deviceAssetId", "deviceId"]:
        need(form.get(name, ("", "", b""))[2], f"{name} should not be empty")
    for name in ["fileCreatedAt", "fileModifiedAt"]:
        need(re.fullmatch(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", form[name][2]), f"{name} must be a Date instance")
    name, kind, content = form["assetData"]
    need(name and content and kind.startswith(("image/", "video/")), f"Unsupported file type {name}")
    need(len(form) == len(parts()), "Unexpected field")
    if "sidecarData" in form:
        sidecar, _, text = form["sidecarData"]
        need(sidecar and sidecar.lower().endswith(".xmp"), f"Unsupported file type {sidecar}")
        kept[sidecar] = text
    sum = hashlib.sha1(content).hexdigest()
    if sum in assets:
        return jsonify(id=assets[sum], status="duplicate"), 200
    assets[sum] = "3fe388e4-2078-44d7-b36c-39d9dee3a657" if not assets else sum
    kept[name] = content
    return jsonify(id=assets[sum], status="created"), 201


@app.post("/immich/api/albums")
def immich_album():
    if request.headers.get("x-api-key") != "s3cret":
        return jsonify(message="Invalid API key: wrong credentials", error="Unauthorized", statusCode=401), 401
    need(request.get_json().get("albumName"), "albumName should not be empty")
    number = f"0f7c0ba2-0000-4000-8000-{len(room.albums):012}"
    room.albums[number] = []
    return jsonify(id=number, albumName=request.get_json()["albumName"], assetCount=0), 201


@app.put("/immich/api/albums/<number>/assets")
def immich_into_album(number):
    if number not in room.albums:
        return jsonify(message="Not found or no album.addAsset access", statusCode=400), 400
    album, ids = room.albums[number], request.get_json()["ids"]
    need(all(each in assets.values() for each in ids), "Not found or no asset.share access")
    found = [{"id": each, "success": each not in album} for each in ids]
    album += [each for each in ids if each not in album]
    kept["albums"] = json.dumps(list(room.albums.values())).encode()
    return jsonify(found)


@app.route("/immich/api/assets/bulk-upload-check", methods=["POST"])
def immich_check():
    if request.headers.get("x-api-key") != "s3cret":
        return jsonify(message="Invalid API key: wrong credentials", error="Unauthorized", statusCode=401), 401
    results = []
    for each in request.get_json()["assets"]:
        told = each["checksum"]
        known = assets.get(base64.b64decode(told).hex() if len(told) == 28 else told)
        results.append({"id": each["id"], "action": "accept"} if not known else {
            "id": each["id"], "action": "reject", "reason": "duplicate", "assetId": known, "isTrashed": False})
    return jsonify(results=results), 200


@app.route("/nextcloud/remote.php/dav/files/me/Uploads/<name>", methods=["PUT", "DELETE"])
def nextcloud(name):
    basic("me", "s3cret")
    if request.method == "DELETE":
        return ("", 204) if kept.pop(name, None) is not None else ("", 404)
    content, _ = alone()
    time = request.headers.get("X-OC-MTime")
    if time is None and not name.startswith("undated"):
        need(False, "no time")
    # apps/dav/lib/Connector/Sabre/MtimeSanitizer.php
    if time is not None and not (re.fullmatch(r"-?\d+", time) and int(time) > 24 * 60 * 60):
        return Response('<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">\n'
                        '  <s:exception>InvalidArgumentException</s:exception>\n'
                        '  <s:message>X-OC-MTime header must be a valid positive integer</s:message>\n</d:error>\n',
                        500, content_type="application/xml; charset=utf-8")
    status = 204 if name in kept else 201
    kept[name] = content
    headers = {"X-OC-MTime": "accepted"}
    # As Nextcloud does: OC-Checksum is stored unread, and X-Hash answered.
    if request.headers.get("X-Hash") in ("sha256", "all"):
        damaged = name.startswith("damaged")
        headers["X-Hash-SHA256"] = hashlib.sha256(content[damaged:]).hexdigest()
    return Response(status=status, headers=headers)


def release():
    base = request.host_url + "gitea/api/v1/repos/me/tool/releases/7"
    return {"id": 7, "tag_name": "v1.0", "upload_url": f"{base}/assets", "assets": [
        {"id": 1, "name": "old.deb", "size": 3, "created_at": "2026-11-20T22:15:00Z",
         "browser_download_url": "https://gitea.example/old.deb"}]}


@app.get("/gitea/api/v1/repos/me/tool/releases/tags/v1.0")
def gitea_release():
    need(request.headers.get("Authorization") == "token s3cret", "wrong credentials")
    return jsonify(release())


@app.post("/gitea/api/v1/repos/me/tool/releases/7/assets")
def gitea():
    need(request.headers.get("Authorization") == "token s3cret", "wrong credentials")
    (_, name, _, content), _ = one_file("attachment")
    kept[name] = content
    return jsonify(
        id=2, name=name, size=len(content),
        browser_download_url=f"https://gitea.example/me/tool/releases/download/v1.0/{name}"), 201


@app.put("/gitlab/api/v4/projects/42/packages/generic/tool/1.0.0/<name>")
def gitlab_package(name):
    need(request.headers.get("PRIVATE-TOKEN") == "s3cret", "wrong credentials")
    need(request.args.get("select") == "package_file", "no select")
    need(re.fullmatch(r"[A-Za-z0-9.~_@+-]+", name), "a name that no package file has")
    content, _ = alone()
    kept[name] = content
    return jsonify(id=5, file_name=name, file={"url": f"https://gitlab.example/files/{name}"}), 201


@app.get("/gitlab/api/v4/projects/42/packages")
def gitlab_packages():
    need(request.headers.get("PRIVATE-TOKEN") == "s3cret", "wrong credentials")
    entries = [
        {"id": n, "name": "tool", "version": f"1.0.{n}", "created_at": "2026-11-20T22:15:00.123Z"}
        for n in range(1, 6)]
    return page(entries, 2, "X-Total", "gitlab/api/v4/projects/42/packages")


@app.get("/gitlab/api/v4/projects/42/packages/<int:id>")
def gitlab_one(id):
    return jsonify(id=id, name="tool", status="default")


@app.post("/gitlab/api/v4/projects/42/uploads")
def gitlab_upload():
    need(request.headers.get("PRIVATE-TOKEN") == "s3cret", "wrong credentials")
    (_, name, _, content), _ = one_file("file")
    kept[name] = content
    path = f"/-/project/42/uploads/66dbcd21/{name}"
    return jsonify(id=5, alt=name, url=f"/uploads/66dbcd21/{name}", full_path=path), 201


@app.post("/jira/rest/api/3/issue/DEMO-1/attachments")
def jira():
    basic("me@example.org", "s3cret")
    if request.headers.get("X-Atlassian-Token") != "no-check":
        return Response("XSRF check failed", status=403)
    form = parts()
    need(form and all(p[0] == "file" and p[1] for p in form), f"parts are {[p[0] for p in form]}")
    for part in form:
        kept[part[1]] = part[3]
    return jsonify([
        {"id": str(100 + n), "filename": p[1], "size": len(p[3]),
         "content": f"https://jira.example/attachment/content/{100 + n}"}
        for n, p in enumerate(form)])


@app.get("/jira/rest/api/3/issue/DEMO-1")
def jira_issue():
    basic("me@example.org", "s3cret")
    return jsonify(fields={"attachment": [
        {"id": "100", "filename": "a.log", "size": 3, "created": "2026-11-20T22:15:00.000+0000"}]})


@app.delete("/jira/rest/api/3/attachment/<id>")
def jira_delete(id):
    return ("", 204) if id == "100" else ("", 404)


@app.post("/wordpress/wp-json/wp/v2/media")
def wordpress():
    basic("me", "s3cret")
    content, kind = alone()
    disposition = request.headers.get("Content-Disposition", "")
    name = re.fullmatch(r'attachment; filename="((?:[^"\\]|\\.)*)"', disposition)
    need(name, f"no name in {disposition}")
    name = re.sub(r"\\(.)", r"\1", name[1])
    kept[name] = content
    reply = jsonify(id=9, source_url=f"https://blog.example/wp-content/uploads/{len(name)}")
    reply.headers["Location"] = "https://blog.example/wp-json/wp/v2/media/9"
    return reply, 201


@app.post("/wordpress/wp-json/wp/v2/posts")
def wordpress_post():
    basic("me", "s3cret")
    wanted = request.get_json()
    need(str(wanted.get("featured_media")) == "9", "rest_invalid_param: featured_media")
    kept["post"] = wanted
    return jsonify(id=12), 201


@app.get("/wordpress/wp-json/wp/v2/media")
def wordpress_list():
    basic("me", "s3cret")
    # A page too far is an error there, not an empty one.
    need(int(request.args.get("page", 1)) <= 2, "rest_post_invalid_page_number")
    entries = [
        {"id": n, "title": {"rendered": f"Picture {n}"}, "date_gmt": "2026-11-20T22:15:00"}
        for n in range(1, 5)]
    return page(entries, 2, "X-WP-Total", "wordpress/wp-json/wp/v2/media")


@app.post("/cloudinary/v1_1/demo/auto/upload")
def cloudinary():
    (_, name, _, content), fields = one_file("file", "upload_preset", "public_id")
    need(fields["upload_preset"] == "hoist", "Upload preset not found")
    need(len(fields["public_id"]) == 36, "no public_id")
    kept[name] = content
    return jsonify(secure_url=f"https://res.cloudinary.com/demo/image/upload/{name}")


@app.get("/cloudinary/v1_1/demo/resources/image")
def cloudinary_list():
    basic("key", "s3cret")
    need(request.args.get("max_results") == "2", "max_results is lost")
    # A cursor has characters that mean something in a query.
    pages = {None: ([1, 2], "a+b/c=&d"), "a+b/c=&d": ([3], None)}
    cursor = request.args.get("next_cursor")
    need(cursor in pages, f"Invalid value for parameter next_cursor: {cursor}")
    numbers, following = pages[cursor]
    reply = {"resources": [{"public_id": f"p{n}", "bytes": n * 1000} for n in numbers]}
    return jsonify(reply | ({"next_cursor": following} if following else {}))


@app.post("/slack/api/files.getUploadURLExternal")
def slack_address():
    if request.headers.get("Authorization") != "Bearer s3cret":
        return jsonify(ok=False, error="invalid_auth")
    need(request.mimetype == "application/x-www-form-urlencoded", f"a body of {request.mimetype}")
    if not request.form.get("length", "").isdigit() or not request.form.get("filename"):
        return jsonify(ok=False, error="invalid_arguments")
    kept["slack"] = dict(request.form)
    return jsonify(ok=True, file_id="F0TEST", upload_url=f"{request.host_url}slack/upload/v1/ABC")


@app.post("/slack/upload/v1/ABC")
def slack_upload():
    content, _ = alone()
    need(kept["slack"]["length"] == str(len(content)), "another length than was told")
    kept[kept["slack"]["filename"]] = content
    return Response(f"OK - {len(content)}", mimetype="text/plain")


@app.post("/slack/api/files.completeUploadExternal")
def slack_complete():
    if request.headers.get("Authorization") != "Bearer s3cret":
        return jsonify(ok=False, error="invalid_auth")
    wanted = request.get_json()
    if wanted["files"][0]["id"] != "F0TEST":
        return jsonify(ok=False, error="file_not_found")
    kept["shared"] = wanted
    return jsonify(ok=True, files=wanted["files"])


@app.post("/imgur/3/image")
def imgur():
    need(request.headers.get("Authorization") == "Client-ID s3cret", "wrong credentials")
    (_, name, kind, content), fields = one_file("image", "type", "title")
    need(fields["type"] == "file", "type is not file")
    need(kind and kind.startswith("image/"), f"a file of {kind}")
    kept[name] = content
    return jsonify(data={"id": "orunSTu", "link": "https://i.imgur.com/orunSTu.png"},
                   success=True, status=200)


@app.post("/dropbox/2/files/upload")
def dropbox():
    """Takes one media type, and the name as JSON in a header field, which has to be ASCII."""
    need(request.headers.get("Authorization") == "Bearer s3cret", "wrong credentials")
    content, kind = alone()
    need(kind == "application/octet-stream", f"a body of {kind}")
    wanted = json.loads(request.headers.get("Dropbox-API-Arg", ""))
    need(wanted["mode"] == "add" and wanted["path"].startswith("/"), "no path")
    kept[wanted["path"][1:]] = content
    return jsonify(id="id:a4ayc", path_display=wanted["path"])


@app.get("/azure/sas")
def azure_sas():
    need(request.headers.get("Authorization") == "Bearer s3cret", "wrong credentials")
    name = request.args.get("name")
    return Response(f"{request.host_url}azure/photos/{name}?sig=a%2Fb", mimetype="text/plain")


@app.put("/azure/photos/<name>")
def azure(name):
    need(request.query_string == b"sig=a%2Fb", "the signature is wrong")
    need(request.headers.get("Authorization") is None, "another secret than the signature")
    need(request.headers.get("x-ms-blob-type") == "BlockBlob", "MissingRequiredHeader: x-ms-blob-type")
    content, kind = alone()
    need(request.headers.get("x-ms-meta-md5") == hashlib.md5(content).hexdigest(), "the sum is wrong")
    kept[name] = content
    return "", 201


def fishing(rc, descr="", **more):
    return jsonify(fishingResponse={"rc": rc, "descr": descr, **more})


@app.post("/fishing/fishingserver/catches/add.htm")
def catch():
    """A servlet that answers with a page for people, and with JSON only if it refuses."""
    (_, name, kind, content), fields = one_file(
        "catchImage", "catchDate", "locationId", "customLat", "customLng", "userId", "token", "fishId",
        "fishLength", "fishWeight", "comments", "id", "submitButton")
    if fields["token"] != "s3cret":
        return fishing(5, "wrong credentials")
    need(fields["id"] == "0", "a new catch has the id 0")
    for key in ("customLat", "customLng", "fishLength", "fishWeight"):
        need(re.fullmatch(r"-?\d+\.\d{6}", fields[key]), f"{key} has not six decimals")
    need(kind == "image/jpeg", f"a picture of {kind}")
    kept[name] = content
    kept["catch"] = {"id": 1, "comments": fields["comments"]}
    return Response("<html><body>Thank you!</body></html>", mimetype="text/html")


@app.get("/fishing/fishingserver/catches/catches.json")
def catches():
    need(request.args.get("action") == "list", "no action")
    if request.args.get("token") != "s3cret":
        return fishing(5, "wrong credentials")
    return fishing(0, items=[kept["catch"]] if "catch" in kept else [])


@app.post("/fishing/fishingserver/catches/delete.htm")
def catch_delete():
    need(request.args.get("token") == "s3cret", "wrong credentials")
    if "page" in kept:
        return Response("<html><body>Please log in</body></html>", mimetype="text/html")
    del kept["catch"]
    kept["page"] = b""
    return fishing(0)


@app.post("/digest/upload")
def digest():
    """RFC 7616 with SHA-256 or MD5 as the query asks; a nonce is good once."""
    name = request.args.get("algorithm", "MD5")
    sums = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}[name]
    said = dict(re.findall(r'(\w+)="?([^",]+)"?', request.headers.get("Authorization", "")))
    if said.get("nonce") not in kept.get("nonces", set()):
        nonce = base64.b64encode(hashlib.sha256(str(len(kept)).encode()).digest()).decode().strip("=")
        kept.setdefault("nonces", set()).add(nonce)
        return Response("who are you", status=401, headers={
            "WWW-Authenticate": f'Digest realm="r", qop="auth", algorithm={name}, nonce="{nonce}"'})
    kept["nonces"].remove(said["nonce"])

    def hashed(*words):
        return sums(":".join(words).encode()).hexdigest()

    expected = hashed(
        hashed("me", "r", "s3cret"), said["nonce"], said["nc"], said["cnonce"], "auth",
        hashed("POST", request.full_path.rstrip("?")))
    if said["response"] != expected:
        return Response("wrong credentials", status=401)
    (_, file_name, _, content), _ = one_file("file")
    kept[file_name] = content
    return Response("ok")

def expect(authorization, status, reply):
    """Answers as the original does to anybody else."""
    if request.headers.get("Authorization") != authorization:
        abort(make_response(reply if isinstance(reply, str) else jsonify(reply), status))


@app.post("/mattermost/api/v4/files")
def mattermost():
    expect("Bearer s3cret", 401, {"message": "Invalid or expired session, please login again.", "status_code": 401})
    # A file before its channel is stored as well, but in memory first.
    form = parts()
    need([p[0] for p in form] == ["channel_id", "files"], f"parts are {[p[0] for p in form]}")
    need(re.fullmatch(rb"[a-z0-9]{26}", form[0][3]), "Invalid or missing channel_id parameter in request URL.")
    kept[form[1][1]] = form[1][3]
    return jsonify(file_infos=[{"id": "6tq7iyk4cbbzdjpmpguze6s7sw", "name": form[1][1]}], client_ids=[]), 201


@app.post("/mattermost/api/v4/posts")
def mattermost_post():
    expect("Bearer s3cret", 401, {"message": "Invalid or expired session, please login again.", "status_code": 401})
    wanted = request.get_json()
    need(wanted["file_ids"] == ["6tq7iyk4cbbzdjpmpguze6s7sw"], "Invalid or missing file_ids")
    need(wanted["message"] == "" and len(wanted["channel_id"]) == 26, "Invalid or missing channel_id")
    kept["post"] = wanted
    return jsonify(id="4xp9fdt77pncbef59f4k1qe83o"), 201


@app.post("/matrix/_matrix/media/v3/upload")
def matrix():
    expect("Bearer s3cret", 401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token passed."})
    content, _ = alone()
    kept[request.args["filename"]] = content
    return jsonify(content_uri="mxc://matrix.example/AQwafuaFswefuhsfAFAgsw")


@app.put("/matrix/_matrix/client/v3/rooms/<room>/send/m.room.message/<transaction>")
def matrix_message(room, transaction):
    expect("Bearer s3cret", 401, {"errcode": "M_UNKNOWN_TOKEN", "error": "Invalid access token passed."})
    wanted = request.get_json()
    need(room == "!ehXvUhWNASUkSLvAGP:m.example" and transaction, "M_FORBIDDEN: not in the room")
    need(wanted["msgtype"] == "m.file" and wanted["url"].startswith("mxc://") and wanted["body"], "M_BAD_JSON")
    need(type(wanted["info"]["size"]) is int and "/" in wanted["info"]["mimetype"], "M_BAD_JSON: info")
    kept["post"] = wanted
    return jsonify(event_id="$YUwRidLecu:m.example")


def catbox_file(*others):
    """Refuses in plain text."""
    form = {name: (file, content) for name, file, _, content in parts()}
    if form.get("reqtype", ("", b""))[1] != b"fileupload":
        abort(make_response("No request type given.", 412))
    if set(form) != {"reqtype", "fileToUpload", *others} or not form["fileToUpload"][0]:
        abort(make_response("No file given.", 412))
    kept[form["fileToUpload"][0]] = form["fileToUpload"][1]
    return form


@app.post("/catbox/user/api.php")
def catbox():
    catbox_file()
    return Response("https://files.catbox.moe/abc123.png", mimetype="text/html")


@app.post("/litterbox/resources/internals/api.php")
def litterbox():
    form = catbox_file("time")
    if form["time"][1] not in (b"1h", b"12h", b"24h", b"72h"):
        # With a 200.
        return Response("No expire time specified.", mimetype="text/html")
    return Response("https://litter.catbox.moe/xyz987.png", mimetype="text/html")


@app.put("/pixeldrain/api/file/<name>")
def pixeldrain(name):
    said = base64.b64decode(request.headers.get("Authorization", "")[6:]).decode()
    if said.partition(":")[2] != "s3cret":
        return jsonify(success=False, value="authentication_failed", message="wrong credentials"), 401
    content, _ = alone()
    if not content:
        return jsonify(success=False, value="no_file", message="The file does not exist or is empty."), 422
    kept[name] = content
    return jsonify(id="k3YxAb9Z")


@app.post("/gofile/uploadfile")
def gofile():
    expect("Bearer s3cret", 401, {"status": "error-token", "data": {}})
    (_, name, _, content), fields = one_file("file", "folderId")
    if len(fields["folderId"]) != 36:
        # With a 200.
        return jsonify(status="error-folderNotFound", data={})
    kept[name] = content
    return jsonify(status="ok", data={"code": "Z19n9a", "downloadPage": "https://gofile.io/d/Z19n9a", "name": name})


@app.put("/internet-archive/<item>/<path:name>")
def internet_archive(item, name):
    expect("LOW me:s3cret", 403, "<Error><Code>InvalidAccessKeyId</Code><Message>wrong credentials</Message></Error>")
    need(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{2,99}", item), "InvalidBucketName")
    need(request.headers.get("x-archive-auto-make-bucket") == "1", "NoSuchBucket")
    need(request.headers.get("x-archive-meta-mediatype") in ("data", "texts", "image"), "invalid mediatype")
    content, _ = alone()
    kept[name] = content
    return "", 200


@app.put("/artifactory/artifactory/libs-local/<path:name>")
def artifactory(name):
    expect("Bearer s3cret", 401, {"errors": [{"status": 401, "message": "Bad credentials"}]})
    content, _ = alone()
    sum = hashlib.sha256(content).hexdigest()
    if request.headers.get("X-Checksum-Sha256") != sum:
        return jsonify(errors=[{"status": 409, "message": "Checksum error"}]), 409
    kept[name.split("/")[-1]] = content
    return jsonify(
        repo="libs-local", path=f"/{name}", checksums={"sha256": sum},
        downloadUri=f"https://artifactory.example/artifactory/libs-local/{name}"), 201


@app.put("/nexus/repository/raw-hosted/<path:name>")
def nexus(name):
    expect("Basic " + base64.b64encode(b"deployer:s3cret").decode(), 401, "")
    content, _ = alone()
    kept[name] = content
    return "", 201


@app.post("/pypi/legacy/")
def pypi():
    if request.headers.get("Authorization") != "Basic " + base64.b64encode(b"__token__:s3cret").decode():
        return Response("403 Invalid or non-existent authentication information.", status=403)
    form = {name: (file, content) for name, file, _, content in parts()}
    fields = {name: content.decode() for name, (file, content) in form.items() if not file}
    name, content = form["content"]
    need(fields[":action"] == "file_upload" and fields["protocol_version"] == "1", "Unknown protocol version.")
    need(fields["metadata_version"] in ("1.2", "2.1", "2.2", "2.3", "2.4"), "Unknown Metadata-Version")
    need((fields["filetype"], fields["pyversion"]) in [("sdist", "source"), ("bdist_wheel", "py3")],
         "Use 'source' as Python version for an sdist.")
    need(name.startswith(f"{fields['name']}-{fields['version']}") and name.endswith((".tar.gz", ".whl")),
         f"Invalid file extension or name: {name}")
    need(fields["sha256_digest"] == hashlib.sha256(content).hexdigest(), "The digest supplied does not match")
    if name in kept:
        return Response(f"400 File already exists ('{name}').", status=400)
    kept[name] = content
    return "", 200


@app.post("/telegram/bot<token>/sendDocument")
def telegram(token):
    # As it is: whether a server takes "%3A" for the colon is not documented.
    if "/bot7:s3cret/" not in request.environ["RAW_URI"]:
        return jsonify(ok=False, error_code=401, description="Unauthorized"), 401
    (_, name, _, content), fields = one_file("document", "chat_id")
    if not re.fullmatch(r"-?\d+|@\w+", fields["chat_id"]) or not content:
        return jsonify(ok=False, error_code=400, description="Bad Request: chat not found"), 400
    kept[name] = content
    return jsonify(ok=True, result={"message_id": 7, "document": {"file_name": name, "file_id": "BQAC"}})


@app.post("/discord/api/webhooks/<id>/<token>")
def discord(id, token):
    if token != "s3cret" or not id.isdigit():
        return jsonify(message="Invalid Webhook Token", code=50027), 401
    form = parts()
    names = [p[0] for p in form if p[0] != "payload_json"]
    need(all(re.fullmatch(r"files\[\d+\]", name) for name in names), f"parts are {names}")
    need(1 <= len(names) <= 10 and len(set(names)) == len(names), "names are not unique")
    for _, file, _, content in form:
        kept[file] = content
    if request.args.get("wait") != "true":
        return "", 204
    return jsonify(id="1", attachments=[
        {"id": str(n), "filename": p[1], "url": f"https://cdn.discordapp.com/attachments/1/{n}/{p[1]}"}
        for n, p in enumerate(form)])


@app.post("/mastodon/api/v2/media")
def mastodon():
    expect("Bearer s3cret", 401, {"error": "The access token is invalid"})
    (_, name, kind, content), _ = one_file("file", "description")
    if not (kind or "").startswith(("image/", "video/")):
        return jsonify(error="Validation failed: File content type is invalid, File is invalid"), 422
    kept[name] = content
    # A film is processed later.
    isImage = kind.startswith("image/")
    return jsonify(
        id="22348641", type=kind.split("/")[0],
        url=f"https://files.mastodon.example/{name}" if isImage else None), 200 if isImage else 202


@app.get("/mastodon/api/v1/media/22348641")
def mastodon_medium():
    expect("Bearer s3cret", 401, {"error": "The access token is invalid"})
    [name] = kept
    if name.startswith("broken"):
        return jsonify(error="Validation failed: File could not be processed"), 422
    isReady = asked("media") > 2
    return jsonify(
        id="22348641", type="video",
        url=f"https://files.mastodon.example/{name}" if isReady else None), 200 if isReady else 206


# Version 2 of paperless-ngx, and version 3.
@app.post("/paperless/api/documents/post_document/")
@app.post("/paperless3/api/documents/post_document/")
def paperless():
    expect("Token s3cret", 401, {"detail": "Invalid token."})
    (_, name, _, content), fields = one_file("document", "title")
    need(len(fields["title"]) <= 128, "Ensure this field has no more than 128 characters.")
    kept[name] = content
    room.sent += 1
    return jsonify("0e2a1d0c-58ad-4b0a-a2d2-3b3f4c6d7e8f")


@app.get("/paperless/api/tasks/")
def paperless_task():
    expect("Token s3cret", 401, {"detail": "Invalid token."})
    if request.args.get("task_id") != "0e2a1d0c-58ad-4b0a-a2d2-3b3f4c6d7e8f" or asked("task") == 1:
        # There is no entry before a worker has taken the task.
        return jsonify([])
    [name] = kept
    task = {"task_id": request.args["task_id"], "task_file_name": name, "status": "STARTED", "result": None,
            "related_document": None}
    if name.startswith("broken"):
        task.update(status="FAILURE", result=f"Not consuming {name}: it cannot be read")
    elif name.startswith("same"):
        task.update(status="FAILURE", result=f"Not consuming {name}: It is a duplicate of photo (#12)",
                    related_document="12")
    elif room.asked["task"] > 2 and not room.isBusy:
        task.update(status="SUCCESS", result="Success. New document id 12 created", related_document="12")
    return jsonify([task])


@app.get("/paperless3/api/tasks/")
def paperless_3_task():
    expect("Token s3cret", 401, {"detail": "Invalid token."})
    page = {"count": 0, "next": None, "previous": None, "results": []}
    if request.args.get("task_id") != "0e2a1d0c-58ad-4b0a-a2d2-3b3f4c6d7e8f" or asked("task") == 1:
        return jsonify(page)
    [name] = kept
    task = {"id": 1, "task_id": request.args["task_id"], "status": "started", "result_data": None,
            "input_data": {"filename": name}, "related_document_ids": []}
    if name.startswith("broken"):
        task.update(status="failure", result_data={
            "error_type": "ConsumerError", "error_message": f"Not consuming {name}: it cannot be read"})
    elif name.startswith("same"):
        task.update(status="failure", result_data={"duplicate_of": 12, "duplicate_in_trash": False},
                    related_document_ids=[12])
    elif room.asked["task"] > 2 and not room.isBusy:
        task.update(status="success", result_data={"document_id": 12}, related_document_ids=[12])
    return jsonify(page | {"count": 1, "results": [task]})


@app.post("/busy/<word>")
def busy(word):
    """Keeps paperless at work, or lets it finish, and says what was asked of it."""
    room.isBusy = word == "yes"
    return f"{room.sent} {room.asked.get('task', 0)}"


def asked(what):
    """How often this has been asked, with this time."""
    room.asked[what] = room.asked.get(what, 0) + 1
    return room.asked[what]


@app.get("/github/repos/octocat/Hello-World/releases/tags/v1.0.0")
def github_tag():
    expect("Bearer s3cret", 401, {"message": "Bad credentials", "status": "401"})
    uploads = f"http://127.0.0.1:{room.neighbour}/github/repos/octocat/Hello-World/releases/190846203/assets"
    return jsonify(id=190846203, tag_name="v1.0.0", upload_url=uploads + "{?name,label}")


@app.post("/github/repos/octocat/Hello-World/releases/190846203/assets")
def github_release():
    # The host for files is another one than that of the API.
    need(request.environ["SERVER_PORT"] == str(room.neighbour), "wrong host")
    expect("Bearer s3cret", 401, {"message": "Bad credentials", "status": "401"})
    content, _ = alone()
    name = request.args.get("name", "")
    need(name, "Bad Content-Length, or no name")
    if name in kept:
        return jsonify(message="Validation Failed", errors=[
            {"resource": "ReleaseAsset", "code": "already_exists", "field": "name"}]), 422
    kept[name] = content
    return jsonify(
        id=1, name=name, state="uploaded",
        browser_download_url=f"https://github.com/octocat/Hello-World/releases/download/v1.0.0/{name}"), 201


@app.post("/git-lfs/me/tool.git/info/lfs/objects/batch")
def lfs_batch():
    expect("Basic " + base64.b64encode(b"me:s3cret").decode(), 401, {"message": "wrong credentials"})
    kind = "application/vnd.git-lfs+json"
    if request.headers.get("Accept") != kind:
        return jsonify(message="wrong Accept"), 406
    need(request.mimetype == kind, f"a body of {request.mimetype}")
    wanted = json.loads(request.get_data())
    need(wanted["operation"] == "upload" and wanted["transfers"] == ["basic"], "unknown operation")
    [object] = wanted["objects"]
    need(re.fullmatch("[0-9a-f]{64}", object["oid"]) and type(object["size"]) is int, "Validation error")
    if object["size"] > 1_000_000:
        return jsonify(transfer="basic", objects=[object | {"error": {"code": 422, "message": "object is too large"}}])
    if kept.get("oid") == object["oid"]:
        # It is there: nothing is to be done.
        return jsonify(transfer="basic", objects=[object])
    actions = {"upload": {
        "href": f"{request.host_url}git-lfs/objects/{object['oid']}",
        "header": {"Authorization": "RemoteAuth t1cket"}, "expires_in": 86400}}
    if object["size"] > 1000:
        actions["verify"] = {
            "href": f"{request.host_url}git-lfs/verify", "header": {"Authorization": "RemoteAuth v3rify"}}
    return jsonify(transfer="basic", objects=[object | {"authenticated": True, "actions": actions}])


@app.post("/git-lfs/verify")
def lfs_verify():
    expect("RemoteAuth v3rify", 401, {"message": "wrong ticket"})
    kind = "application/vnd.git-lfs+json"
    need(request.mimetype == kind and request.headers.get("Accept") == kind, f"a body of {request.mimetype}")
    told = json.loads(request.get_data())
    need(told == {"oid": kept["oid"], "size": len(kept["object"])}, "another object")
    kept["told"] = kept.get("told", 0) + 1
    if told["size"] > 500_000:
        return jsonify(message="object is quarantined"), 422
    return "", 200


@app.put("/git-lfs/objects/<oid>")
def lfs_object(oid):
    expect("RemoteAuth t1cket", 401, {"message": "wrong ticket"})
    content, kind = alone()
    need(kind == "application/octet-stream", f"a body of {kind}")
    need(hashlib.sha256(content).hexdigest() == oid, "another object")
    kept["oid"], kept["object"] = oid, content
    return "", 200


def zenodo_draft(number):
    """A deposition that has not been published."""
    expect("Bearer s3cret", 401, {"status": 401, "message": "wrong credentials"})
    draft = room.drafts.get(number)
    if draft is None:
        abort(make_response(jsonify(status=404, message="PID does not exist."), 404))
    if draft["submitted"]:
        abort(make_response(jsonify(status=403, message="Deposition already published."), 403))
    return draft


@app.post("/zenodo/api/deposit/depositions")
def zenodo():
    expect("Bearer s3cret", 401, {"status": 401, "message": "wrong credentials"})
    need(request.headers.get("Content-Type") == "application/json", "Content-Type must be application/json")
    metadata = json.loads(request.get_data()).get("metadata", {})
    if room.refusals.pop("open", None):
        return jsonify(status=503, message="Service unavailable."), 503
    number = 1000 + len(room.drafts)
    bucket = f"568377dd-daf8-4235-85e1-{number:012}"
    room.drafts[number] = {"submitted": False, "metadata": metadata, "files": {}, "bucket": bucket}
    here = f"{request.host_url}zenodo/api"
    return jsonify(id=number, submitted=False, state="unsubmitted", metadata=metadata, links={
        "bucket": f"{here}/files/{bucket}", "publish": f"{here}/deposit/depositions/{number}/actions/publish"}), 201


@app.put("/zenodo/api/files/<bucket>/<name>")
def zenodo_file(bucket, name):
    draft = zenodo_draft(next((number for number, draft in room.drafts.items() if draft["bucket"] == bucket), None))
    content, kind = alone()
    need(kind == "application/octet-stream", f"Invalid 'Content-Type' header {kind}")
    need(not (name.startswith("bad") and room.refusals.get("bad")), "The file is not wanted")
    kept[name] = draft["files"][name] = content
    return jsonify(key=name, checksum="md5:" + hashlib.md5(content).hexdigest(), size=len(content)), 201


@app.post("/zenodo/api/deposit/depositions/<int:number>/actions/publish")
def zenodo_publish(number):
    draft = zenodo_draft(number)
    if room.refusals.pop("publish", None):
        return jsonify(status=400, message="Validation error."), 400
    wrong = [name for name in ("title", "upload_type", "description", "creators") if not draft["metadata"].get(name)]
    if wrong or not draft["files"]:
        return jsonify(status=400, message="Validation error.", errors=[
            {"field": f"metadata.{name}", "message": "Missing data for required field."} for name in wrong]), 400
    draft["submitted"] = True
    return jsonify(id=number, submitted=True, state="done"), 202


@app.delete("/zenodo/api/deposit/depositions/<int:number>")
def zenodo_delete(number):
    zenodo_draft(number)["deleted"] = True
    del room.drafts[number]["files"]
    room.drafts[number]["submitted"] = None
    return "", 201


@app.post("/zenodo/refuse/<what>")
def zenodo_refuse(what):
    """Refuses the next request of a kind, or all files whose names begin with "bad"."""
    room.refusals[what] = True
    return ""


@app.get("/zenodo/drafts")
def zenodo_drafts():
    return jsonify([
        {"submitted": draft["submitted"], "files": sorted(draft.get("files", []))} for draft in room.drafts.values()])


@app.get("/kept/<path:name>")
def fetch(name):
    found = kept.get(name)
    if found is None:
        return "", 404
    return Response(found if isinstance(found, bytes) else json.dumps(found))


server = make_server("127.0.0.1", 0, app, threaded=True)
print("port", server.server_port, flush=True)
server.serve_forever()
