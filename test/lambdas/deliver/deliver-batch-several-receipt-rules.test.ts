import { timesAsMany } from '../../support/test-seed.ts';
import { settledWorld, type WorldOptions } from './receipt-rules-world.ts';

/**
 * Expects each Email, bounce, copy and vacation response that the messages require exactly once, and an empty queue.
 */
const expectEverythingOnce = async (options: Partial<WorldOptions>) => {
  const { wanted, found, left } = await settledWorld(options);
  expect(found.emails).toEqual(wanted.emails);
  expect(found.bounced).toEqual(wanted.bounced);
  expect(found.copies).toEqual(wanted.copies);
  expect(found.responses).toEqual(wanted.responses);
  expect(left).toEqual({ queue: [], deadLetters: [], inbound: wanted.undeliverable, copiesWithoutEmail: [] });
};

describe('a message to recipients in several receipt rules is delivered once to each account', () => {
  const orders = [
    [0, 1],
    [1, 0],
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  test.each(orders.map((order) => [order.join(', '), order] as const))('whose notifications come in the order %s', async (_, order) => {
    await expectEverythingOnce({ messages: 2, rules: order.length, order });
  });

  test.each(orders.map((order) => [order.join(', '), order] as const))('when one account is full for hours, in the order %s', async (_, order) => {
    await expectEverythingOnce({ messages: 2, rules: order.length, order, fullAccounts: 1 });
  });

  test('of 250 addresses, with two full accounts, duplicates and kills between', async () => {
    await expectEverythingOnce({ messages: 12 * timesAsMany, rules: 3, fullAccounts: 2, duplicates: true, kills: true });
  });
});
