import type { PushOutcome, PushService } from '../../core/push/web-push/web-push-service.ts';
import { newKeys, publicKeys, type ReceiverKeys } from '../support/push-receiver.ts';

/** A push service whose outcomes a test sets, and whose received pushes a test reads. */
type PushServiceUnderTest = {
  readonly service: PushService;
  /** The URL of the subscription with this name. */
  url(name: string): string;
  setOutcome(name: string, outcome: PushOutcome): void;
  /** The messages that the client of a subscription has received. */
  read(name: string, keys: ReceiverKeys | undefined): Promise<readonly unknown[]>;
};

/** The specification of {@link PushService}. */
export const pushServiceSuite = (make: () => Promise<PushServiceUnderTest>): void => {
  let underTest: PushServiceUnderTest;
  beforeAll(async () => {
    underTest = await make();
  });

  const options = { timeToLive: 60, urgency: 'low' } as const;
  const send = (name: string, keys?: ReceiverKeys, message: unknown = { hello: name }) =>
    underTest.service.push({ url: underTest.url(name), ...(keys && { keys: publicKeys(keys) }) }, message, options);

  test('an accepted push is read by the client of the subscription', async () => {
    const keys = newKeys();
    expect(await send('with-keys', keys, { '@type': 'StateChange', changed: { acc_ü: { Email: 'Email-1' } } })).toEqual({ kind: 'accepted' });
    expect(await underTest.read('with-keys', keys)).toEqual([{ '@type': 'StateChange', changed: { acc_ü: { Email: 'Email-1' } } }]);
  });

  test('a push without keys is read by the client too', async () => {
    expect(await send('without-keys')).toEqual({ kind: 'accepted' });
    expect(await underTest.read('without-keys', undefined)).toEqual([{ hello: 'without-keys' }]);
  });

  test('pushes to one subscription arrive in order', async () => {
    for (const number of [1, 2, 3]) await send('in-order', undefined, number);
    expect(await underTest.read('in-order', undefined)).toEqual([1, 2, 3]);
  });

  test.each<PushOutcome>([
    { kind: 'gone' },
    { kind: 'rejected', reason: 403 },
    { kind: 'unavailable', reason: 503 },
    { kind: 'unavailable', reason: 429, retryAfter: 60 },
  ])('push returns the outcome %j', async (outcome) => {
    underTest.setOutcome('answers', outcome);
    expect(await send('answers')).toEqual(outcome);
  });
};
