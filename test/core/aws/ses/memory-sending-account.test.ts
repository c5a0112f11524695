import type { ReviewStatus } from '../../../../core/aws/ses/sending-account.ts';
import { sendingAccountSuite } from '../../../port-suites/sending-account-suite.ts';
import { memorySendingAccount } from '../../../fakes/memory-sending-account.ts';

describe('our account with who sends our mail, in memory', () => {
  sendingAccountSuite(async () => {
    const account = memorySendingAccount();
    account.become({ hasProductionAccess: false, max24hSend: 200, maxSendRate: 1 });
    const decide = (status: ReviewStatus) => account.become({
      review: { status, caseId: 'case-1' }, ...(status === 'GRANTED' && { hasProductionAccess: true, max24hSend: 50_000, maxSendRate: 14 }),
    });
    return { account, decide };
  });
});
