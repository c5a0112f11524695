import * as fc from 'fast-check';
import type { AccountView, RecordChanges } from '../../../core/account-index/account-view.ts';
import { changedIdentity, identitiesOf, identityOfAlias, storedIdentitiesOf, type IdentityRecord } from '../../../core/mail/identity-type.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { assertProperty } from '../../support/assert-property.ts';

const accountId = 'acc_1';

/** A change of one of three aliases, or of one of the two Identities that clients created for each alias. */
const step = fc.record({
  kind: fc.constantFrom('alias', 'show', 'hide', 'rename', 'create', 'destroy', 'delete-alias', 'other'),
  alias: fc.integer({ min: 0, max: 2 }),
  further: fc.integer({ min: 0, max: 1 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The change of the Identities that a step makes; undefined when it is not possible. */
const changesOf = (view: AccountView, { kind, alias, further }: Step, name: string): RecordChanges | undefined => {
  const stored = storedIdentitiesOf(view);
  const [aliasId, furtherId] = [`alias_${alias}`, `further_${alias}_${further}`];
  const [own, made] = [stored.get(aliasId), stored.get(furtherId)];
  const put = (record: IdentityRecord | undefined) => record && { put: [record] };
  if (kind === 'alias') return own ? undefined : put(identityOfAlias({ alias_id: aliasId, email: `${aliasId}@example.test` }, further === 0));
  if (kind === 'show' || kind === 'hide') return put(own && changedIdentity(own, { maySend: kind === 'show' }));
  if (kind === 'rename') return put((further === 0 ? own : made) && changedIdentity((further === 0 ? own : made)!, { name }));
  if (kind === 'create') return own?.maySend && !made ? put({ ...own, id: furtherId }) : undefined;
  if (kind === 'destroy') return made && { destroy: [furtherId] };
  if (kind === 'delete-alias')
    return {
      destroy: stored
        .all()
        .filter((record) => record.aliasId === aliasId)
        .map(({ id }) => id),
    };
  return undefined;
};

type Seen = { readonly state: string; readonly identities: ReadonlyMap<string, IdentityRecord> };

test('/changes lead from each state to each later one, when Identities are created, changed, hidden, shown and destroyed', async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const store = mailStore({ table: memoryTable() });
      await store.createAccount(accountId);
      let view = (await store.open(accountId))!;
      const seen: Seen[] = [];
      for (const [index, each] of steps.entries()) {
        seen.push({ state: view.state('Identity'), identities: identitiesOf(view) });
        view = await store.commit(view, (newest) => {
          const changes = changesOf(newest, each, `Name ${index}`);
          return changes && { records: { Identity: changes } };
        });
      }
      const now = identitiesOf(view);
      for (const { state, identities } of seen) {
        const { created, updated, destroyed } = (await store.changes(view, 'Identity', state))!;
        expect(new Set(created)).toEqual(new Set([...now.keys()].filter((id) => !identities.has(id))));
        expect(new Set(destroyed)).toEqual(new Set([...identities.keys()].filter((id) => !now.has(id))));
        const different = [...now].filter(([id, record]) => identities.has(id) && identities.get(id) !== record && identities.get(id)!.name !== record.name);
        expect(updated).toEqual(expect.arrayContaining(different.map(([id]) => id)));
        expect(updated.filter((id) => !now.has(id) || !identities.has(id))).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});
