"""A Flask application that keeps what is uploaded: flask_app.py FOLDER.

Says "port N" when it is ready. POST /upload answers with what it saw of the file; the bytes lie in
FOLDER under a number, for a name from outside is not to be trusted with a path.
"""
import hashlib
import itertools
import os
import sys

from flask import Flask, jsonify, request
from werkzeug.serving import make_server

folder = sys.argv[1]
numbers = itertools.count()
app = Flask(__name__)


@app.post("/upload")
def upload():
    seen = []
    for field, file in request.files.items(multi=True):
        path = os.path.join(folder, f"flask-{next(numbers)}")
        file.save(path)
        with open(path, "rb") as stored:
            digest = hashlib.file_digest(stored, "sha256").hexdigest()
        seen.append({
            "field": field, "name": file.filename, "type": file.mimetype, "stored": path,
            "size": os.path.getsize(path), "sha256": digest,
        })
    return jsonify(files=seen, fields=request.form.to_dict(), token=request.headers.get("X-Token"))


server = make_server("127.0.0.1", 0, app, threaded=True)
print("port", server.server_port, flush=True)
server.serve_forever()
