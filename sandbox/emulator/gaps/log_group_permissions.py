"""The ARN of a log group in policies.

Missing: MiniStack checks policies for `log-group:<name>`, so a policy written for AWS grants nothing.
AWS: actions on a log group are checked for `log-group:<name>:*`, the ARN that CloudFormation returns.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
"""

from ministack.core import iam_actions


def patch():
    arn_of = iam_actions.extract_resource_arn

    def arn_of_all_streams(service, *request, **more):
        arn = arn_of(service, *request, **more)
        is_group = service == "logs" and ":log-group:" in arn
        return arn if not is_group or arn.endswith(":*") else f"{arn}:*"

    iam_actions.extract_resource_arn = arn_of_all_streams
