"""The refresh grant of /oauth2/token.

Missing: the pre-token trigger for the access token does not get the user's attributes, so it cannot know whose token it
is. A client may use another client's refresh token, and a client that was deleted may refresh. Without IAM enforcement
a disabled user can refresh, and so can a user who was signed out within the second of the sign-in.
AWS: the trigger gets the same event as at sign-in, with the source TokenGeneration_RefreshTokens. A client that does not
exist is refused with `invalid_client`, the other grants with `invalid_grant`.
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
"""

from urllib.parse import parse_qs

from ministack.services import cognito


def pass_attributes_to_trigger():
    apply = cognito._apply_pretoken_trigger

    def apply_with_attributes(pool_id, claims, token_type, trigger_source, client_id, username, user_attrs, groups, *more, **options):
        if trigger_source == "TokenGeneration_RefreshTokens":
            pool = cognito._get_pool_unscoped(pool_id)
            user = pool["_users"].get(username) if pool else None
            if user:
                user_attrs = user_attrs or cognito._attr_list_to_dict(user.get("Attributes", []))
                groups = groups or user.get("_groups", [])
        return apply(pool_id, claims, token_type, trigger_source, client_id, username, user_attrs, groups, *more, **options)

    cognito._apply_pretoken_trigger = apply_with_attributes


def must_refuse(form, headers):
    """Whether AWS refuses a grant that MiniStack allows."""
    if form.get("grant_type") != ["refresh_token"]:
        return False
    token = form.get("refresh_token", [""])[0]
    claims = cognito._token_claims(token)
    pool = cognito._get_pool_unscoped(str(claims.get("iss", "")).rsplit("/", 1)[-1])
    user = cognito._user_from_token(token, pool) if pool else None
    if not user:
        return False
    client_id, _ = cognito._authenticate_client(headers or {}, {name: values[0] for name, values in form.items()})
    return client_id != claims.get("client_id") or claims.get("origin_jti") in cognito._revoked_tokens or not user.get("Enabled", True)


def is_unknown_client(form, headers):
    """Whether a refresh names a client that does not exist, or exists no more."""
    if form.get("grant_type") != ["refresh_token"]:
        return False
    client_id, _ = cognito._authenticate_client(headers or {}, {name: values[0] for name, values in form.items()})
    return not cognito._find_pool_by_client_id(client_id)[2]


def patch():
    pass_attributes_to_trigger()
    token = cognito._oauth2_token

    def token_if_granted(data, query_params, raw_body=b"", headers=None):
        form = parse_qs(raw_body.decode("utf-8", errors="replace"))
        if is_unknown_client(form, headers):
            return cognito._oauth2_error("invalid_client", "Client does not exist.")
        if must_refuse(form, headers):
            return cognito._oauth2_error("invalid_grant", "Invalid refresh token.")
        return token(data, query_params, raw_body, headers)

    cognito._oauth2_token = token_if_granted
