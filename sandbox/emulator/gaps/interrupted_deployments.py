"""Stacks whose deployment was under way when the emulator ended.

Missing: after a restart they stay `…_IN_PROGRESS` for ever, and no deployment can begin.
AWS: CloudFormation does not end. A stack whose creation failed is `ROLLBACK_COMPLETE`, which `cdk deploy` deletes and makes again; one
whose update failed is `UPDATE_ROLLBACK_COMPLETE`, which it updates.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from ministack.services import cloudformation

AFTERWARDS = {
    "CREATE_IN_PROGRESS": "ROLLBACK_COMPLETE",
    "ROLLBACK_IN_PROGRESS": "ROLLBACK_COMPLETE",
    "UPDATE_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS": "UPDATE_COMPLETE",
    "UPDATE_ROLLBACK_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "DELETE_IN_PROGRESS": "DELETE_FAILED",
}


def close():
    restore = cloudformation._restore_state

    def restore_and_settle(data):
        restore(data)
        for stack in cloudformation._stacks._data.values():
            settled = AFTERWARDS.get(stack.get("StackStatus"))
            if settled:
                stack.update(StackStatus=settled, StackStatusReason="The emulator ended meanwhile")

    cloudformation._restore_state = restore_and_settle
