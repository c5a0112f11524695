"""What the model of a service allows in a request.

Missing: most members of a request are not checked, or not as AWS does.
AWS: a request without a required member, or with a value of another length, pattern, range or enumeration than the
service's model has, is refused with the names of the members. The models are those of botocore. Each violation is
also written to a file, without the value, which fails a run of the integration tests.
https://smithy.io/2.0/spec/constraint-traits.html
"""

import os
from functools import lru_cache
from xml.etree.ElementTree import Element, SubElement, tostring

from ministack import app
from ministack.core import responses

from gaps.model_constraints import Constraints
from gaps.model_requests import Routes, json_request, query_request, rest_request

SERVICES = [
    "apigateway", "cloudformation", "cloudtrail", "cognito-idp", "dynamodb", "events", "iam", "kms", "lambda", "logs", "monitoring",
    "route53", "s3", "scheduler", "secretsmanager", "ses", "sns", "sqs", "ssm", "sts",
]

# The error of each service that has another than those of its protocol.
ERRORS = {
    "cognito-idp": "InvalidParameterException", "logs": "InvalidParameterException", "route53": "InvalidInput", "s3": "InvalidArgument",
    "sesv2": "BadRequestException", "sns": "InvalidParameter",
}

CHECKED_SERVICE = "x-postrider-check"


class Service:
    """The model of a service, with the checks of the operations that were called."""

    def __init__(self, name):
        self.name = name
        self.model = responses._service_model(name)
        self.protocol = self.model.metadata["protocol"]
        self._constraints = Constraints(name)
        self._checks = {}
        self._routes = Routes(self.model) if self.protocol.startswith("rest-") else None

    def request(self, method, path, headers, body, query):
        if self._routes:
            return rest_request(self._routes, method, path, headers, body, query)
        if "x-amz-target" in headers:
            return json_request(self.model, headers, body)
        is_form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded") or not body
        return query_request(self.model, query, body) if is_form else None

    def violations(self, operation, value):
        if operation not in self._checks:
            shape = self.model.operation_model(operation).input_shape
            self._checks[operation] = shape and self._constraints.of(shape)
        check = self._checks[operation]
        return check(value) if check else None


@lru_cache(maxsize=None)
def service_of(name):
    return Service(name)


class Refusals:
    """The file of violations, with one line for each."""

    def __init__(self, file):
        self._file = file
        self._written = set()

    def write(self, service, operation, violations):
        for path, constraint in violations:
            line = f"{service} {operation} {path}: {constraint}"
            if self._file and line not in self._written:
                self._written.add(line)
                with open(self._file, "a", encoding="utf-8") as file:
                    file.write(f"{line}\n")


def patch():
    refusals = Refusals(os.environ.pop("POSTRIDER_SANDBOX_REFUSED_REQUESTS", ""))
    for name in SERVICES:
        app.SERVICE_HANDLERS[name] = _checked(name, app.SERVICE_HANDLERS[name], refusals)
    answer_shortcuts = app._handle_post_body_shortcuts

    async def check_or_answer(method, path, headers, body, query, request_id):
        """Also checks requests to services that are not in the emulator, which ask with a header that names them."""
        name = headers.get(CHECKED_SERVICE)
        if name is None:
            return await answer_shortcuts(method, path, headers, body, query, request_id)
        return _refusal(service_of(name), refusals, method, path, headers, body, query) or (204, {}, b"")

    app._handle_post_body_shortcuts = check_or_answer


def _checked(name, handle, refusals):
    async def check_and_handle(method, path, headers, body, query):
        refusal = _refusal(service_of("apigatewayv2" if name == "apigateway" else name), refusals, method, path, headers, body, query)
        return refusal or await handle(method, path, headers, body, query)

    return check_and_handle


def _refusal(service, refusals, method, path, headers, body, query):
    try:
        request = service.request(method, path, headers, body, query)
    except (ValueError, SyntaxError):
        # The emulator refuses what it cannot read.
        return None
    violations = request and service.violations(*request)
    if not violations:
        return None
    refusals.write(service.name, request[0], violations)
    details = "; ".join(f"Value at '{path}' failed to satisfy constraint: {constraint}" for path, constraint in violations)
    count = f"{len(violations)} validation error{'s' if len(violations) > 1 else ''} detected"
    return _response(service, headers, f"{count}: {details}")


def _response(service, headers, message):
    if service.name == "s3":
        error = Element("Error")
        SubElement(error, "Code").text = ERRORS["s3"]
        SubElement(error, "Message").text = message
        return 400, {"Content-Type": "application/xml"}, b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(error)
    if "x-amz-target" in headers or service.protocol == "rest-json":
        return responses.error_response_json(ERRORS.get(service.name, "ValidationException"), message, 400)
    namespace = service.model.metadata.get("xmlNamespace", "")
    return responses.error_response_xml(ERRORS.get(service.name, "ValidationError"), message, 400, namespace)
