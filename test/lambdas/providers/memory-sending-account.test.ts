import { sendingAccountContract } from '../../contracts/sending-account-contract.ts';
import { memorySendingAccount } from '../../fakes/sending-account.ts';

describe('our account with who sends our mail, in memory', () => {
  sendingAccountContract(async () => {
    const account = memorySendingAccount();
    account.become({ hasProductionAccess: false, max24hSend: 200, maxSendRate: 1 });
    return account;
  });
});
