"""Rotation of refresh tokens.

Missing: app clients forget `RefreshTokenRotation`, and a refresh token stays good however often it is used.
AWS: a client that rotates must not list ALLOW_REFRESH_TOKEN_AUTH. Each refresh answers a new refresh token, which ends when the first one would have. The one that was used stays good
for the grace period and is `invalid_grant` from then on, while the newest stays good. Used again within the period it gives another, and what it gave before ends.
Revoking the newest or the first of a sign-in ends all of them; any other that was replaced ends none.
https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
The guide does not say what reuse and revocation do to the others of a sign-in; this is as users of AWS measured it.
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

turn = threading.Lock()


def client_of(pool_id, client_id):
    return ((cognito._get_pool_unscoped(pool_id) or {}).get("_clients") or {}).get(client_id) or {}


def with_rotation(call):
    """CreateUserPoolClient or UpdateUserPoolClient, which know rotation."""

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
        made = json.loads(body)["UserPoolClient"]
        client_of(made["UserPoolId"], made["ClientId"])["RefreshTokenRotation"] = rotation
        return json_response({"UserPoolClient": {**made, "RefreshTokenRotation": rotation}})

    return call_with_rotation


def grace_period(grant):
    """Seconds for which a token stays good that was used; None where tokens do not rotate."""
    rotation = client_of(grant["pool_id"], grant["client_id"]).get("RefreshTokenRotation") or NO_ROTATION
    return rotation["RetryGracePeriodSeconds"] if rotation["Feature"] == "ENABLED" else None


def is_good(grant, grace):
    return not grant.get("superseded") and ("used_at" not in grant or time.time() < grant["used_at"] + grace)


def replace(token, grant):
    """The next token of the sign-in. Those that were waiting to be used end with it."""
    claims = cognito._token_claims(token)
    family = grant.setdefault("family", claims["origin_jti"])
    grant.setdefault("used_at", time.time())
    for other in list(cognito._refresh_tokens.values()):
        if other.get("family") == family and "used_at" not in other:
            other["superseded"] = True
    fresh = cognito._signed_jwt({**claims, "jti": cognito.new_uuid(), "iat": int(time.time())}, grant["pool_id"], "access")
    cognito._refresh_tokens[fresh] = {**{key: grant[key] for key in ("pool_id", "client_id", "username", "scope", "family")}, "is_first": False}
    return fresh


def rotating(token_endpoint):
    def answer(data, query_params, raw_body=b"", headers=None):
        form = parse_qs(raw_body.decode("utf-8", errors="replace"))
        token = form.get("refresh_token", [""])[0]
        grant = cognito._refresh_tokens.get(token) if form.get("grant_type") == ["refresh_token"] else None
        grace = grace_period(grant) if grant else None
        if grace is None:
            return token_endpoint(data, query_params, raw_body, headers)
        refusal = cognito._oauth2_error("invalid_grant", "Invalid refresh token.")
        if not is_good(grant, grace):
            return refusal
        status, answer_headers, body = token_endpoint(data, query_params, raw_body, headers)
        if status != 200:
            return status, answer_headers, body
        with turn:
            if not is_good(grant, grace):
                return refusal
            return status, answer_headers, json.dumps({**json.loads(body), "refresh_token": replace(token, grant)}).encode()

    return answer


def sparing_the_rest(revoke):
    def answer(data):
        grant = cognito._refresh_tokens.get(data.get("Token", "")) or {}
        was_replaced = "used_at" in grant or grant.get("superseded")
        return json_response({}) if was_replaced and not grant.get("is_first", True) else revoke(data)

    return answer


def close():
    provisioners._COGNITO_USER_POOL_CLIENT_UPDATABLE["RefreshTokenRotation"] = NO_ROTATION
    cognito._create_user_pool_client = with_rotation(cognito._create_user_pool_client)
    cognito._update_user_pool_client = with_rotation(cognito._update_user_pool_client)
    cognito._oauth2_token = rotating(cognito._oauth2_token)
    cognito._revoke_token = sparing_the_rest(cognito._revoke_token)
