"""Uploads the files of a folder with the published library jmapc. Prints the ids of their blobs as one line of JSON, by name.

Arguments: the host of the session, the folder, the size of a piece, and the name of a file that is uploaded in pieces and joined.
The environment has the access token in JMAP_TOKEN.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from jmapc import Client
from jmapc.methods import CustomMethod

host, folder, piece_size, large = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
client = Client.create_with_api_token(host=host, api_token=os.environ["JMAP_TOKEN"])


def upload_large(path):
    """Uploads a file in pieces and joins them by Blob/upload (RFC 9404)."""
    pieces = []
    with path.open("rb") as content:
        while piece := content.read(piece_size):
            with NamedTemporaryFile() as file:
                file.write(piece)
                file.flush()
                pieces.append({"blobId": client.upload_blob(file.name).id})
    join = CustomMethod(data={"accountId": client.account_id, "create": {"whole": {"data": pieces, "type": None}}})
    join.jmap_method, join.using = "Blob/upload", {"urn:ietf:params:jmap:blob"}
    return client.request(join, raise_errors=True).data["created"]["whole"]["id"]


blobs = {path.name: client.upload_blob(path).id for path in folder.iterdir() if path.name != large}
print(json.dumps({**blobs, large: upload_large(folder / large)}))
