import { receiptRuleQuotas } from '../../contract/deployment/receipt-rule-set.ts';
import type { ReceiptRule, ReceiptRules } from '../../core/aws/ses/ses-receipt-rules.ts';

/** {@link ReceiptRules} in memory, with SES's quotas. `rules` are the current rules; `calls` are the changes so far. */
export type MemoryReceiptRules = ReceiptRules & {
  /** Number of rules of others in the rule set. */
  foreignRules: number;
  /** How capitals in addresses are stored. `joins` lowers them, and stores equal addresses once. */
  spellings: 'keeps' | 'lowers' | 'joins' | 'refuses';
  readonly rules: Map<string, ReceiptRule>;
  readonly calls: string[];
  /** Whether a rule accepts mail for the address. */
  accepts(address: string): boolean;
  /** Called before each change, to simulate another Lambda or a failure. */
  beforeChange: (call: string) => Promise<void> | void;
};

const refusal = (name: string): Error => Object.assign(new Error(name), { name });

export const memoryReceiptRules = (): MemoryReceiptRules => {
  const rules = new Map<string, ReceiptRule>();
  const calls: string[] = [];
  const put = (name: string, recipients: readonly string[]): void => {
    if (recipients.length === 0) throw new Error('a rule without recipients matches every recipient');
    if (recipients.length > receiptRuleQuotas.recipientsPerRule) throw refusal('LimitExceededException');
    if (fake.spellings === 'refuses' && recipients.some((each) => each !== each.toLowerCase())) throw refusal('InvalidParameterValue');
    const lowered = recipients.map((each) => each.toLowerCase());
    const stored = { keeps: recipients, refuses: recipients, lowers: lowered, joins: [...new Set(lowered)] }[fake.spellings];
    rules.set(name, { name, recipients: [...stored], isCurrent: true });
  };
  const change = async (call: string, act: () => void): Promise<void> => {
    await fake.beforeChange(call);
    calls.push(call);
    act();
  };
  const fake: MemoryReceiptRules = {
    rules,
    calls,
    foreignRules: 0,
    spellings: 'keeps',
    beforeChange: () => undefined,
    accepts(address) {
      const [user, domain] = [address.replace(/\+[^@]*/, ''), address.slice(address.indexOf('@') + 1)];
      return [...rules.values()].some(({ recipients }) => [address, user, domain].some((each) => recipients.includes(each)));
    },
    list: async () => ({ rules: [...rules.values()], foreignRules: fake.foreignRules }),
    create: (name, recipients) =>
      change(`create ${name}`, () => {
        if (rules.has(name)) throw refusal('AlreadyExistsException');
        if (rules.size + fake.foreignRules >= receiptRuleQuotas.rules) throw refusal('LimitExceededException');
        put(name, recipients);
      }),
    update: (name, recipients) =>
      change(`update ${name}`, () => {
        if (!rules.has(name)) throw refusal('RuleDoesNotExistException');
        put(name, recipients);
      }),
    remove: (name) => change(`remove ${name}`, () => void rules.delete(name)),
  };
  return fake;
};
