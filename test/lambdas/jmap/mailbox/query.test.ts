import { capability, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

/** In addition to the default mailboxes: Work > (Zeta > Deep), (Alpha), and äpfel, which is not subscribed. */
describe('Mailbox/query', () => {
  let deployment: JmapDeployment;
  let named: Record<string, string>;
  beforeAll(async () => {
    deployment = await jmapDeployment();
    const { created } = await deployment.call('Mailbox/set', {
      create: {
        deep: { name: 'Deep', parentId: '#zeta', sortOrder: 1 },
        zeta: { name: 'Zeta', parentId: '#work' },
        alpha: { name: 'Alpha', parentId: '#work', sortOrder: 9 },
        work: { name: 'Work', sortOrder: 20 },
        apples: { name: 'äpfel', isSubscribed: false, sortOrder: 30 },
      },
    });
    named = Object.fromEntries(Object.entries(created as Json).map(([name, { id }]) => [name, id as string]));
  });
  const queried = (args: Json) => deployment.call('Mailbox/query', args);
  const namesOf = async (args: Json): Promise<string[]> => {
    const { ids } = await queried(args);
    const { list } = await deployment.call('Mailbox/get', { ids, properties: ['name'] });
    const names = new Map(list.map(({ id, name }: Json) => [id, name]));
    return ids.map((id: string) => names.get(id));
  };

  // @requirement 8621 §2.3 mailbox-filters
  test.each<[string, Json, string[]]>([
    ['null', { filter: null, sort: null }, ['Zeta', 'Deep', 'Inbox', 'Drafts', 'Sent', 'Archive', 'Junk', 'Trash', 'Alpha', 'Work', 'äpfel'].sort()],
    ['a role', { filter: { role: 'inbox' } }, ['Inbox']],
    ['no role', { filter: { role: null } }, ['Alpha', 'Deep', 'Work', 'Zeta', 'äpfel']],
    ['any role', { filter: { hasAnyRole: true } }, ['Archive', 'Drafts', 'Inbox', 'Junk', 'Sent', 'Trash']],
    ['a part of a name, in any case', { filter: { name: 'ALPH' } }, ['Alpha']],
    ['a part of a name in decomposed Unicode', { filter: { name: 'ÄP'.normalize('NFD') } }, ['äpfel']],
    ['subscription', { filter: { isSubscribed: false } }, ['äpfel']],
    ['top level and no role', { filter: { parentId: null, hasAnyRole: false } }, ['Work', 'äpfel']],
    ['OR', { filter: { operator: 'OR', conditions: [{ role: 'sent' }, { name: 'deep' }] } }, ['Deep', 'Sent']],
    ['NOT', { filter: { operator: 'NOT', conditions: [{ hasAnyRole: true }, { parentId: null }] } }, ['Alpha', 'Deep', 'Zeta']],
    ['AND of nothing', { filter: { operator: 'AND', conditions: [{ operator: 'OR', conditions: [] }] } }, []],
  ])('filters by %s', async (_what, args, names) => {
    expect((await namesOf(args)).sort()).toEqual(names);
  });

  test('filters by parent', async () => {
    expect((await namesOf({ filter: { parentId: named['work'] } })).sort()).toEqual(['Alpha', 'Zeta']);
  });

  // @requirement 8621 §2.3 mailbox-filter-as-tree
  test('filterAsTree excludes the descendants of an excluded mailbox', async () => {
    expect(await namesOf({ filter: { hasAnyRole: false, name: 'e' }, filterAsTree: true })).toEqual(['äpfel']);
    expect((await namesOf({ filter: { hasAnyRole: false }, filterAsTree: true })).sort()).toEqual(['Alpha', 'Deep', 'Work', 'Zeta', 'äpfel']);
  });

  // @requirement 8620 §5.5 query-collation
  // @requirement 8621 §2.3 mailbox-sorts
  test('sorts by name, case-insensitively and in ascending order by default', async () => {
    const names = await namesOf({ sort: [{ property: 'name' }] });
    expect(names.slice(0, 3)).toEqual(['Alpha', 'Archive', 'äpfel']);
    expect(await namesOf({ sort: [{ property: 'name', isAscending: false }] })).toEqual(names.toReversed());
  });

  test('sorts by sortOrder, then by name', async () => {
    expect((await namesOf({ sort: [{ property: 'sortOrder' }, { property: 'name' }] })).slice(0, 3)).toEqual(['Zeta', 'Deep', 'Inbox']);
  });

  // @requirement 8621 §2.3 mailbox-sort-as-tree
  test('sortAsTree puts parents before their children and compares siblings', async () => {
    expect(await namesOf({ filter: { hasAnyRole: false }, sort: [{ property: 'name' }], sortAsTree: true })).toEqual([
      'äpfel',
      'Work',
      'Alpha',
      'Zeta',
      'Deep',
    ]);
  });

  test('returns position, total, queryState and canCalculateChanges', async () => {
    const { state } = await deployment.call('Mailbox/get', { ids: [] });
    const { ids, ...rest } = await queried({ position: 2, limit: 3, calculateTotal: true });
    expect(rest).toEqual({ accountId: 'acc_alice', queryState: state, canCalculateChanges: true, position: 2, total: 11 });
    expect(ids).toHaveLength(3);
  });

  test.each<[string, Json, string]>([
    ['an unknown condition', { filter: { colour: 'red' } }, 'unsupportedFilter'],
    ['a condition of the wrong type', { filter: { hasAnyRole: 'yes' } }, 'invalidArguments'],
    ['an unknown operator', { filter: { operator: 'XOR', conditions: [] } }, 'invalidArguments'],
    ['an operator without conditions', { filter: { operator: 'AND' } }, 'invalidArguments'],
    ['an unknown property to sort by', { sort: [{ property: 'totalEmails' }] }, 'unsupportedSort'],
    ['an unknown collation', { sort: [{ property: 'name', collation: 'i;klingon' }] }, 'unsupportedSort'],
    ['a comparator without property', { sort: [{}] }, 'invalidArguments'],
  ])('refuses %s', async (_what, args, type) => {
    expect(await queried(args)).toMatchObject({ type });
  });

  test('refuses a filter with too many levels with unsupportedFilter', async () => {
    const depth = unadvertisedLimits.maxFilterDepth + 2;
    const filter = `${'{"operator":"AND","conditions":['.repeat(depth)}{"role":"inbox"}${']}'.repeat(depth)}`;
    const body = `{"using":["${capability.mail}"],"methodCalls":[["Mailbox/query",{"accountId":"acc_alice","filter":${filter}},"c"]]}`;
    const { body: answer } = await deployment.http('POST', '/jmap', { body });
    expect(JSON.parse(answer!)).toMatchObject({ methodResponses: [['error', { type: 'unsupportedFilter' }, 'c']] });
  });

  test('fails with anchorNotFound for an anchor that is not among the results', async () => {
    expect(await queried({ filter: { hasAnyRole: false }, anchor: (await deployment.roles())['inbox'] })).toMatchObject({ type: 'anchorNotFound' });
  });
});
