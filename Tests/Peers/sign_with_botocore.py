"""Prints the Authorization of each request in a JSON file as botocore makes it, one a line."""

import base64
import datetime
import json
import sys

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

with open(sys.argv[1], encoding="utf-8") as file:
    requests = json.load(file)
for wanted in requests:
    time = datetime.datetime.fromtimestamp(wanted["time"], datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda: time
    request = AWSRequest(
        method=wanted["method"], url=wanted["url"], headers=dict(wanted["headers"]),
        data=base64.b64decode(wanted["body"]))
    request.context["client_config"] = Config(
        s3={"payload_signing_enabled": wanted["isBodySigned"]})
    kind = botocore.auth.S3SigV4Auth if wanted["service"] == "s3" else botocore.auth.SigV4Auth
    keys = Credentials(wanted["key"], wanted["secret"], wanted.get("token"))
    kind(keys, wanted["service"], wanted["region"]).add_auth(request)
    print(request.headers["Authorization"])
