import type * as z from 'zod';
import type { RoleTier, SupportCase } from '../../../contract/admin/support.ts';
import { contentOf, type Item, type Key, type Table, type Write } from '../../storage/table.ts';

/** A support case of the contract. */
export type CaseFields = z.output<typeof SupportCase>;

/** A support case as stored. */
export type StoredSupportCase = CaseFields & {
  readonly version: number;
  /** The time of its last change. */
  readonly changed_at: string;
};

/** An open case that allows a tier. */
export type TierPointer = Pick<CaseFields, 'case_id' | 'active_until'>;

/** The inputs of the policies of a tier's role. */
export type TierAccess = {
  /** Open cases that allow the tier, including those whose window has ended. */
  readonly open: readonly TierPointer[];
  /** When a case last lost the tier. */
  readonly ended: string | undefined;
};

/**
 * The inputs of the policies of all roles. `revision` counts the changes of cases. During concurrent calls, a tier may
 * be older than the revision.
 */
export type SupportAccess = { readonly revision: number; readonly tiers: { readonly [Tier in RoleTier]: TierAccess } };

/**
 * Support cases. `support-case`/case_id is the record, also of a closed case; `support-tier#<tier>`/case_id points to
 * an open case that allows the tier; `support-access`/revision counts the changes, so that each is based on all before
 * it, and has the time when a case last lost each tier.
 */
export type SupportCases = {
  /** The case, and the access on which its change is based. */
  find(caseId: string): Promise<{ readonly found: StoredSupportCase | undefined; readonly access: SupportAccess }>;
  /** All cases, newest first. */
  list(): Promise<StoredSupportCase[]>;
  findAccess(): Promise<SupportAccess>;
  /**
   * Stores a new or changed case with its pointers and the resulting access, with the additional writes.
   * @throws WriteRefused if any case changed since the access was read.
   */
  save(
    before: StoredSupportCase | undefined, after: CaseFields, access: SupportAccess, now: Date, additionalWrites: readonly Write[],
  ): Promise<void>;
  /** Makes the additional writes of a call that changes no case. */
  recordUnchanged(additionalWrites: readonly Write[]): Promise<void>;
};

const caseKey = (caseId: string) => ({ pk: 'support-case', sk: caseId });
const revisionKey = { pk: 'support-access', sk: 'revision' };
const pointerKey = (tier: RoleTier, caseId: string) => ({ pk: `support-tier#${tier}`, sk: caseId });

/** All tiers. */
export const roleTiers = ['CONFIG_READ', 'DIAG'] as const satisfies readonly RoleTier[];

const caseOf = (item: Item): StoredSupportCase => contentOf(item) as StoredSupportCase;

/** The support case of the contract. */
export const toSupportCase = ({ version: _version, changed_at: _changed, ...fields }: StoredSupportCase): CaseFields => fields;

/** The tiers that have a pointer to the case. */
const tiersOf = (one: CaseFields | undefined): readonly RoleTier[] => (one?.status === 'open' ? one.allowed_tiers : []);

const pointerWrites = (before: CaseFields | undefined, after: CaseFields): Write[] => [
  ...tiersOf(after).map((tier): Write => ({ put: { ...pointerKey(tier, after.case_id), active_until: after.active_until } })),
  ...tiersOf(before).filter((tier) => !tiersOf(after).includes(tier)).map((tier): Write => ({ delete: pointerKey(tier, after.case_id) })),
];

/** When a case last lost each tier. */
const endedOf = (revision: Item | undefined) => (revision?.['ended'] ?? {}) as { readonly [Tier in RoleTier]?: string };

export const supportCasesIn = (table: Table): SupportCases => {
  const pointersOf = async (tier: RoleTier): Promise<TierPointer[]> => {
    const items = await table.query({ pk: pointerKey(tier, '').pk });
    return items.map(({ sk, active_until: until }) => ({ case_id: sk, active_until: until as string }));
  };
  /** Reads the access, and additional keys in the same trip. */
  const readAccess = async (...keys: readonly Key[]) => {
    const [items, DIAG, CONFIG_READ] = await Promise.all([
      table.batchGet([revisionKey, ...keys]), pointersOf('DIAG'), pointersOf('CONFIG_READ'),
    ]);
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
    async save(before, after, { revision, tiers }, now, additionalWrites) {
      const record: Item = { ...caseKey(after.case_id), ...after, version: (before?.version ?? 0) + 1, changed_at: now.toISOString() };
      const ended = Object.fromEntries(roleTiers.flatMap((tier) => (tiers[tier].ended === undefined ? [] : [[tier, tiers[tier].ended]])));
      await table.write([
        { put: record, if: before ? { equals: { version: before.version } } : { absent: true } },
        {
          update: revisionKey, set: { count: revision, ended }, if: revision === 1 ? { absent: true } : { equals: { count: revision - 1 } },
        },
        ...pointerWrites(before, after),
        ...additionalWrites,
      ]);
    },
    async recordUnchanged(additionalWrites) {
      await table.write(additionalWrites);
    },
  };
};
