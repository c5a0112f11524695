import { accounts as contract } from '../../../contract/admin/accounts.ts';
import { deletedMailWorkTime } from '../../../contract/deployment/deleted-mail.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { restoreEmails as restore, type RestoreDependencies } from '../../../core/mail/email-restoration.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'find'>; readonly destroyedMail: RestoreDependencies };

/**
 * Implements RestoreEmails. The audit entry is stored before the first commit, so that an interrupted call has an
 * entry.
 */
export const restoreEmails = ({ accounts, destroyedMail }: Dependencies) =>
  adminMethod(contract.methods.RestoreEmails, {
    prefetch: ({ account_id }) => accounts.find(account_id),
    async run({ account_id, email_ids: emailIds, destroyed_since: since }, { audit }, account) {
      if ((emailIds.length === 0) === (since === undefined)) throw new RpcError('invalid_argument', 'give one of email_ids and destroyed_since');
      if (!account) throw notFound('account');
      const request: { [name: string]: string } = since === undefined ? { emails: String(emailIds.length) } : { destroyed_since: since };
      audit.describe({ entity_name: account.name, metadata: request });
      await audit.recordPending();
      const wanted = since === undefined ? { emailIds } : { since };
      const { restored, isComplete } = await restore(destroyedMail, account_id, wanted, new Date(destroyedMail.clock().getTime() + deletedMailWorkTime));
      audit.describe({ metadata: { ...request, restored: String(restored) } });
      return { restored, complete: isComplete };
    },
  });
