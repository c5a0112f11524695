import type * as z from 'zod';
import type { RoleTier, SupportCase } from '../../contract/admin/support.ts';
import { contentOf, type Item, type Key, type Table, type Write } from '../storage/table.ts';

/** A case as it is shown. */
export type CaseFields = z.output<typeof SupportCase>;

/** A case as it is stored. */
export type StoredSupportCase = CaseFields & { readonly version: number; /** When anything of it was changed last. */ readonly changed_at: string };

/** An open case among those of a tier. */
export type TierPointer = Pick<CaseFields, 'case_id' | 'active_until'>;

/** What decides about a tier's role. */
export type TierAccess = {
  /** Open cases that allow the tier, lapsed ones included. */
  readonly open: readonly TierPointer[];
  /** When a case lost the tier last. */
  readonly ended: string | undefined;
};

/** What decides about all roles, and how many changes led to it. Where others change cases meanwhile, a tier may be told as it was before the last of them. */
export type SupportAccess = { readonly revision: number; readonly tiers: { readonly [Tier in RoleTier]: TierAccess } };

/**
 * Support cases. `support-case`/case_id is the record, closed ones included; `support-tier#<tier>`/case_id points to an open case that allows the tier;
 * `support-access`/revision counts changes, so that each is decided on by all that came before it, and remembers when a tier was taken last.
 */
export type SupportCases = {
  /** The case, and the access that a change of it, or a new one, starts from. */
  find(caseId: string): Promise<{ readonly found: StoredSupportCase | undefined; readonly access: SupportAccess }>;
  /** All of them, newest first. */
  list(): Promise<StoredSupportCase[]>;
  findAccess(): Promise<SupportAccess>;
  /**
   * Keeps a new case, or a changed one, with its pointers, and what it makes of access.
   * @throws WriteRefused when any case was changed since the revision before this one.
   */
  save(before: StoredSupportCase | undefined, after: CaseFields, access: SupportAccess, now: Date, also: readonly Write[]): Promise<void>;
  /** Concludes a call that changes nothing. */
  recordUnchanged(also: readonly Write[]): Promise<void>;
};

const caseKey = (caseId: string) => ({ pk: 'support-case', sk: caseId });
const revisionKey = { pk: 'support-access', sk: 'revision' };
const pointerKey = (tier: RoleTier, caseId: string) => ({ pk: `support-tier#${tier}`, sk: caseId });

/** Every tier that there is. */
export const roleTiers = ['CONFIG_READ', 'DIAG'] as const satisfies readonly RoleTier[];

const caseOf = (item: Item): StoredSupportCase => contentOf(item) as StoredSupportCase;

/** A case as it is shown, without what only the store needs. */
export const toSupportCase = ({ version: _version, changed_at: _changed, ...shown }: StoredSupportCase): CaseFields => shown;

/** Which pointers a case has. */
const tiersOf = (one: CaseFields | undefined): readonly RoleTier[] => (one?.status === 'open' ? one.allowed_tiers : []);

const pointerWrites = (before: CaseFields | undefined, after: CaseFields): Write[] => [
  ...tiersOf(after).map((tier): Write => ({ put: { ...pointerKey(tier, after.case_id), active_until: after.active_until } })),
  ...tiersOf(before).filter((tier) => !tiersOf(after).includes(tier)).map((tier): Write => ({ delete: pointerKey(tier, after.case_id) })),
];

/** When tiers were taken last, by tier. */
const endedOf = (revision: Item | undefined) => (revision?.['ended'] ?? {}) as { readonly [Tier in RoleTier]?: string };

export const supportCasesIn = (table: Table): SupportCases => {
  const pointersOf = async (tier: RoleTier): Promise<TierPointer[]> => {
    const items = await table.query({ pk: pointerKey(tier, '').pk });
    return items.map(({ sk, active_until: until }) => ({ case_id: sk, active_until: until as string }));
  };
  /** Reads these keys too, in the same trip. */
  const readAccess = async (...more: readonly Key[]) => {
    const [items, DIAG, CONFIG_READ] = await Promise.all([table.batchGet([revisionKey, ...more]), pointersOf('DIAG'), pointersOf('CONFIG_READ')]);
    const revision = items.find(({ pk }) => pk === revisionKey.pk);
    const ended = endedOf(revision);
    const access: SupportAccess = {
      revision: Number(revision?.['count'] ?? 0),
      tiers: { DIAG: { open: DIAG, ended: ended.DIAG }, CONFIG_READ: { open: CONFIG_READ, ended: ended.CONFIG_READ } },
    };
    return { access, items };
  };
  return {
    async find(caseId) {
      const { access, items } = await readAccess(caseKey(caseId));
      const record = items.find(({ pk }) => pk === caseKey(caseId).pk);
      return { found: record && caseOf(record), access };
    },
    async list() {
      const cases = (await table.query({ pk: caseKey('').pk })).map(caseOf);
      return cases.sort((a, b) => (a.opened_at < b.opened_at ? 1 : -1));
    },
    findAccess: async () => (await readAccess()).access,
    async save(before, after, { revision, tiers }, now, also) {
      const record: Item = { ...caseKey(after.case_id), ...after, version: (before?.version ?? 0) + 1, changed_at: now.toISOString() };
      const ended = Object.fromEntries(roleTiers.flatMap((tier) => (tiers[tier].ended === undefined ? [] : [[tier, tiers[tier].ended]])));
      await table.write([
        { put: record, if: before ? { equals: { version: before.version } } : { absent: true } },
        { update: revisionKey, set: { count: revision, ended }, if: revision === 1 ? { absent: true } : { equals: { count: revision - 1 } } },
        ...pointerWrites(before, after),
        ...also,
      ]);
    },
    async recordUnchanged(also) {
      await table.write(also);
    },
  };
};
