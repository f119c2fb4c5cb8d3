"""moto's S3 with an empty bucket "inbox": moto_app.py.

Says "s3 URL" and "port N" when it is ready; GET /object/KEY on that port gives what lies in the bucket.
"""
import boto3
from flask import Flask, Response
from moto.server import ThreadedMotoServer
from werkzeug.serving import make_server

moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
host, port = moto.get_host_and_port()
client = boto3.client(
    "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
    aws_access_key_id="test", aws_secret_access_key="test")
client.create_bucket(Bucket="inbox")
app = Flask(__name__)


@app.get("/object/<path:key>")
def fetch(key):
    found = client.get_object(Bucket="inbox", Key=key)
    return Response(found["Body"].read(), mimetype=found["ContentType"])


server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"s3 http://127.0.0.1:{port}")
print("port", server.server_port, flush=True)
server.serve_forever()
