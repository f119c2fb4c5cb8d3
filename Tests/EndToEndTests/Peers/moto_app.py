"""moto's S3 with an empty bucket "inbox": moto_app.py [strict].

Says "s3 URL", "keys ID SECRET" and "port N" when it is ready; GET /object/KEY on that port gives what lies in the
bucket. With "strict", only requests with a signature by these keys are taken.
"""
import json
import sys

import boto3
from flask import Flask, Response
from moto import settings
from moto.server import ThreadedMotoServer
from werkzeug.serving import make_server

moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
host, port = moto.get_host_and_port()
url = f"http://127.0.0.1:{port}"


def connect(service, key="test", secret="test"):
    return boto3.client(
        service, endpoint_url=url, region_name="us-east-1", aws_access_key_id=key,
        aws_secret_access_key=secret)


connect("s3").create_bucket(Bucket="inbox")
iam = connect("iam")
iam.create_user(UserName="hoist")
iam.put_user_policy(
    UserName="hoist", PolicyName="all", PolicyDocument=json.dumps({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}))
made = iam.create_access_key(UserName="hoist")["AccessKey"]
keys = made["AccessKeyId"], made["SecretAccessKey"]
if sys.argv[1:] == ["strict"]:
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
client = connect("s3", *keys)
app = Flask(__name__)


@app.get("/object/<path:key>")
def fetch(key):
    found = client.get_object(Bucket="inbox", Key=key)
    return Response(found["Body"].read(), mimetype=found["ContentType"])


server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"s3 {url}")
print("keys", *keys)
print("port", server.server_port, flush=True)
server.serve_forever()
