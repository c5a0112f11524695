import type { PushOutcome, PushService } from '../../core/push/push-service.ts';
import { newKeys, publicKeys, type ReceiverKeys } from '../support/push-receiver.ts';

/** A push service that tests can make answer, and look into. */
export type PushServiceUnderTest = {
  readonly service: PushService;
  /** The URL of a subscription of that name there. */
  url(name: string): string;
  answer(name: string, outcome: PushOutcome): void;
  /** What a subscription's client reads of the pushes that it got. */
  read(name: string, keys: ReceiverKeys | undefined): Promise<readonly unknown[]>;
};

/** What holds for every {@link PushService}. */
export const pushServiceSuite = (make: () => Promise<PushServiceUnderTest>): void => {
  let under: PushServiceUnderTest;
  beforeAll(async () => { under = await make(); });

  const options = { timeToLive: 60, urgency: 'low' } as const;
  const send = (name: string, keys?: ReceiverKeys, message: unknown = { hello: name }) =>
    under.service.push({ url: under.url(name), ...(keys && { keys: publicKeys(keys) }) }, message, options);

  test('a push that was taken is read by the subscription’s client', async () => {
    const keys = newKeys();
    expect(await send('with-keys', keys, { '@type': 'StateChange', changed: { 'acc_ü': { Email: 'Email-1' } } })).toEqual({ kind: 'accepted' });
    expect(await under.read('with-keys', keys)).toEqual([{ '@type': 'StateChange', changed: { 'acc_ü': { Email: 'Email-1' } } }]);
  });

  test('without keys as well', async () => {
    expect(await send('without-keys')).toEqual({ kind: 'accepted' });
    expect(await under.read('without-keys', undefined)).toEqual([{ hello: 'without-keys' }]);
  });

  test('pushes to one subscription come in order', async () => {
    for (const number of [1, 2, 3]) await send('in-order', undefined, number);
    expect(await under.read('in-order', undefined)).toEqual([1, 2, 3]);
  });

  test.each<PushOutcome>([
    { kind: 'gone' }, { kind: 'rejected', reason: 403 }, { kind: 'unavailable', reason: 503 }, { kind: 'unavailable', reason: 429, retryAfter: 60 },
  ])('what the push service answers is told: %j', async (outcome) => {
    under.answer('answers', outcome);
    expect(await send('answers')).toEqual(outcome);
  });
};
