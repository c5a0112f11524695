"""Signs in with the published library requests-oauthlib. Prints the URL for the browser, and the result as one line of JSON.

Arguments: the JMAP URL, the client id, the redirect URI and the scopes. The standard input has the URL to which the
browser was redirected.
"""

import json
import sys

from requests_oauthlib import OAuth2Session

jmap_url, client_id, redirect_uri, scope = sys.argv[1:5]
session = OAuth2Session(client_id, redirect_uri=redirect_uri, scope=scope.split(" "), pkce="S256")
metadata = session.get(f"{jmap_url}/.well-known/oauth-authorization-server", withhold_token=True).json()
url, _ = session.authorization_url(metadata["authorization_endpoint"])
print(url, flush=True)

session.fetch_token(
    metadata["token_endpoint"], authorization_response=sys.stdin.readline().strip(), include_client_id=True,
)
first = session.token["refresh_token"]
refreshed = session.refresh_token(metadata["token_endpoint"], client_id=client_id)
jmap_session = session.get(f"{jmap_url}/.well-known/jmap").json()
revoked = session.post(
    metadata["revocation_endpoint"], data={"token": session.token["refresh_token"], "client_id": client_id}, withhold_token=True,
)
print(json.dumps({
    "rotated": refreshed["refresh_token"] != first, "accessToken": session.token["access_token"], "apiUrl": jmap_session["apiUrl"],
    "revoked": revoked.status_code,
}))
