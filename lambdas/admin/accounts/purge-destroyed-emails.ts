import { accounts as contract } from '../../../contract/admin/accounts.ts';
import { deletedMailWorkTime } from '../../../contract/deployment/deleted-mail.ts';
import { purgeDestroyedEmails as purge, type PurgeDependencies } from '../../../core/blobs/destroyed-email-purge.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'find'>; readonly destroyedMail: PurgeDependencies };

/**
 * Implements PurgeDestroyedEmails. The audit entry is stored before the first Email is purged, so that an interrupted
 * call has an entry.
 */
export const purgeDestroyedEmails = ({ accounts, destroyedMail }: Dependencies) =>
  adminMethod(contract.methods.PurgeDestroyedEmails, {
    prefetch: ({ account_id }) => accounts.find(account_id),
    async run({ account_id, name, email_ids: emailIds }, { audit }, account) {
      if (!account) throw notFound('account');
      const request = { emails: emailIds.length > 0 ? String(emailIds.length) : 'all' };
      audit.describe({ entity_name: account.name, metadata: request });
      if (name !== account.name) throw new RpcError('failed_precondition', 'name is not the name of the account');
      await audit.recordPending();
      const { purged, isComplete } = await purge(destroyedMail, account_id, emailIds, new Date(destroyedMail.clock().getTime() + deletedMailWorkTime));
      audit.describe({ metadata: { ...request, purged: String(purged) } });
      return { purged, complete: isComplete };
    },
  });
