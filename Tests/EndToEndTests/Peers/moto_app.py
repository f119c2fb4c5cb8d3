"""moto's S3 and an application in front of it that gives leave to upload: moto_app.py.

Says "port N" when it is ready. POST /presign {"name": …, "type": …} answers with a presigned POST as
boto3 makes it; GET /object/KEY gives what lies in the bucket.
"""
import boto3
from botocore.client import Config
from flask import Flask, Response, jsonify, request
from moto.server import ThreadedMotoServer
from werkzeug.serving import make_server

moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
host, port = moto.get_host_and_port()
client = boto3.client(
    "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
    aws_access_key_id="test", aws_secret_access_key="test",
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
client.create_bucket(Bucket="inbox")
app = Flask(__name__)


@app.post("/presign")
def presign():
    if request.headers.get("Authorization") != "Bearer s3cret":
        return jsonify(error="no token"), 401
    wanted = request.get_json()
    ticket = client.generate_presigned_post(
        "inbox", "uploads/" + wanted["name"], Fields={"Content-Type": wanted["type"]},
        Conditions=[{"Content-Type": wanted["type"]}], ExpiresIn=60)
    return jsonify(url=ticket["url"], fields=ticket["fields"])


@app.get("/object/<path:key>")
def fetch(key):
    found = client.get_object(Bucket="inbox", Key=key)
    return Response(found["Body"].read(), mimetype=found["ContentType"])


server = make_server("127.0.0.1", 0, app, threaded=True)
print("port", server.server_port, flush=True)
server.serve_forever()
