import { addressBookLimits } from '../../../../contract/jmap/address-book.ts';
import { capability } from '../../../../contract/jmap/core.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const using = [capability.core, capability.contacts];
const rights = { mayRead: true, mayWrite: true, mayShare: false, mayDelete: true };
const contacts = {
  id: 'default',
  name: 'Contacts',
  description: null,
  sortOrder: 0,
  isDefault: true,
  isSubscribed: true,
  shareWith: null,
  myRights: { ...rights, mayDelete: false },
};

describe('AddressBook', () => {
  const deployment = jmapDeploymentPerTest();
  const call = (name: string, args: Json = {}, token = 'alice'): Promise<Json> =>
    deployment.call(name.includes('/') ? name : `AddressBook/${name}`, args, { token, using });
  const list = async (token = 'alice'): Promise<readonly Json[]> => (await call('get', { ids: null }, token))['list'];
  const create = async (properties: Json = {}): Promise<string> => (await call('set', { create: { b: { name: 'Work', ...properties } } }))['created'].b.id;
  const defaults = async () => (await list()).filter(({ isDefault }) => isDefault).map(({ id }) => id as string);

  // @requirement 9610 §1.4.1 capability
  test('is a capability of the session, with its account properties', async () => {
    const session = async (token: string) => JSON.parse((await deployment.http('GET', '/.well-known/jmap', { token })).body!) as Json;
    const own = await session('alice');
    expect(own['capabilities'][capability.contacts]).toEqual({});
    expect(own['accounts'].acc_alice.accountCapabilities[capability.contacts]).toEqual({ maxAddressBooksPerCard: 100, mayCreateAddressBook: true });
    expect((await session('bob'))['accounts'].acc_alice.accountCapabilities[capability.contacts].mayCreateAddressBook).toBe(false);
  });

  // @requirement 9610 §2 one-default
  test('exists once in every account before anything is stored, as the default', async () => {
    expect(await list()).toEqual([contacts]);
    expect(await call('get', { ids: ['default', 'none'] })).toMatchObject({ list: [contacts], notFound: ['none'] });
    expect(await deployment.mail.query({ pk: 'acc_alice#addressbook' })).toEqual([]);
  });

  // @requirement 9610 §2 address-book
  test('is created, changed and destroyed, and all of it is in /changes', async () => {
    const { state } = await call('get', { ids: [] });
    const id = await create({ description: 'Colleagues', sortOrder: 3 });
    expect((await list()).find((each) => each['id'] === id)).toEqual({
      id,
      name: 'Work',
      description: 'Colleagues',
      sortOrder: 3,
      isDefault: false,
      isSubscribed: true,
      shareWith: null,
      myRights: rights,
    });
    expect(await call('changes', { sinceState: state })).toMatchObject({ created: [id], updated: [], destroyed: [] });
    await call('set', { update: { [id]: { name: 'Office' }, default: { name: 'People' } } });
    expect((await list()).map(({ name }) => name as string).sort()).toEqual(['Office', 'People']);
    expect(await call('changes', { sinceState: state })).toMatchObject({ created: [id], updated: ['default'], destroyed: [] });
    await call('set', { destroy: [id] });
    expect(await call('changes', { sinceState: state })).toMatchObject({ created: [], updated: ['default'], destroyed: [] });
  });

  // @requirement 9610 §2 name-and-order
  test.each<[string, Json]>([
    ['name', { name: '' }],
    ['name', { name: 'ü'.repeat(128) }],
    ['name', { name: 'a\nb' }],
    ['name', { name: null }],
    ['description', { description: 'x'.repeat(addressBookLimits.maxSizeDescription + 1) }],
    ['sortOrder', { sortOrder: 2 ** 31 }],
    ['isDefault', { isDefault: true }],
    ['myRights', { myRights: rights }],
    ['color', { color: 'red' }],
  ])('is refused with an invalid "%s": %j', async (property, properties) => {
    expect((await call('set', { create: { b: { name: 'Work', ...properties } } }))['notCreated'].b).toMatchObject({
      type: 'invalidProperties',
      properties: [property],
    });
  });

  test('is refused beyond the limit of an account', async () => {
    const create_ = Object.fromEntries(Array.from({ length: addressBookLimits.maxAddressBooks }, (_, i) => [`b${i}`, { name: `B${i}` }]));
    expect(Object.values((await call('set', { create: create_ }))['notCreated'] as Json)).toEqual([expect.objectContaining({ type: 'overQuota' })]);
  });

  // @requirement 9610 §2.3 share-with
  test('is not shared one by one', async () => {
    const shareWith = { principal: { mayRead: true, mayWrite: false, mayShare: false, mayDelete: false } };
    expect((await call('set', { update: { default: { shareWith } } }))['notUpdated'].default).toMatchObject({ type: 'forbidden' });
    expect((await call('set', { update: { default: { shareWith: null } } }))['updated']).toEqual({ default: null });
  });

  // @requirement 9610 §2.3 has-contents
  // @requirement 9610 §2.3 remove-contents
  test('with cards is destroyed only with onDestroyRemoveContents, which destroys the cards that are nowhere else', async () => {
    const id = await create();
    const { created } = await call('ContactCard/set', {
      create: { only: { addressBookIds: { [id]: true } }, both: { addressBookIds: { [id]: true, default: true } } },
    });
    expect((await call('set', { destroy: [id] }))['notDestroyed'][id]).toMatchObject({ type: 'addressBookHasContents' });
    expect(await call('set', { destroy: [id], onDestroyRemoveContents: true })).toMatchObject({ destroyed: [id] });
    expect((await call('ContactCard/get', { ids: null }))['list']).toMatchObject([{ id: created.both.id, addressBookIds: { default: true } }]);
  });

  test('that every account has is renamed, but never destroyed', async () => {
    expect((await call('set', { destroy: ['default'], onDestroyRemoveContents: true }))['notDestroyed'].default).toMatchObject({ type: 'forbidden' });
  });

  // @requirement 9610 §2.3 set-default
  // @requirement 9610 §2.3 default-reported
  test('becomes the default when all changes succeed, and the response has both AddressBooks', async () => {
    const answer = await call('set', { create: { b: { name: 'Work' } }, onSuccessSetIsDefault: '#b' });
    const { id } = answer['created'].b as { id: string };
    expect(answer).toMatchObject({ created: { b: { isDefault: true } }, updated: { default: { isDefault: false } } });
    expect(await defaults()).toEqual([id]);
    expect(await call('set', { onSuccessSetIsDefault: 'default' })).toMatchObject({ updated: { default: { isDefault: true }, [id]: { isDefault: false } } });
    expect(await defaults()).toEqual(['default']);
  });

  // @requirement 9610 §2.3 ignored-default
  test('stays the default when a change fails or the other one does not exist, without an error', async () => {
    const id = await create();
    expect(await call('set', { update: { [id]: { name: '' } }, onSuccessSetIsDefault: id })).toMatchObject({ updated: null });
    expect(await call('set', { onSuccessSetIsDefault: 'none' })).toMatchObject({ updated: null, notUpdated: null });
    expect(await defaults()).toEqual(['default']);
  });

  test('that every account has is the default again when the default is destroyed', async () => {
    const id = await create();
    await call('set', { onSuccessSetIsDefault: id });
    await call('set', { destroy: [id] });
    expect(await defaults()).toEqual(['default']);
  });

  // @requirement 9610 §2.3 subscribe
  test('is subscribed by each member, in any role', async () => {
    expect((await list('bob'))[0]).toMatchObject({ isSubscribed: false, myRights: { mayRead: true, mayWrite: false, mayShare: false, mayDelete: false } });
    expect(await call('set', { update: { default: { isSubscribed: true } } }, 'bob')).toMatchObject({ updated: { default: null } });
    expect((await list('bob'))[0]).toMatchObject({ isSubscribed: true });
    expect(await call('set', { update: { default: { isSubscribed: false } } })).toMatchObject({ updated: { default: null } });
    expect([(await list())[0]!['isSubscribed'], (await list('bob'))[0]!['isSubscribed']]).toEqual([false, true]);
    expect(await call('set', { update: { default: { name: 'Mine' } } }, 'bob')).toMatchObject({ type: 'accountReadOnly' });
  });

  // @requirement 9610 §5 state-change
  test('and its cards change their states, which are pushed', async () => {
    const states = async () => {
      const view = (await mailStore({ table: deployment.mail }).open('acc_alice'))!;
      return [view.state('AddressBook'), view.state('ContactCard'), view.state('Email')];
    };
    const before = await states();
    await create();
    await call('ContactCard/set', { create: { c: { addressBookIds: { default: true } } } });
    const after = await states();
    expect(after.map((state, i) => state === before[i])).toEqual([false, false, true]);
  });
});
