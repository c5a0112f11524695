import type { ReceiptRules } from '../../core/aws/ses/receiving/receipt-rules.ts';
import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';
import type { Log } from '../../core/runtime/log.ts';
import { planRuleChanges, type RuleChange } from './plan-rule-changes.ts';
import { wantedRecipients } from './wanted-recipients.ts';

export type ReceiptRuleDependencies = {
  readonly directory: ReceivingDirectory;
  readonly rules: ReceiptRules;
  readonly log: Log;
};

/** Plans that are made before the call fails. Another Lambda that changes the rules at the same time costs one. */
const maxPlans = 10;

/** Errors of SES for a rule that another Lambda created or removed meanwhile. */
const overtaken = new Set(['AlreadyExistsException', 'RuleDoesNotExistException']);

const apply = async (change: RuleChange, rules: ReceiptRules): Promise<void> => {
  try {
    if (change.kind === 'remove') await rules.remove(change.name);
    else await rules[change.kind](change.name, change.recipients);
  } catch (error) {
    if (!overtaken.has((error as Error).name)) throw error;
  }
};

/**
 * Makes SES's receipt rules accept the recipients of the directory. It reads both again after its last change, until
 * nothing is left to change. So concurrent Lambdas end with the newest directory.
 * @throws Error when the rules do not settle, or SES fails.
 */
export const updateReceiptRules = async ({ directory, rules, log }: ReceiptRuleDependencies): Promise<void> => {
  for (let count = 0; count < maxPlans; count++) {
    const current = await rules.list();
    const listed = current.flatMap(({ recipients }) => recipients);
    const listsDomains = listed.length > 0 && listed.every((recipient) => !recipient.includes('@'));
    const changes = planRuleChanges(await wantedRecipients(directory, listsDomains), current);
    if (changes.length === 0) return log.info('the receipt rules are up to date', { rules: current.length, recipients: listed.length });
    for (const change of changes) await apply(change, rules);
    log.info('changed receipt rules', { changes: changes.length });
  }
  throw new Error('the receipt rules do not settle');
};

/** Removes all rules, so that SES refuses all mail. */
export const removeReceiptRules = async ({ rules }: Pick<ReceiptRuleDependencies, 'rules'>): Promise<void> => {
  for (const { name } of await rules.list()) await rules.remove(name);
};
