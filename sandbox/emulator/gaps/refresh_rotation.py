"""Rotation of refresh tokens.

Missing: app clients do not keep `RefreshTokenRotation`, and a refresh token stays valid however often it is used.
AWS: a client that rotates must not list ALLOW_REFRESH_TOKEN_AUTH. Each refresh returns a new refresh token, which
expires when the first one would have. The used token stays valid for the grace period and is `invalid_grant`
afterwards; the newest token stays valid. A token that is used again within the period returns another one, and the
token that it returned before becomes invalid. Revoking the newest or the first token of a sign-in revokes all of them;
revoking any other replaced token revokes none.
https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
The guide does not say how reuse and revocation affect the other tokens of a sign-in; this is what users of AWS
measured.
"""

import json
import threading
import time
from urllib.parse import parse_qs

from ministack.core.responses import error_response_json, json_response
from ministack.services import cognito
from ministack.services.cloudformation import provisioners

NO_ROTATION = {"Feature": "DISABLED", "RetryGracePeriodSeconds": 0}
REFUSAL = "ALLOW_REFRESH_TOKEN_AUTH is not a permitted ExplicitAuthFlow when refresh token rotation is enabled"

rotation_lock = threading.Lock()


def client_of(pool_id, client_id):
    return ((cognito._get_pool_unscoped(pool_id) or {}).get("_clients") or {}).get(client_id) or {}


def with_rotation(call):
    """Wraps CreateUserPoolClient or UpdateUserPoolClient, so that it keeps the rotation setting."""

    def call_with_rotation(data):
        before = client_of(data.get("UserPoolId"), data.get("ClientId"))
        rotation = {**NO_ROTATION, **(data.get("RefreshTokenRotation") or before.get("RefreshTokenRotation") or {})}
        rotation["RetryGracePeriodSeconds"] = int(rotation["RetryGracePeriodSeconds"])
        flows = data.get("ExplicitAuthFlows", before.get("ExplicitAuthFlows")) or []
        if rotation["Feature"] == "ENABLED" and "ALLOW_REFRESH_TOKEN_AUTH" in flows:
            return error_response_json("InvalidParameterException", REFUSAL, 400)
        status, headers, body = call(data)
        if status >= 400:
            return status, headers, body
        client = json.loads(body)["UserPoolClient"]
        client_of(client["UserPoolId"], client["ClientId"])["RefreshTokenRotation"] = rotation
        return json_response({"UserPoolClient": {**client, "RefreshTokenRotation": rotation}})

    return call_with_rotation


def grace_period(grant):
    """Seconds for which a used token stays valid; None where tokens do not rotate."""
    rotation = client_of(grant["pool_id"], grant["client_id"]).get("RefreshTokenRotation") or NO_ROTATION
    return rotation["RetryGracePeriodSeconds"] if rotation["Feature"] == "ENABLED" else None


def is_valid(grant, grace):
    return not grant.get("superseded") and ("used_at" not in grant or time.time() < grant["used_at"] + grace)


def next_refresh_token(token, grant):
    """Returns the next token of the sign-in. Tokens that were not used yet become invalid."""
    claims = cognito._token_claims(token)
    family = grant.setdefault("family", claims["origin_jti"])
    grant.setdefault("used_at", time.time())
    for other in list(cognito._refresh_tokens.values()):
        if other.get("family") == family and "used_at" not in other:
            other["superseded"] = True
    next_token = cognito._signed_jwt({**claims, "jti": cognito.new_uuid(), "iat": int(time.time())}, grant["pool_id"], "access")
    kept = {key: grant[key] for key in ("pool_id", "client_id", "username", "scope", "family")}
    cognito._refresh_tokens[next_token] = {**kept, "is_first": False}
    return next_token


def rotating(token_endpoint):
    def answer(data, query_params, raw_body=b"", headers=None):
        form = parse_qs(raw_body.decode("utf-8", errors="replace"))
        token = form.get("refresh_token", [""])[0]
        grant = cognito._refresh_tokens.get(token) if form.get("grant_type") == ["refresh_token"] else None
        grace = grace_period(grant) if grant else None
        if grace is None:
            return token_endpoint(data, query_params, raw_body, headers)
        refusal = cognito._oauth2_error("invalid_grant", "Invalid refresh token.")
        if not is_valid(grant, grace):
            return refusal
        status, answer_headers, body = token_endpoint(data, query_params, raw_body, headers)
        if status != 200:
            return status, answer_headers, body
        with rotation_lock:
            if not is_valid(grant, grace):
                return refusal
            return status, answer_headers, json.dumps({**json.loads(body), "refresh_token": next_refresh_token(token, grant)}).encode()

    return answer


def revoking_unless_replaced(revoke):
    def answer(data):
        grant = cognito._refresh_tokens.get(data.get("Token", "")) or {}
        was_replaced = "used_at" in grant or grant.get("superseded")
        return json_response({}) if was_replaced and not grant.get("is_first", True) else revoke(data)

    return answer


def patch():
    provisioners._COGNITO_USER_POOL_CLIENT_UPDATABLE["RefreshTokenRotation"] = NO_ROTATION
    cognito._create_user_pool_client = with_rotation(cognito._create_user_pool_client)
    cognito._update_user_pool_client = with_rotation(cognito._update_user_pool_client)
    cognito._oauth2_token = rotating(cognito._oauth2_token)
    cognito._revoke_token = revoking_unless_replaced(cognito._revoke_token)
