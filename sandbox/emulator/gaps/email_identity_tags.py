"""Tags of an email identity as condition keys of policies.

Missing: `aws:ResourceTag/<key>`, `aws:RequestTag/<key>` and `aws:TagKeys` have no value in calls of SES v2, so that a
policy with them allows nothing.
AWS: the tags that CreateEmailIdentity or TagResource gave the identity, and those that the request gives.
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html
"""

from ministack import app
from ministack.core.iam_actions import request_tag_context
from ministack.services import ses_v2, tagging


def patch():
    tagging._RESOURCE_TAG_COLLECTORS["ses"] = _tags_of_identities
    enforce, enforce_ses = app._enforce_data_plane, app._enforce_ses_v2

    def enforce_ses_with_tags(method, path, headers, body, query_params, request_id):
        def with_request_tags(service, action, *arguments, **options):
            return enforce(service, action, *arguments, **options, service_context=request_tag_context("ses", action, body, {}))

        app._enforce_data_plane = with_request_tags
        try:
            return enforce_ses(method, path, headers, body, query_params, request_id)
        finally:
            app._enforce_data_plane = enforce

    app._enforce_ses_v2 = enforce_ses_with_tags


def _tags_of_identities():
    arns = (ses_v2._resource_arn("identity", name) for name in ses_v2._identities)
    return [(arn, ses_v2._ses_tags[arn]) for arn in arns if arn in ses_v2._ses_tags]
