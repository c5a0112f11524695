"""Stacks that were being deployed when the emulator ended.

Missing: after a restart they stay `…_IN_PROGRESS`, and no deployment can start.
AWS: CloudFormation is never interrupted. A stack whose creation failed is `ROLLBACK_COMPLETE`, which `cdk deploy`
deletes and creates again. A stack whose update failed is `UPDATE_ROLLBACK_COMPLETE`, which it updates.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from ministack.services import cloudformation

STATUS_AFTER_RESTART = {
    "CREATE_IN_PROGRESS": "ROLLBACK_COMPLETE",
    "ROLLBACK_IN_PROGRESS": "ROLLBACK_COMPLETE",
    "UPDATE_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS": "UPDATE_COMPLETE",
    "UPDATE_ROLLBACK_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS": "UPDATE_ROLLBACK_COMPLETE",
    "DELETE_IN_PROGRESS": "DELETE_FAILED",
}


def patch():
    restore = cloudformation._restore_state

    def restore_and_end_deployments(data):
        restore(data)
        for stack in cloudformation._stacks._data.values():
            status = STATUS_AFTER_RESTART.get(stack.get("StackStatus"))
            if status:
                stack.update(StackStatus=status, StackStatusReason="The emulator ended during the deployment")

    cloudformation._restore_state = restore_and_end_deployments
