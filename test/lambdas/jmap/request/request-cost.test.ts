import * as fc from 'fast-check';
import { coreLimits } from '../../../../contract/jmap/core.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { paths, payloads, targets, type HostileRequest, type PayloadName, type PathName, type TargetName } from '../../../support/hostile-requests.ts';
import { requestCostMeter } from '../../../support/request-cost-meter.ts';

/** Maximum CPU seconds and heap MiB of a request. Requests at the current limits take a fifth of it. */
const most = { seconds: 5, heap: 600 };

const size = coreLimits.maxSizeRequest;
const calls = coreLimits.maxCallsInRequest;

/** Requests that took minutes, or all memory, before the limits existed. */
const known: readonly HostileRequest[] = [
  { target: 'Email/query filter', payload: 'empty conditions', octets: size, calls, carried: { path: 'the value', copies: 1 } },
  { target: 'Email/query filter', payload: 'conditions on keywords', octets: size, calls: 1 },
  { target: 'Mailbox/query filter', payload: 'a long name', octets: size, calls, carried: { path: 'the value', copies: 1 } },
  { target: 'Email/get properties', payload: 'header properties', octets: size, calls: 1 },
  { target: 'Email/get properties', payload: 'header properties in every form', octets: 120_000, calls },
  { target: 'Email/get bodyProperties', payload: 'body properties', octets: 80_000, calls },
  { target: 'Core/echo', payload: 'nested lists', octets: 1_000_000, calls: 8, carried: { path: 'wildcards', copies: 1 } },
  { target: 'Core/echo', payload: 'lists of lists', octets: size, calls, carried: { path: 'its elements', copies: 50 } },
  { target: 'Core/echo', payload: 'distinct objects', octets: size, calls, carried: { path: 'the value', copies: 1 } },
  { target: 'Email/set update', payload: 'keywords by path', octets: size, calls: 1 },
  { target: 'Email/set update', payload: 'a long path and a short one', octets: size, calls },
  { target: 'Mailbox/set update', payload: 'renamed mailboxes in a chain', octets: size, calls },
  { target: 'PushSubscription/set create', payload: 'many new subscriptions', octets: size, calls },
];

const oneOf = <Name extends string>(names: object) => fc.constantFrom(...(Object.keys(names) as Name[]));

const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
  target: oneOf<TargetName>(targets),
  payload: oneOf<PayloadName>(payloads),
  octets: fc.integer({ min: 1, max: size }),
  calls: fc.integer({ min: 1, max: calls }),
  carried: fc.option(fc.record({ path: oneOf<PathName>(paths), copies: fc.integer({ min: 1, max: 50 }) }), { nil: undefined }),
});

describe('a request within maxSizeRequest', () => {
  const meter = requestCostMeter(most.heap);
  afterAll(() => meter.end());

  test('of any kind ends within 5 s of CPU time and 600 MiB of heap', async () => {
    await assertProperty(
      fc.asyncProperty(hostileRequest, async (request) => {
        const { seconds, status } = await meter.measure(request);
        expect([200, 400]).toContain(status);
        expect(seconds).toBeLessThan(most.seconds);
      }),
      { numRuns: known.length + 2, examples: known.map((request) => [request]) },
    );
  });
});
