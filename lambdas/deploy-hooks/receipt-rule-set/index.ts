import { CreateReceiptRuleSetCommand, DescribeActiveReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { sharedRuleSet } from '../../../contract/deployment/receipt-rule-set.ts';
import { nameOf } from '../../../contract/values/thrown.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';

/** Creates and activates the rule set that deployments share. Two of them that do it at once activate the same one. */
const activateSharedRuleSet = async (ses: Pick<SESClient, 'send'>): Promise<string> => {
  try {
    await ses.send(new CreateReceiptRuleSetCommand({ RuleSetName: sharedRuleSet }));
  } catch (error) {
    if (nameOf(error) !== 'AlreadyExistsException') throw error;
  }
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: sharedRuleSet }));
  return sharedRuleSet;
};

/**
 * Makes sure that a receipt rule set is active: an AWS account has one active rule set in a region, by which SES
 * receives mail. One that is active already stays, whoever made it, and the deployment adds its rules to it. Delete
 * changes nothing, because others may receive mail by the rule set; without rules it refuses all mail.
 */
export const activateReceiptRuleSet =
  (ses: Pick<SESClient, 'send'>): CustomResourceAction =>
  async ({ RequestType, PhysicalResourceId }) => {
    const physicalId = PhysicalResourceId ?? 'active-receipt-rule-set';
    if (RequestType === 'Delete') return { physicalId };
    const active = (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name;
    return { physicalId, data: { ruleSetName: active ?? (await activateSharedRuleSet(ses)) } };
  };

export const handler = invoked(customResource('receipt-rule-set', activateReceiptRuleSet(new SESClient())));
