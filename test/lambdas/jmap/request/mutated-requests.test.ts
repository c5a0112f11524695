import * as fc from 'fast-check';
import { assertProperty } from '../../../support/assert-property.ts';
import { mutatedAccount, type MutatedAccount } from '../../../support/mutated-account.ts';
import { mutatedRequests } from '../../../support/mutated-requests.ts';
import { statedMethods } from '../../../support/stated-methods.ts';

/** Number of requests, and number of requests that each account gets, one after the other. */
const [requestCount, requestsPerAccount] = [1_000, 50];

describe('requests with mistakes', () => {
  test('are answered with the errors of the RFCs, and change nothing when they fail', async () => {
    let account: MutatedAccount | undefined;
    let sent = 0;
    await assertProperty(
      fc.asyncProperty(mutatedRequests(await statedMethods()), async (request) => {
        if (sent % requestsPerAccount === 0) account = undefined;
        account ??= await mutatedAccount();
        sent += 1;
        const fault = await account.faultOf(request);
        if (fault !== undefined) account = undefined;
        expect(fault).toBeUndefined();
      }),
      { numRuns: requestCount },
    );
  });
});
