"""The plan of the AWS account, by the Free Tier API.

Missing: the service.
AWS: GetAccountPlanState tells whether the account is on the free plan, which ends. Here every account is on the paid one.
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_freetier_GetAccountPlanState.html
"""

from ministack import app
from ministack.core import router
from ministack.core.responses import error_response_json, json_response

PREFIX = "AWSFreeTierService"


async def handle_request(_method, _path, headers, _body, _query_params):
    if headers.get("x-amz-target") != f"{PREFIX}.GetAccountPlanState":
        return error_response_json("UnknownOperationException", "", 400)
    return json_response({"accountPlanType": "PAID", "accountPlanStatus": "ACTIVE"})


def patch():
    router.SERVICE_PATTERNS["freetier"] = {"target_prefixes": [PREFIX]}
    app.SERVICE_HANDLERS["freetier"] = handle_request
