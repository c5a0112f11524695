import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { SenderDetails, SendingAccount, SendingAccountStatus } from '../../core/aws/ses/sending-account.ts';
import { nextTrouble } from './next-trouble.ts';

/** A {@link SendingAccount} in memory; one with production access at first. */
export type MemorySendingAccount = SendingAccount & {
  /** How the account stands from now on. */
  become(standing: Partial<SendingAccountStatus>): void;
  /** What production access was asked for with, in order. */
  readonly asked: readonly SenderDetails[];
  /** What befalls the next call: an error, before or after it did its work. */
  trouble(error: Error, when?: 'before' | 'after'): void;
};

const production = { max24hSend: 50_000, maxSendRate: 14 };

export const memorySendingAccount = (): MemorySendingAccount => {
  let standing: SendingAccountStatus = { hasProductionAccess: true, ...production };
  const asked: SenderDetails[] = [];
  const { trouble, befalling: doing } = nextTrouble();
  return {
    asked,
    become(next) {
      standing = { ...standing, ...next };
    },
    trouble,
    status: () => doing(() => standing),
    requestProductionAccess: (details) => doing(() => {
      if (!URL.canParse(details.websiteUrl)) throw new ProviderRefusal(`Invalid website; write to ${details.contactAddress ?? 'someone@else.test'}`);
      if (standing.review?.status === 'PENDING' || standing.review?.status === 'DENIED') return false;
      asked.push(details);
      standing = { ...standing, review: { status: 'PENDING', caseId: `case-${asked.length}` } };
      return true;
    }),
  };
};
