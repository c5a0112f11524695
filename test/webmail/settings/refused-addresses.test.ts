import { refusedAddresses } from '../../../webmail/settings/refused-addresses.ts';

const addresses = ['Ann@example.com', 'joann@example.com'].map((email) => ({ name: null, email }));

test('a refusal is told at the address that its sentence names, and at no other one', () => {
  const description = 'nobody here receives mail for joann@example.com';
  expect([...refusedAddresses(addresses, { type: 'invalidProperties', description })]).toEqual([['joann@example.com', description]]);
  const quoted = '"ann@example.com" is not an email address';
  expect([...refusedAddresses(addresses, { type: 'invalidProperties', description: quoted })]).toEqual([['ann@example.com', quoted]]);
});

test('a refusal without an address is told at none', () => {
  expect(refusedAddresses(addresses, { type: 'forbidden' }).size).toBe(0);
  expect(refusedAddresses(addresses, undefined).size).toBe(0);
});
