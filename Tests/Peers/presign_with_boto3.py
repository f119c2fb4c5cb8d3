"""Prints the form fields of a presigned POST as boto3 makes them: secret, key, largest size."""

import json
import sys

import boto3
from botocore.client import Config

secret, key, most = sys.argv[1:]
client = boto3.client(
    "s3", region_name="us-east-1", aws_access_key_id="HOIST", aws_secret_access_key=secret,
    config=Config(signature_version="s3v4"))
print(json.dumps(client.generate_presigned_post(
    "bucket", key, Fields={"Content-Type": "text/plain"},
    Conditions=[["content-length-range", 1, int(most)], ["starts-with", "$Content-Type", "text/"]],
    ExpiresIn=60)["fields"]))
