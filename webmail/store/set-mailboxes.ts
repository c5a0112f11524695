import { MethodError, type CallMethod } from '../jmap/requests.ts';
import type { Id, Mailbox, SetResponse } from '../jmap/types.ts';

/** Arguments of Mailbox/set (RFC 8621 §2.5). */
export type MailboxSet = {
  readonly create?: Readonly<Record<Id, { readonly name: string; readonly parentId: Id | null; readonly isSubscribed: boolean }>>;
  readonly update?: Readonly<Record<Id, Partial<Pick<Mailbox, 'name' | 'parentId' | 'isSubscribed'>>>>;
  readonly destroy?: readonly Id[];
};

/** Changes mailboxes, and reads them again, also when nobody knows what became of the change. @throws Error with what the server refused. */
export const setMailboxes = async (call: CallMethod, readMailboxes: () => Promise<void>, set: MailboxSet): Promise<SetResponse> => {
  const response = call<SetResponse>('Mailbox/set', set).result;
  const [made, found] = await Promise.allSettled([response, readMailboxes()]);
  if (made.status === 'rejected') {
    if (found.status === 'rejected') await readMailboxes().catch(() => undefined);
    throw made.reason;
  }
  const { notCreated, notUpdated, notDestroyed } = made.value;
  const [refused] = Object.values({ ...notCreated, ...notUpdated, ...notDestroyed });
  if (refused) throw new MethodError(refused.type, refused.description);
  return made.value;
};
