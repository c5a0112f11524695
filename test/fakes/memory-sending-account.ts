import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { SenderDetails, SendingAccount, SendingAccountStatus } from '../../core/aws/ses/ses-sending-account.ts';
import { nextFault } from './next-fault.ts';

/** A {@link SendingAccount} in memory; it has production access at first. */
type MemorySendingAccount = SendingAccount & {
  /** Changes the account's status. */
  setStatus(accountStatus: Partial<SendingAccountStatus>): void;
  /** The details of each request for production access, in order. */
  readonly requestedAccess: readonly SenderDetails[];
  /** Makes the next call throw this error, before or after its work. */
  failNext(error: Error, when?: 'before' | 'after'): void;
};

const production = { max24hSend: 50_000, maxSendRate: 14 };

export const memorySendingAccount = (): MemorySendingAccount => {
  let accountStatus: SendingAccountStatus = { hasProductionAccess: true, ...production };
  const requestedAccess: SenderDetails[] = [];
  const { failNext, withFault } = nextFault();
  return {
    requestedAccess,
    setStatus(next) {
      accountStatus = { ...accountStatus, ...next };
    },
    failNext,
    status: () => withFault(() => accountStatus),
    requestProductionAccess: (details) =>
      withFault(() => {
        if (!URL.canParse(details.websiteUrl)) {
          throw new ProviderRefusal(`Invalid website; write to ${details.contactAddress ?? 'someone@else.test'}`);
        }
        if (accountStatus.review?.status === 'PENDING' || accountStatus.review?.status === 'DENIED') return false;
        requestedAccess.push(details);
        accountStatus = { ...accountStatus, review: { status: 'PENDING', caseId: `case-${requestedAccess.length}` } };
        return true;
      }),
  };
};
