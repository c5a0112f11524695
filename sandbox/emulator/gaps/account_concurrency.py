"""The account's limit of concurrent Lambda executions.

Missing: it depends on the machine's memory, and cannot be changed while the emulator runs.
AWS: a new account has 10; Service Quotas changes it. Here a test sets it by
`POST /_ministack/config {"lambda_svc._ACCOUNT_CONCURRENCY_CAP": 10}`, which answers with the limit before.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
"""

import json

from ministack import app
from ministack.services import lambda_svc

KEY = "lambda_svc._ACCOUNT_CONCURRENCY_CAP"


def patch():
    configure = app._handle_admin_config_request

    async def configure_limit(path, method, body):
        if path != "/_ministack/config" or method != "POST" or KEY.encode() not in body:
            return await configure(path, method, body)
        before, lambda_svc._ACCOUNT_CONCURRENCY_CAP = lambda_svc._ACCOUNT_CONCURRENCY_CAP, int(json.loads(body)[KEY])
        return 200, {"Content-Type": "application/json"}, json.dumps({KEY: before}).encode()

    app._handle_admin_config_request = configure_limit
