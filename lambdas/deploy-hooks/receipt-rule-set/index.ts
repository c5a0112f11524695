import { DescribeActiveReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { customResource, property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';

const activeRuleSet = async (ses: Pick<SESClient, 'send'>): Promise<string | undefined> =>
  (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name;

/**
 * Activates our receipt rule set. An AWS account has one active rule set in a region, and SES receives mail by that one
 * only. A foreign rule set is never replaced. Delete deactivates our rule set when it is the active one.
 * @throws Error that names the foreign rule set and how to deactivate it.
 */
export const activateReceiptRuleSet = (ses: Pick<SESClient, 'send'>): CustomResourceAction => async (event) => {
  const ours = property(event, 'ruleSetName');
  const active = await activeRuleSet(ses);
  const physicalId = `active:${ours}`;
  if (event.RequestType === 'Delete') {
    if (active === ours) await ses.send(new SetActiveReceiptRuleSetCommand());
    return { physicalId };
  }
  if (active === ours) return { physicalId };
  if (active !== undefined && active !== event.OldResourceProperties?.['ruleSetName']) {
    throw new Error(`this AWS account already receives mail in this region by the SES receipt rule set ${active}; `
      + 'deactivate it (aws ses set-active-receipt-rule-set, without a name) or deploy to another region or account');
  }
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: ours }));
  return { physicalId };
};

export const handler = customResource('receipt-rule-set', activateReceiptRuleSet(new SESClient()));
