import { addAddresses, typedAddresses } from '../../../../console/pages/groups/add-addresses.ts';
import { maxChangedMembers } from '../../../../contract/admin/aliases.ts';
import { AdminApiError } from '../../../../contract/client.ts';

test.each([
  ['ada@firm.example', ['ada@firm.example']],
  [
    ' ada@firm.example ben@firm.example,\tcarl@firm.example;\r\n\n dora@firm.example\n',
    ['ada@firm.example', 'ben@firm.example', 'carl@firm.example', 'dora@firm.example'],
  ],
  ['Ada Lovelace <ada@firm.example>, <ben@firm.example>\nada@firm.example', ['ada@firm.example', 'ben@firm.example']],
  ['  ', []],
])('the addresses of %j are found, each once', (text, addresses) => {
  expect(typedAddresses(text)).toEqual(addresses);
});

const refusal = (message: string): AdminApiError => new AdminApiError('failed_precondition', message, 400, undefined);

/** Adds addresses by calls that are refused as a whole for some of them. */
const addWith = async (typed: readonly string[], refused: readonly string[], messageOf: (addresses: readonly string[]) => string) => {
  const calls: (readonly string[])[] = [];
  const added: string[] = [];
  const left = await addAddresses(typed, {
    add: (addresses) => {
      calls.push(addresses);
      const found = addresses.filter((each) => refused.includes(each.toLowerCase()));
      return found.length > 0 ? Promise.reject(refusal(messageOf(found))) : Promise.resolve();
    },
    noteAdded: (addresses) => void added.push(...addresses),
  });
  return { calls, added, left: left.map(({ address }) => address) };
};

const people = Array.from({ length: 2 * maxChangedMembers + 1 }, (_, index) => `person-${index}@firm.example`);

test('many addresses are added in calls of as many as the API takes', async () => {
  const { calls, added, left } = await addWith(people, [], () => '');
  expect([calls.map(({ length }) => length), added, left]).toEqual([[maxChangedMembers, maxChangedMembers, 1], people, []]);
});

test('addresses that a refusal names are left out, and the others are added by one more call', async () => {
  const wrong = ['nobody@firm.example', 'NOONE@firm.example'];
  const { calls, added, left } = await addWith(
    [...people.slice(0, 5), ...wrong],
    wrong.map((each) => each.toLowerCase()),
    (found) => `nobody here has (${found.map((each) => each.toLowerCase()).join(', ')})`,
  );
  expect([calls.length, added, left]).toEqual([2, people.slice(0, 5), wrong]);
});

test('addresses of a call whose refusal names none are all left, by one call', async () => {
  const typed = people.slice(0, maxChangedMembers);
  const { calls, added, left } = await addWith(typed, [people[7]!], () => 'groups are members of groups over at most 3 levels');
  expect([calls.length, left, added]).toEqual([1, typed, []]);
});

test('a text that is no address is left, and sent to nobody', async () => {
  const { calls, left } = await addWith(['ada', ...people.slice(0, 1)], [], () => '');
  expect([calls, left]).toEqual([[[people[0]]], ['ada']]);
});

test('a call that fails for another reason ends it', async () => {
  const calls: (readonly string[])[] = [];
  const adding = addAddresses(people, {
    add: (addresses) => {
      calls.push(addresses);
      return Promise.reject(new TypeError('Failed to fetch'));
    },
    noteAdded: () => undefined,
  });
  await expect(adding).rejects.toThrow('Failed to fetch');
  expect(calls).toHaveLength(1);
});
