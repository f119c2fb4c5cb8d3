"""tuspy, the tus project's own client: tus_client.py URL FILE [--chunks N] [--at UPLOAD] [--sum].

Sends N chunks of a mebibyte, or all. Prints the upload's address, also where it stops half way.
"""
import argparse
import os

from tusclient.client import TusClient

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("file")
parser.add_argument("--chunks", type=int)
parser.add_argument("--at")
parser.add_argument("--sum", action="store_true")
options = parser.parse_args()

uploader = TusClient(options.url).uploader(
    options.file, chunk_size=1 << 20, url=options.at, upload_checksum=options.sum,
    metadata={"filename": os.path.basename(options.file), "filetype": "application/octet-stream"})
uploader.upload(stop_at=options.chunks and uploader.offset + options.chunks * (1 << 20))
print(uploader.url)
