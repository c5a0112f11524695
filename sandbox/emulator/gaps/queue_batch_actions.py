"""Permissions for batch calls on a queue.

Missing: MiniStack checks policies for `sqs:SendMessageBatch` and the other batch actions, which no policy can allow.
AWS: a batch call needs the permission of the single action: `sqs:SendMessage`, `sqs:DeleteMessage` or
`sqs:ChangeMessageVisibility`.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
"""

from ministack.core import iam_actions

_BATCH = "Batch"


def patch():
    action_of = iam_actions.extract_iam_action

    def action_of_single(service, *request):
        action = action_of(service, *request)
        return action.removesuffix(_BATCH) if action and service == "sqs" else action

    iam_actions.extract_iam_action = action_of_single
