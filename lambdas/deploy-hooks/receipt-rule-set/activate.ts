import { DescribeActiveReceiptRuleSetCommand, SetActiveReceiptRuleSetCommand, type SESClient } from '@aws-sdk/client-ses';
import { property, type CustomResourceAction } from '../../../core/runtime/custom-resource.ts';

type Ses = Pick<SESClient, 'send'>;

const activeRuleSet = async (ses: Ses): Promise<string | undefined> => (await ses.send(new DescribeActiveReceiptRuleSetCommand())).Metadata?.Name;

const oldName = (properties: Readonly<Record<string, unknown>> | undefined): unknown => properties?.['ruleSetName'];

/**
 * Makes our receipt rule set the active one: an account has one in a region, and only it receives mail (SES: SetActiveReceiptRuleSet).
 * Somebody else's is never replaced, and on Delete only ours is taken out.
 */
export const activate = (ses: Ses): CustomResourceAction => async (event) => {
  const ours = property(event, 'ruleSetName');
  const active = await activeRuleSet(ses);
  const physicalId = `active:${ours}`;
  if (event.RequestType === 'Delete') {
    if (active === ours) await ses.send(new SetActiveReceiptRuleSetCommand());
    return { physicalId };
  }
  if (active === ours) return { physicalId };
  if (active !== undefined && active !== oldName(event.OldResourceProperties)) {
    throw new Error(`this AWS account already receives mail in this region by the SES receipt rule set ${active}; `
      + 'deactivate it (aws ses set-active-receipt-rule-set, without a name) or deploy to another region or account');
  }
  await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: ours }));
  return { physicalId };
};
