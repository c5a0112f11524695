import { receiptRuleQuotas } from '../../contract/deployment/receipt-rules.ts';
import type { ReceiptRules } from '../../core/aws/ses/receiving/receipt-rules.ts';
import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';
import type { Log } from '../../core/runtime/log.ts';
import { planRuleChanges, type RuleChange } from './plan-rule-changes.ts';
import { wantedRecipients } from './wanted-recipients.ts';

export type ReceiptRuleDependencies = {
  readonly directory: ReceivingDirectory;
  readonly rules: ReceiptRules;
  /** The name of a rule, by its number. */
  readonly nameOf: (number: number) => string;
  readonly log: Log;
};

/** Maximum plans before the call fails. A concurrent change of the rules by another Lambda needs one more plan. */
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

/** @throws Error when rules of others leave no room in the rule set. */
const checkRoom = (wanted: ReadonlySet<string>, listed: readonly string[], foreignRules: number): void => {
  const present = new Set(listed);
  const missing = [...wanted].filter((recipient) => !present.has(recipient)).length;
  if (missing === 0) return;
  throw new Error(`the active receipt rule set has no room for ${missing} recipients, because ${foreignRules} of its ${receiptRuleQuotas.rules} `
    + 'rules are not of this deployment; remove some of them, or deploy to another region');
};

/**
 * Makes SES's receipt rules accept the recipients of the directory. After each change it reads the directory and the
 * rules again, until nothing is left to change. So concurrent Lambdas end with the newest directory.
 * @throws Error when the rules do not settle, have no room, or SES fails.
 */
export const updateReceiptRules = async ({ directory, rules, nameOf, log }: ReceiptRuleDependencies): Promise<void> => {
  for (let count = 0; count < maxPlans; count++) {
    const { rules: current, foreignRules } = await rules.list();
    const maxRules = receiptRuleQuotas.rules - foreignRules;
    const listed = current.flatMap(({ recipients }) => recipients);
    const listsDomains = listed.length > 0 && listed.every((recipient) => !recipient.includes('@'));
    const wanted = await wantedRecipients(directory, { listsDomains, maxRules });
    const changes = planRuleChanges(wanted, { rules: current, maxRules, nameOf });
    if (changes.length === 0) {
      checkRoom(wanted, listed, foreignRules);
      return log.info('the receipt rules are up to date', { rules: current.length, recipients: listed.length, foreign_rules: foreignRules });
    }
    for (const change of changes) await apply(change, rules);
    log.info('changed receipt rules', { changes: changes.length });
  }
  throw new Error('the receipt rules still differ from the directory after several updates');
};

/** Removes all rules of the deployment, so that SES refuses its mail. */
export const removeReceiptRules = async ({ rules }: Pick<ReceiptRuleDependencies, 'rules'>): Promise<void> => {
  for (const { name } of (await rules.list()).rules) await rules.remove(name);
};
