import { accounts as contract, type DestroyedEmail } from '../../../contract/admin/accounts.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import { listDestroyedEmails as readList, type DestroyedEmailReader, type ListedEmail } from '../../../core/mail/destroyed-email-list.ts';
import type { EmailAddress } from '../../../core/mime/parsed-email.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

type Dependencies = { readonly accounts: Pick<Accounts, 'find'>; readonly destroyedMail: DestroyedEmailReader };

const authorOf = ({ name, email }: EmailAddress): string => (name ? `${name} <${email}>` : email);

const toDestroyedEmail = ({ id, row, content, destroyedAt, principalId, recoverableUntil }: ListedEmail): DestroyedEmail => ({
  email_id: id,
  from: (content.from ?? []).map(authorOf).join(', '),
  subject: content.subject ?? '',
  received_at: new Date(row.receivedAt).toISOString(),
  size: row.size,
  destroyed_at: destroyedAt,
  ...(principalId !== undefined && { destroyed_by: principalId }),
  recoverable_until: new Date(recoverableUntil * 1000).toISOString(),
});

export const listDestroyedEmails = ({ accounts, destroyedMail }: Dependencies) =>
  adminMethod(contract.methods.ListDestroyedEmails, {
    prefetch: ({ account_id }) => accounts.find(account_id),
    async run({ account_id, since, until, page_size }, { pageAfter, nextPageToken }, account) {
      if (!account) throw notFound('account');
      const { items, next } = await readList(destroyedMail, account_id, { since, until }, pageAfter, page_size);
      return { emails: items.map(toDestroyedEmail), next_page_token: await nextPageToken(next) };
    },
  });
