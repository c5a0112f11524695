import { contactCardLimits } from '../../../../contract/jmap/contact-card.ts';
import { capability } from '../../../../contract/jmap/core.ts';
import { removeUnusedMedia, type CardMediaKeys } from '../../../../core/blobs/card-media.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const using = [capability.core, capability.contacts, capability.blob];
const inDefault = { addressBookIds: { default: true } };
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('ContactCard', () => {
  const deployment = jmapDeploymentPerTest();
  const call = (name: string, args: Json = {}, token = 'alice'): Promise<Json> =>
    deployment.call(name.includes('/') ? name : `ContactCard/${name}`, args, { token, using });
  const create = async (...cards: Json[]): Promise<readonly Json[]> => {
    const { created, notCreated } = await call('set', { create: Object.fromEntries(cards.map((card, i) => [`c${i}`, { ...inDefault, ...card }])) });
    expect(notCreated).toBeNull();
    return cards.map((_, i) => created[`c${i}`] as Json);
  };
  const get = async (id: string): Promise<Json> => (await call('get', { ids: [id] }))['list'][0];
  const refusal = async (card: Json): Promise<Json> => {
    const { notCreated } = await call('set', { create: { c: { ...inDefault, ...card } } });
    return notCreated?.c as Json;
  };
  const update = (id: string, patch: Json) => call('set', { update: { [id]: patch } });
  const query = async (filter: Json | null, sort?: Json[]): Promise<readonly string[]> => (await call('query', { filter, ...(sort && { sort }) }))['ids'];

  // @requirement 9610 §3 contact-card
  test('keeps a JSContact Card with unknown properties and localizations, and adds type, version, uid and times', async () => {
    const card = {
      name: {
        full: 'Ada Lovelace',
        components: [
          { kind: 'given', value: 'Ada' },
          { kind: 'surname', value: 'Lovelace', 'example.com:x': 1 },
        ],
      },
      emails: { e1: { address: 'ada@example.org', contexts: { work: true }, pref: 1 } },
      localizations: { jp: { 'name/full': 'エイダ' } },
      'example.com:vendor': { list: [1, null, 'x'] },
    };
    const [created] = await create(card);
    expect(created).toMatchObject({ '@type': 'Card', version: '1.0', created: '2026-11-21T08:00:00Z', updated: '2026-11-21T08:00:00Z' });
    expect(created!['uid']).toMatch(/^urn:uuid:/);
    const { id, ...rest } = created!;
    expect(await get(id as string)).toEqual({ id, ...inDefault, ...card, ...rest });
    expect((await call('get', { ids: [id], properties: ['emails', 'example.com:vendor', 'notes'] }))['list']).toEqual([
      { id, emails: card.emails, 'example.com:vendor': card['example.com:vendor'] },
    ]);
  });

  // @requirement 9610 §3 one-card-a-uid
  test('has a uid that no other card of the account has, and that never changes', async () => {
    const [{ id }] = (await create({ uid: 'urn:uuid:1' })) as [Json];
    expect(await refusal({ uid: 'urn:uuid:1' })).toMatchObject({ type: 'alreadyExists', existingId: id });
    expect((await call('set', { create: { a: { ...inDefault, uid: 'two' }, b: { ...inDefault, uid: 'two' } } }))['notCreated']['b']).toMatchObject({
      type: 'alreadyExists',
    });
    expect((await update(id as string, { uid: 'urn:uuid:2' }))['notUpdated'][id as string]).toMatchObject({ type: 'invalidProperties', properties: ['uid'] });
    expect((await update(id as string, { uid: 'urn:uuid:1' }))['updated']).toEqual({ [id as string]: null });
    await call('set', { destroy: [id] });
    await create({ uid: 'urn:uuid:1' });
  });

  // @requirement 9610 §3 in-an-address-book
  test('is always in at least one AddressBook of its account', async () => {
    for (const addressBookIds of [{}, { other: true }, { default: false }]) {
      expect(await refusal({ addressBookIds })).toMatchObject({ type: 'invalidProperties', properties: ['addressBookIds'] });
    }
    const [{ id }] = (await create({})) as [Json];
    expect((await update(id as string, { 'addressBookIds/default': null }))['notUpdated'][id as string]).toMatchObject({
      type: 'invalidProperties',
      properties: ['addressBookIds'],
    });
  });

  test('is changed by JSON pointers, and null removes a property', async () => {
    const [{ id }] = (await create({ emails: { e1: { address: 'a@example.org' } }, notes: { n: { note: 'Hi' } }, 'x.test:y': 1 })) as [Json];
    deployment.later(60);
    const changed = await update(id as string, { 'emails/e1/label': 'Home', 'emails/e2': { address: 'b@example.org' }, notes: null, 'x.test:y': null });
    expect(changed['updated'][id as string]).toEqual({ updated: '2026-11-21T08:01:00Z' });
    const card = await get(id as string);
    expect(card['emails']).toEqual({ e1: { address: 'a@example.org', label: 'Home' }, e2: { address: 'b@example.org' } });
    expect(Object.keys(card)).not.toContain('notes');
    expect(Object.keys(card)).not.toContain('x.test:y');
    expect((await update(id as string, { 'phones/p1': { number: '1' } }))['notUpdated'][id as string]).toMatchObject({ type: 'invalidPatch' });
    const { state } = await call('get', { ids: [] });
    expect(await update(id as string, { 'emails/e1/label': 'Home' })).toMatchObject({ newState: state, updated: { [id as string]: null } });
  });

  test.each<[string, Json]>([
    ['@type', { '@type': 'CardGroup' }],
    ['version', { version: '7.0' }],
    ['uid', { uid: '' }],
    ['created', { created: 'yesterday' }],
    ['kind', { kind: 5 }],
    ['members', { members: { a: true } }],
    ['members', { kind: 'group', members: { a: 1 } }],
    ['name', { name: {} }],
    ['name', { name: { components: [{ kind: 'given' }] } }],
    ['name', { name: { '@type': 'Nickname', full: 'A' } }],
    ['emails', { emails: { 'no id!': { address: 'a@example.org' } } }],
    ['emails', { emails: { e: { address: 5 } } }],
    ['emails', { emails: { e: { label: 'Home' } } }],
    ['emails', { emails: { e: { address: 'a@example.org', pref: 101 } } }],
    ['phones', { phones: { p: { number: '1', features: { voice: false } } } }],
    ['anniversaries', { anniversaries: { a: { kind: 'birth', date: { '@type': 'Date' } } } }],
    ['anniversaries', { anniversaries: { a: { kind: 'birth', date: { day: 3 } } } }],
    ['media', { media: { m: { kind: 'photo' } } }],
    ['localizations', { localizations: { de: 'x' } }],
    ['id', { id: 'mine' }],
  ])('is refused with an invalid "%s": %j', async (property, card) => {
    expect(await refusal(card)).toMatchObject({ type: 'invalidProperties', properties: [property] });
  });

  test('is refused when it is larger than the limit, and when all cards are', async () => {
    const note = 'x'.repeat(contactCardLimits.maxSizeContactCard);
    expect(await refusal({ notes: { n: { note } } })).toMatchObject({ type: 'tooLarge' });
    const { maxSizeContactCards } = contactCardLimits;
    const some = { notes: { n: { note: 'x'.repeat(60_000) } } };
    let cards = 0;
    for (let refused: unknown = null; refused === null;) {
      const answer = await call('set', { create: Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`c${i}`, { ...inDefault, ...some }])) });
      cards += Object.keys((answer['created'] as Json) ?? {}).length;
      refused = answer['notCreated'] && Object.values(answer['notCreated'] as Json)[0];
      if (refused) expect(refused).toMatchObject({ type: 'overQuota' });
    }
    expect(cards).toBe(
      Math.floor(
        maxSizeContactCards /
          (60_000 + JSON.stringify({ ...(await get((await query(null))[0]!)), id: undefined, addressBookIds: undefined, notes: { n: { note: '' } } }).length),
      ),
    );
  });

  describe('photos', () => {
    const media = (blobId: string, more: Json = {}) => ({ media: { p: { kind: 'photo', blobId, ...more } } });

    // @requirement 9610 §3 media-blob
    test('are copied from an upload, stay when the upload expires, and have a media type', async () => {
      const upload = await deployment.upload(png);
      const [{ id, media: stored }] = (await create(media(upload))) as [Json];
      expect(stored).toEqual({ p: { kind: 'photo', mediaType: 'image/png', blobId: expect.stringMatching(/^C[\w-]{22}$/) } });
      await deployment.objects.removeSome('uploads/');
      expect(await call('Blob/get', { ids: [stored.p.blobId], properties: ['data:asBase64'] })).toMatchObject({
        list: [{ 'data:asBase64': png.toString('base64') }],
      });
      expect((await call('Blob/lookup', { typeNames: ['ContactCard'], ids: [stored.p.blobId] }))['list'][0].matchedIds).toEqual({ ContactCard: [id] });
    });

    // @requirement 9610 §3 data-uri
    test('in a data URI become blobs', async () => {
      const [{ media: stored }] = (await create({ media: { p: { kind: 'photo', uri: `data:image/png;base64,${png.toString('base64')}` } } })) as [Json];
      expect(stored.p).toEqual({ kind: 'photo', mediaType: 'image/png', blobId: expect.stringMatching(/^C/) });
    });

    // @requirement 9610 §3.5 photo-is-image
    test('that are no images are refused, and so are blobs that do not exist', async () => {
      const text = await deployment.upload(Buffer.from('<script>'));
      for (const blobId of [text, 'Uaaaaaaaaaaaaaaaaaaaaaa', 'Caaaaaaaaaaaaaaaaaaaaaa', 'none']) {
        expect(await refusal(media(blobId))).toMatchObject({ type: 'invalidProperties', properties: ['media'] });
      }
      expect(await refusal({ media: { p: { kind: 'photo', uri: 'data:text/html,hi' } } })).toMatchObject({ type: 'invalidProperties' });
      await create({ media: { p: { kind: 'sound', blobId: text }, q: { kind: 'photo', uri: 'https://example.org/a.png' } } });
    });

    test('of a card are removed after it, and never before', async () => {
      const unused = async () => {
        let removed = 0;
        for (const { message } of deployment.removals.messages) {
          const task = message as CardMediaKeys;
          if (task.cardMedia) removed += await removeUnusedMedia({ table: deployment.mail, objects: deployment.objects }, task.accountId, task.cardMedia);
        }
        return removed;
      };
      const [{ id, media: stored }] = (await create(media(await deployment.upload(png)))) as [Json];
      expect(await unused()).toBe(0);
      const answer = await update(id as string, { 'media/q': { kind: 'photo', blobId: stored.p.blobId } });
      expect(answer['updated'][id as string]).toMatchObject({ updated: expect.any(String) });
      const [{ media: copied }] = (await create(media(stored.p.blobId as string))) as [Json];
      expect(copied.p.blobId).not.toBe(stored.p.blobId);
      expect(await unused()).toBe(0);
      await call('set', { destroy: [id] });
      expect(await unused()).toBeGreaterThan(0);
      expect((await deployment.objects.list('media/')).map(({ key }) => key)).toEqual([`media/acc_alice/${(copied.p.blobId as string).slice(1)}`]);
    });
  });

  describe('queries', () => {
    const people = [
      {
        uid: 'ada',
        created: '2026-01-01T00:00:00Z',
        updated: '2026-01-02T00:00:00Z',
        name: {
          full: 'Countess Lovelace',
          components: [
            { kind: 'given', value: 'Ada' },
            { kind: 'surname', value: 'Lovelace' },
          ],
        },
        nicknames: { n: { name: 'Enchantress' } },
        organizations: { o: { name: 'Analytical Engines' } },
        emails: { e: { address: 'ada@example.org', label: 'Desk' } },
        phones: { p: { number: '+44 (20) 555-1234', label: 'Lab' } },
        onlineServices: { s: { service: 'Mastodon', user: '@ada' } },
        notes: { n: { note: 'Wrote the first program' } },
        addresses: { a: { full: '12 St James Square', components: [{ kind: 'locality', value: 'London' }] } },
      },
      {
        uid: 'bob',
        created: '2026-02-01T00:00:00Z',
        updated: '2026-02-01T00:00:00Z',
        name: {
          components: [
            { kind: 'given', value: 'bob' },
            { kind: 'surname2', value: 'Perez' },
          ],
        },
      },
      { uid: 'team', kind: 'group', created: '2026-03-01T00:00:00Z', updated: '2026-01-01T00:00:00Z', name: { full: 'Team' }, members: { ada: true } },
    ];
    let ids: { readonly [uid: string]: string };
    const uids = async (filter: Json | null, sort?: Json[]) => {
      const found = await query(filter, sort);
      return found.map((id) => Object.keys(ids).find((uid) => ids[uid] === id));
    };
    beforeEach(async () => {
      const created = await create(...people);
      ids = Object.fromEntries(people.map(({ uid }, i) => [uid, created[i]!['id'] as string]));
    });

    // @requirement 9610 §3.3.1 filters
    test.each<[Json, readonly string[]]>([
      [{}, ['ada', 'bob', 'team']],
      [{ inAddressBook: 'default' }, ['ada', 'bob', 'team']],
      [{ inAddressBook: 'none' }, []],
      [{ uid: 'ada' }, ['ada']],
      [{ uid: 'Ada' }, []],
      [{ hasMember: 'ada' }, ['team']],
      [{ kind: 'group' }, ['team']],
      [{ createdBefore: '2026-02-01T00:00:00Z' }, ['ada']],
      [{ createdAfter: '2026-02-01T00:00:00Z' }, ['bob', 'team']],
      [{ updatedBefore: '2026-01-02T00:00:00Z' }, ['team']],
      [{ updatedAfter: '2026-01-02T00:00:00Z' }, ['ada', 'bob']],
      [{ text: 'FIRST program' }, ['ada']],
      [{ text: '"first  program"' }, ['ada']],
      [{ text: '"program first"' }, []],
      [{ name: 'countess' }, ['ada']],
      [{ name: 'lovelace ada' }, ['ada']],
      [{ 'name/given': 'BOB' }, ['bob']],
      [{ 'name/given': 'lovelace' }, []],
      [{ 'name/surname': 'lovelace' }, ['ada']],
      [{ 'name/surname2': 'perez' }, ['bob']],
      [{ nickname: 'enchantress' }, ['ada']],
      [{ organization: 'engines' }, ['ada']],
      [{ email: 'ADA@example.org' }, ['ada']],
      [{ email: 'desk' }, ['ada']],
      [{ phone: '+44205551234' }, ['ada']],
      [{ phone: 'lab' }, ['ada']],
      [{ onlineService: 'mastodon' }, ['ada']],
      [{ address: 'london' }, ['ada']],
      [{ note: 'program' }, ['ada']],
      [{ kind: 'group', text: 'ada' }, []],
      [{ operator: 'NOT', conditions: [{ kind: 'group' }, { uid: 'ada' }] }, ['bob']],
      [{ operator: 'OR', conditions: [{ kind: 'group' }, { uid: 'ada' }] }, ['ada', 'team']],
    ])('filter by %j', async (filter, expected) => {
      expect(await uids(filter, [{ property: 'created' }])).toEqual(expected);
    });

    // @requirement 9610 §3.3.2 sorts
    // @requirement 9610 §3.3.2 name-sorts
    test.each<[string, boolean, readonly string[]]>([
      ['created', true, ['ada', 'bob', 'team']],
      ['created', false, ['team', 'bob', 'ada']],
      ['updated', true, ['team', 'ada', 'bob']],
      ['name/given', false, ['bob', 'ada', 'team']],
      ['name/surname', false, ['ada']],
      ['name/surname2', false, ['bob']],
    ])('sort by %s, ascending: %s', async (property, isAscending, expected) => {
      expect((await uids(null, [{ property, isAscending }])).slice(0, expected.length)).toEqual(expected);
    });

    // @requirement 9610 §3.4 query-changes
    test('follow changes', async () => {
      const filter = { name: 'ada' };
      const before = await call('query', { filter, sort: [{ property: 'created' }] });
      await update(ids['bob']!, { 'name/full': 'Ada Too' });
      await update(ids['ada']!, { name: { full: 'Countess' } });
      const changes = await call('queryChanges', { filter, sort: [{ property: 'created' }], sinceQueryState: before['queryState'] });
      expect(changes).toMatchObject({ removed: expect.arrayContaining([ids['ada']]), added: [{ id: ids['bob'], index: 0 }] });
    });

    test('refuse other conditions and sorts', async () => {
      expect(await call('query', { filter: { fax: '1' } })).toMatchObject({ type: 'unsupportedFilter' });
      expect(await call('query', { sort: [{ property: 'name' }] })).toMatchObject({ type: 'unsupportedSort' });
    });
  });

  // @requirement 9610 §3.2 changes
  test('is in /changes', async () => {
    const { state } = await call('get', { ids: [] });
    const [{ id }] = (await create({})) as [Json];
    expect(await call('changes', { sinceState: state })).toMatchObject({ created: [id], updated: [], destroyed: [] });
  });

  // @requirement 9610 §3.6 copy
  test('is copied to an AddressBook of another account, with its photo', async () => {
    await deployment.addMember('alice', 'acc_bob', 'WRITE', false);
    const [{ id, media }] = (await create({ uid: 'one', name: { full: 'One' }, media: { p: { kind: 'photo', blobId: await deployment.upload(png) } } })) as [
      Json,
    ];
    const copies = { accountId: 'acc_bob', fromAccountId: 'acc_alice', create: { c: { id, ...inDefault }, d: { id }, e: { id: 'none', ...inDefault } } };
    const answer = await call('copy', copies);
    expect(answer['notCreated']).toMatchObject({ d: { type: 'invalidProperties', properties: ['addressBookIds'] }, e: { type: 'notFound' } });
    const copy = (await call('get', { accountId: 'acc_bob', ids: [answer['created'].c.id] }))['list'][0] as Json;
    expect(copy).toMatchObject({ uid: 'one', name: { full: 'One' } });
    expect(copy['media'].p.blobId).not.toBe(media.p.blobId);
    expect(await call('Blob/get', { accountId: 'acc_bob', ids: [copy['media'].p.blobId], properties: ['size'] })).toMatchObject({
      list: [{ size: png.length }],
    });
    expect((await call('copy', copies))['notCreated'].c).toMatchObject({ type: 'alreadyExists', existingId: copy['id'] });
  });

  // @requirement 9610 §6 access
  test('is read, but not changed, by a member with the role READ', async () => {
    const [{ id }] = (await create({})) as [Json];
    expect((await call('get', { ids: null }, 'bob'))['list']).toHaveLength(1);
    expect(await call('set', { destroy: [id] }, 'bob')).toMatchObject({ type: 'accountReadOnly' });
    expect(await call('get', { ids: null }, 'machine')).toMatchObject({ type: 'accountNotFound' });
  });
});
