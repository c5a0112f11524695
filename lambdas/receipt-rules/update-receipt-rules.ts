import { receiptRuleQuotas, type ReceiptRuleRecipients } from '../../contract/deployment/receipt-rule-set.ts';
import { nameOf } from '../../contract/values/thrown.ts';
import type { ReceiptRules } from '../../core/aws/ses/ses-receipt-rules.ts';
import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';
import type { Log } from '../../core/runtime/log.ts';
import { planRuleChanges, type RuleChange } from './plan-rule-changes.ts';
import { isOtherSpelling, wantedRecipients, type Spellings } from './wanted-recipients.ts';

export type ReceiptRuleDependencies = {
  readonly directory: ReceivingDirectory;
  readonly rules: ReceiptRules;
  /** The deployment's setting `receiptRules`. */
  readonly setting: ReceiptRuleRecipients;
  /** The name of a rule, by its number. */
  readonly nameOf: (number: number) => string;
  readonly log: Log;
};

/** Maximum plans before the call fails. A concurrent change of the rules by another Lambda needs one more plan. */
const maxPlans = 10;

/** Errors of SES for a rule that another Lambda created or removed meanwhile. */
const overtaken = new Set<unknown>(['AlreadyExistsException', 'RuleDoesNotExistException']);

/** Errors of SES for recipients that it does not take. */
const refusedRecipients = new Set<unknown>(['InvalidParameterValue', 'InvalidParameterValueException', 'ValidationError', 'ValidationException']);

const hasOtherSpellings = (recipients: readonly string[]): boolean => recipients.some(isOtherSpelling);

/** Makes a change. @returns false when SES refuses the spellings of an address. */
const apply = async (change: RuleChange, rules: ReceiptRules): Promise<boolean> => {
  try {
    if (change.kind === 'remove') await rules.remove(change.name);
    else await rules[change.kind](change.name, change.recipients);
  } catch (error) {
    const name = nameOf(error);
    if (change.kind !== 'remove' && refusedRecipients.has(name) && hasOtherSpellings(change.recipients)) return false;
    if (!overtaken.has(name)) throw error;
  }
  return true;
};

/** Makes changes until one is refused. @returns whether SES took all. */
const applyAll = async (changes: readonly RuleChange[], rules: ReceiptRules): Promise<boolean> => {
  for (const change of changes) if (!(await apply(change, rules))) return false;
  return true;
};

/** @throws Error when rules of others leave no room in the rule set. */
const checkRoom = (wanted: ReadonlySet<string>, listed: readonly string[], foreignRules: number): void => {
  const present = new Set(listed);
  const missing = [...wanted].filter((recipient) => !present.has(recipient)).length;
  if (missing === 0) return;
  throw new Error(
    `the active receipt rule set has no room for ${missing} recipients, because ${foreignRules} of its ${receiptRuleQuotas.rules} ` +
      'rules are not of this deployment; remove some of them, or deploy to another region',
  );
};

/**
 * Makes SES's receipt rules accept the recipients of the directory. After each change it reads the directory and the
 * rules again, until nothing is left to change. So concurrent Lambdas end with the newest directory. Addresses are listed
 * in all their spellings if SES keeps the case of one, and in lower case only if SES refuses it or stores it in lower case.
 * @throws Error when the rules do not settle, have no room, or SES fails.
 */
export const updateReceiptRules = async ({ directory, rules, setting, nameOf, log }: ReceiptRuleDependencies): Promise<void> => {
  let [wasTried, wasRefused] = [false, false];
  for (let count = 0; count < maxPlans; count++) {
    const { rules: current, foreignRules } = await rules.list();
    const maxRules = receiptRuleQuotas.rules - foreignRules;
    const listed = current.flatMap(({ recipients }) => recipients);
    const listsDomains = listed.length > 0 && listed.every((recipient) => !recipient.includes('@'));
    let spellings: Spellings = wasTried ? 'lower-case' : 'trial';
    if (!wasRefused && hasOtherSpellings(listed)) spellings = 'all';
    const wanted = await wantedRecipients(directory, { listsDomains, maxRules, setting, spellings });
    const changes = planRuleChanges(wanted, { rules: current, maxRules, nameOf });
    if (changes.length === 0) {
      checkRoom(wanted, listed, foreignRules);
      return log.info('the receipt rules are up to date', { rules: current.length, recipients: listed.length, foreign_rules: foreignRules });
    }
    const wereTaken = await applyAll(changes, rules);
    wasRefused ||= !wereTaken;
    wasTried = true;
    log.info('changed receipt rules', { changes: changes.length });
  }
  throw new Error('the receipt rules still differ from the directory after several updates');
};

/** Removes all rules of the deployment, so that SES refuses its mail. */
export const removeReceiptRules = async ({ rules }: Pick<ReceiptRuleDependencies, 'rules'>): Promise<void> => {
  for (const { name } of (await rules.list()).rules) await rules.remove(name);
};
