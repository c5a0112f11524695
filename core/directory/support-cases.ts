import type * as z from 'zod';
import type { RoleTier, SupportCase } from '../../contract/admin/support.ts';
import { directoryKeys } from '../../contract/deployment/keys.ts';
import { contentOf, rowOf, type Item, type Key, type Table, type Write } from '../storage/table.ts';

/** The fields of a support case in the contract. */
export type CaseFields = z.output<typeof SupportCase>;

/** A support case as it is stored. */
export type StoredSupportCase = CaseFields & {
  readonly version: number;
  /** The time of the case's last change. */
  readonly changed_at: string;
};

/** An open case that allows a tier. */
export type TierPointer = Pick<CaseFields, 'case_id' | 'active_until'>;

/** The data from which the policies of a tier's role are made. */
export type TierAccess = {
  /** Open cases that allow the tier, including those whose access has ended. */
  readonly open: readonly TierPointer[];
  /** The last time at which a case lost the tier. */
  readonly ended: string | undefined;
};

/**
 * The data for the policies of all roles. `revision` counts the changes of cases. The data of a tier may be of an
 * earlier revision.
 */
export type SupportAccess = { readonly revision: number; readonly tiers: { readonly [Tier in RoleTier]: TierAccess } };

/**
 * Support cases. The item `support-case`/case_id is the record, also of a closed case. `support-tier#<tier>`/case_id
 * points to an open case that allows the tier. `support-access`/revision counts the changes, so that each change is
 * based on all earlier ones, and has the last time at which a case lost each tier.
 */
export type SupportCases = {
  /** Finds the case, and the access on which its change is based. */
  find(caseId: string): Promise<{ readonly found: StoredSupportCase | undefined; readonly access: SupportAccess }>;
  /** Lists all cases, newest first. */
  list(): Promise<StoredSupportCase[]>;
  findAccess(): Promise<SupportAccess>;
  /** Stores a case, its pointers and the access. @throws WriteRefused if any case changed since the access was read. */
  save(before: StoredSupportCase | undefined, after: CaseFields, access: SupportAccess, now: Date, additionalWrites: readonly Write[]): Promise<void>;
  /** Makes a call's additional writes when no case changes. */
  recordUnchanged(additionalWrites: readonly Write[]): Promise<void>;
};

const { supportCase: caseKey, supportRevision: revisionKey, supportTierCase: pointerKey } = directoryKeys;

/** The tiers that have a role. */
export const roleTiers = ['CONFIG_READ', 'DIAG'] as const satisfies readonly RoleTier[];

const caseOf = contentOf<StoredSupportCase>;
const pointerRow = rowOf<Pick<TierPointer, 'active_until'>>;
/** `ended`: the last time at which a case lost each tier. */
const revisionRow = rowOf<{ readonly count: number; readonly ended: { readonly [Tier in RoleTier]?: string } }>;

/** The support case as the contract defines it. */
export const toSupportCase = ({ version: _version, changed_at: _changed, ...fields }: StoredSupportCase): CaseFields => fields;

/** The tiers that have a pointer to the case. */
const tiersOf = (one: CaseFields | undefined): readonly RoleTier[] => (one?.status === 'open' ? one.allowed_tiers : []);

const pointerWrites = (before: CaseFields | undefined, after: CaseFields): Write[] => [
  ...tiersOf(after).map((tier): Write => ({ put: { ...pointerKey(tier, after.case_id), active_until: after.active_until } })),
  ...tiersOf(before)
    .filter((tier) => !tiersOf(after).includes(tier))
    .map((tier): Write => ({ delete: pointerKey(tier, after.case_id) })),
];

export const supportCasesIn = (table: Table): SupportCases => {
  const pointersOf = async (tier: RoleTier): Promise<TierPointer[]> => {
    const items = await table.query({ pk: pointerKey(tier, '').pk });
    return items.map((item) => ({ case_id: item.sk, active_until: pointerRow(item).active_until }));
  };
  /** Reads the access, and additional keys in the same round trip. */
  const readAccess = async (...keys: readonly Key[]) => {
    const [items, DIAG, CONFIG_READ] = await Promise.all([table.batchGet([revisionKey, ...keys]), pointersOf('DIAG'), pointersOf('CONFIG_READ')]);
    const item = items.find(({ pk }) => pk === revisionKey.pk);
    const { count = 0, ended = {} } = (item && revisionRow(item)) ?? {};
    const access: SupportAccess = {
      revision: count,
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
        { update: revisionKey, set: { count: revision, ended }, if: revision === 1 ? { absent: true } : { equals: { count: revision - 1 } } },
        ...pointerWrites(before, after),
        ...additionalWrites,
      ]);
    },
    async recordUnchanged(additionalWrites) {
      await table.write(additionalWrites);
    },
  };
};
