import type { Indexes } from '../../../../core/account-log/records/stored-type.ts';
import { ContactCardIndex, contactCardSnapshots } from '../../../../core/mail/contact-card/contact-card-index.ts';
import { mergeContactCards, type ContactCardRecord } from '../../../../core/mail/contact-card/contact-card-record.ts';

const card = (id: string, more: object = {}, addressBookIds: readonly string[] = ['default']): ContactCardRecord => ({
  id,
  addressBookIds,
  card: JSON.stringify({ uid: `uid-${id}`, ...more }),
  mediaOctets: 0,
});
const withAddress = (id: string, address: string) => card(id, { emails: { e: { address } }, name: { full: `Zoë ${id}\n😀` } });
const none = { created: [], updated: [], destroyed: [] };
const noIndexes = {} as Indexes;

describe('the index of ContactCards', () => {
  test('is the same after a snapshot, which decodes no card', () => {
    const records = [withAddress('a', 'A@example.org'), withAddress('b', 'b@example.org'), card('c', {}, ['default', 'recent'])];
    const index = new ContactCardIndex(records);
    const { json, arrays } = contactCardSnapshots.save(index, noIndexes);
    const restored = contactCardSnapshots.restore({ json: JSON.parse(JSON.stringify(json)) as object, arrays }, noIndexes);
    expect(restored.all()).toEqual(records);
    expect([restored.octets, restored.size, restored.weight]).toEqual([index.octets, index.size, index.weight]);
    expect(contactCardSnapshots.restore(contactCardSnapshots.save(new ContactCardIndex([]), noIndexes), noIndexes).all()).toEqual([]);
  });

  test('follows commits in what queries and rules see, before and after the first query', () => {
    for (const queriesFirst of [false, true]) {
      const saved = contactCardSnapshots.save(new ContactCardIndex([withAddress('a', 'a@example.org'), withAddress('b', 'b@example.org')]), noIndexes);
      const index = contactCardSnapshots.restore(saved, noIndexes);
      if (queriesFirst) expect([...index.entries()]).toHaveLength(2);
      index.apply({ ...none, created: [withAddress('c', 'a@example.org')], updated: [{ record: withAddress('b', 'new@example.org') }] });
      expect([...index.idsOfEmail('a@example.org')]).toEqual(['a', 'c']);
      expect([...index.idsOfEmail('b@example.org')]).toEqual([]);
      index.apply({ ...none, destroyed: [{ id: 'a' }] });
      expect([...index.entries()].map(({ id }) => id).sort()).toEqual(['b', 'c']);
      expect([index.idOfUid('uid-a'), index.idOfUid('uid-b')]).toEqual([undefined, 'b']);
      expect(index.octets).toBe(index.all().reduce((sum, each) => sum + Buffer.byteLength(each.card), 0));
    }
  });

  test('weighs more than its number of cards, so that a Lambda holds fewer accounts with large cards', () => {
    expect(new ContactCardIndex([card('a', { notes: { n: { note: 'x'.repeat(9000) } } })]).weight).toBeGreaterThan(100);
  });

  test('merges changes of two commits by property, and keeps a card in an AddressBook', () => {
    const from = card('a', { kind: 'org', language: 'de', prodId: 'x' }, ['one', 'two']);
    const to = card('a', { language: 'de', prodId: 'y' }, ['two', 'three']);
    const current = card('a', { kind: 'org', language: 'fr', prodId: 'x' }, ['one']);
    expect(mergeContactCards(current, from, to)).toEqual(card('a', { language: 'fr', prodId: 'y' }, ['three']));
    expect(mergeContactCards(card('a', {}, ['one']), card('a', {}, ['one', 'two']), card('a', {}, ['two'])).addressBookIds).toEqual(['two']);
  });
});
