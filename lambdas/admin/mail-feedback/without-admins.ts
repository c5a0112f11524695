import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import type { AdminProtection } from '../../../core/directory/users/admin-protection.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';

export type AdminsMail = Pick<AdminProtection, 'accountsOfAdmins'>;

/** The accounts among these whose mail the caller may not see: those of admins, for a caller without the role ALL. */
const hiddenFrom = async ({ role }: Call['caller'], accountIds: readonly (string | undefined)[], admins: AdminsMail): Promise<ReadonlySet<string>> =>
  role === 'ALL' ? new Set() : admins.accountsOfAdmins(accountIds.flatMap((id) => (id === undefined || id === '' ? [] : [id])));

/** The sent messages, or the reports about such, that the caller may see. */
export const visibleSentMail = async <Item extends { readonly account_id?: string | undefined }>(
  items: readonly Item[],
  caller: Call['caller'],
  admins: AdminsMail,
): Promise<Item[]> => {
  const hidden = await hiddenFrom(
    caller,
    items.map(({ account_id: id }) => id),
    admins,
  );
  return items.filter(({ account_id: id }) => id === undefined || !hidden.has(id));
};

/** The received messages with the recipients that the caller may see. A message without such a recipient is left out. */
export const visibleReceivedMessages = async (messages: readonly ReceivedMessage[], caller: Call['caller'], admins: AdminsMail): Promise<ReceivedMessage[]> => {
  const hidden = await hiddenFrom(
    caller,
    messages.flatMap(({ recipients = [] }) => recipients.map(({ account_id: id }) => id)),
    admins,
  );
  return messages.flatMap((message) => {
    const { recipients = [] } = message;
    const shown = recipients.filter(({ account_id: id }) => id === undefined || !hidden.has(id));
    // A group shows nothing about the message when the caller may see none of those who got it.
    const members = new Set(shown.flatMap(({ account_id: id, group }) => (id === undefined ? [] : [group])));
    const visible = shown.filter(({ account_id: id, group }) => id !== undefined || group === undefined || members.has(group));
    return visible.length === 0 && recipients.length > 0 ? [] : [{ ...message, recipients: visible }];
  });
};
