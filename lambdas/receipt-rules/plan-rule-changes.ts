import { receiptRuleQuotas } from '../../contract/deployment/receipt-rule-set.ts';
import type { ReceiptRule } from '../../core/aws/ses/ses-receipt-rules.ts';

export type RuleChange =
  | { readonly kind: 'create' | 'update'; readonly name: string; readonly recipients: readonly string[] }
  | { readonly kind: 'remove'; readonly name: string };

const { recipientsPerRule } = receiptRuleQuotas;

/** The rules of the deployment, and the rules that it may have. */
type RoomForRules = {
  readonly rules: readonly ReceiptRule[];
  /** Maximum rules: those that rules of others leave. */
  readonly maxRules: number;
  /** The name of a rule, by its number. */
  readonly nameOf: (number: number) => string;
};

type Plan = ReceiptRule & { readonly kept: readonly string[]; readonly added: string[] };

/** Makes the plans of the rules. Each wanted recipient stays in the first rule that has it. */
const plansFor = (wanted: ReadonlySet<string>, rules: readonly ReceiptRule[]): { plans: Plan[]; missing: string[] } => {
  const found = new Set<string>();
  const plans = rules.map((rule) => {
    const kept = [...new Set(rule.recipients)].filter((recipient) => wanted.has(recipient) && !found.has(recipient));
    for (const recipient of kept) found.add(recipient);
    return { ...rule, kept, added: [] };
  });
  return { plans, missing: [...wanted].filter((recipient) => !found.has(recipient)) };
};

const freeNames = function* ({ rules, maxRules, nameOf }: RoomForRules): Generator<string> {
  const taken = new Set(rules.map(({ name }) => name));
  for (let number = 1; number <= maxRules + taken.size; number++) {
    const name = nameOf(number);
    if (!taken.has(name)) yield name;
  }
};

/**
 * The changes after which the rules have the wanted recipients, each in one rule. Recipients do not move between rules,
 * so that one new address takes one call. All additions precede all removals, so that a recipient that both an address
 * and a domain cover is accepted at every moment. Additions that would exceed SES's limits before the removals are left
 * to the next plan.
 */
export const planRuleChanges = (wanted: ReadonlySet<string>, room: RoomForRules): RuleChange[] => {
  const { rules, maxRules } = room;
  const { plans, missing } = plansFor(wanted, rules);
  for (const plan of plans) plan.added.push(...missing.splice(0, Math.max(0, recipientsPerRule - plan.recipients.length)));
  const additions: RuleChange[] = plans
    .filter(({ added }) => added.length > 0)
    .map(({ name, recipients, added }) => ({ kind: 'update', name, recipients: [...recipients, ...added] }));
  const names = freeNames(room);
  for (let count = rules.length; missing.length > 0 && count < maxRules; count++) {
    additions.push({ kind: 'create', name: names.next().value!, recipients: missing.splice(0, recipientsPerRule) });
  }
  const removals = plans.flatMap(({ name, recipients, kept, added, isCurrent }): RuleChange[] => {
    if (kept.length + added.length === 0) return [{ kind: 'remove', name }];
    const isUnchanged = kept.length === recipients.length && (isCurrent || added.length > 0);
    return isUnchanged ? [] : [{ kind: 'update', name, recipients: [...kept, ...added] }];
  });
  return [...additions, ...removals];
};
