import type { ResponseOf } from '../../api/admin-api.tsx';
import { fieldWords } from '../../words/fields.ts';
import { supportWords } from '../../words/pages/operations.ts';

export type SupportCase = ResponseOf<'support', 'ListSupportCases'>['cases'][number];

/** Whether the case currently gives support access (docs/specification.md#support). */
export const caseState = ({ status, allowed_tiers: tiers, active_until: until }: SupportCase, now: number): 'active' | 'lapsed' | 'withoutTiers' | 'closed' => {
  if (status === 'closed') return 'closed';
  if (Date.parse(until) <= now) return 'lapsed';
  return tiers.length === 0 ? 'withoutTiers' : 'active';
};

export const tierNames = ({ allowed_tiers: tiers }: SupportCase): string =>
  tiers.map((tier) => fieldWords.values[tier] ?? tier).join(', ') || supportWords.nothing;
