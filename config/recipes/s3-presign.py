"""The server side of s3-presigned.toml: allows clients that know TOKEN to upload to a bucket.

Needs flask and boto3, credentials where boto3 looks for them, BUCKET and TOKEN in the environment.
"""
import os

import boto3
from flask import Flask, abort, jsonify, request

app = Flask(__name__)
s3 = boto3.client("s3", config=boto3.session.Config(signature_version="s3v4"))


@app.post("/presign")
def presign():
    if request.headers.get("Authorization") != f"Bearer {os.environ['TOKEN']}":
        abort(401)
    wanted = request.get_json()
    name, kind = os.path.basename(wanted["name"]), {"Content-Type": wanted["type"]}
    ticket = s3.generate_presigned_post(
        os.environ["BUCKET"], f"uploads/{name}", Fields=kind,
        Conditions=[kind, ["content-length-range", 0, 5 << 30]], ExpiresIn=300)
    return jsonify(url=ticket["url"], fields=ticket["fields"])


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", 3000)))
