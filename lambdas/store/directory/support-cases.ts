import * as z from 'zod';
import { RoleTier, SupportCase } from '../../../contract/admin/support.ts';
import type { Item, Table, Write } from '../table.ts';

/** A case as it is shown. */
export type CaseFields = z.output<typeof SupportCase>;

/** A case as it is stored. */
export type StoredSupportCase = CaseFields & { readonly version: number; /** When anything of it was changed last. */ readonly changed_at: string };

/** An open case among those of a tier. */
export type TierPointer = Pick<CaseFields, 'case_id' | 'active_until'>;

/**
 * Support cases. `support-case`/case_id is the record, closed ones included; `support-tier#<tier>`/case_id points to an open case that allows the tier;
 * `support-access`/revision counts changes, so that each is decided on by all that came before it.
 */
export type SupportCases = {
  /** The case, and the revision that a change of it, or a new one, must name. */
  find(caseId: string): Promise<{ readonly found: StoredSupportCase | undefined; readonly revision: number }>;
  /** All of them, newest first. */
  list(): Promise<StoredSupportCase[]>;
  /** Open cases that allow the tier, lapsed ones included. */
  ofTier(tier: RoleTier): Promise<TierPointer[]>;
  /**
   * Keeps a new case, or a changed one, with its pointers.
   * @throws WriteRefused when any case was changed since the revision.
   */
  keep(before: StoredSupportCase | undefined, after: CaseFields, revision: number, now: Date, also: readonly Write[]): Promise<void>;
  /** Concludes a call that changes nothing. */
  conclude(also: readonly Write[]): Promise<void>;
};

const caseKey = (caseId: string) => ({ pk: 'support-case', sk: caseId });
const revisionKey = { pk: 'support-access', sk: 'revision' };
const pointerKey = (tier: RoleTier, caseId: string) => ({ pk: `support-tier#${tier}`, sk: caseId });

/** Every tier that there is. */
export const roleTiers = ['CONFIG_READ', 'DIAG'] as const satisfies readonly RoleTier[];

const caseOf = ({ pk: _pk, sk: _sk, ...stored }: Item): StoredSupportCase => stored as unknown as StoredSupportCase;

/** A case as it is shown, without what only the store needs. */
export const shownSupportCase = ({ version: _version, changed_at: _changed, ...shown }: StoredSupportCase): CaseFields => shown;

/** Which pointers a case has. */
const tiersOf = (one: CaseFields | undefined): readonly RoleTier[] => (one?.status === 'open' ? one.allowed_tiers : []);

const pointerWrites = (before: CaseFields | undefined, after: CaseFields): Write[] => [
  ...tiersOf(after).map((tier): Write => ({ put: { ...pointerKey(tier, after.case_id), active_until: after.active_until } })),
  ...tiersOf(before).filter((tier) => !tiersOf(after).includes(tier)).map((tier): Write => ({ delete: pointerKey(tier, after.case_id) })),
];

export const supportCasesIn = (table: Table): SupportCases => ({
  async find(caseId) {
    const items = await table.batchGet([caseKey(caseId), revisionKey]);
    const [record, revision] = [caseKey(caseId), revisionKey].map(({ pk }) => items.find((item) => item.pk === pk));
    return { found: record && caseOf(record), revision: Number(revision?.['count'] ?? 0) };
  },
  async list() {
    const cases = (await table.query({ pk: caseKey('').pk })).map(caseOf);
    return cases.sort((a, b) => (a.opened_at < b.opened_at ? 1 : -1));
  },
  async ofTier(tier) {
    const items = await table.query({ pk: pointerKey(tier, '').pk });
    return items.map(({ sk, active_until: until }) => ({ case_id: sk, active_until: until as string }));
  },
  async keep(before, after, revision, now, also) {
    const record: Item = { ...caseKey(after.case_id), ...after, version: (before?.version ?? 0) + 1, changed_at: now.toISOString() };
    await table.write([
      { put: record, if: before ? { equals: { version: before.version } } : { absent: true } },
      { update: revisionKey, set: { count: revision + 1 }, if: revision === 0 ? { absent: true } : { equals: { count: revision } } },
      ...pointerWrites(before, after),
      ...also,
    ]);
  },
  async conclude(also) {
    await table.write(also);
  },
});
