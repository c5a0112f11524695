import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import type { ReceivedMessage } from '../../../contract/admin/received-mail.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { findReceivedMessages } from '../../../core/mail/delivery/find-received-messages.ts';
import { findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Page } from '../../../core/storage/page.ts';
import { outcomeName, receivedMessageOf, type ReceivedMailReads } from './received-message-on-wire.ts';
import { visibleReceivedMessages, type AdminsMail } from './without-admins.ts';

type ListRequest = Request<typeof contract.methods.ListReceivedMessages>;

const findPage = async (request: ListRequest, after: string | undefined, reads: ReceivedMailReads): Promise<Page<ReceivedMessage>> => {
  const { received, mail, recordsSubjects, clock } = reads;
  const { address, domain, message_id: messageId, subject_contains: subject, outcome, since, until, page_size: size } = request;
  // Who may not see subjects must not find out either which messages have one.
  if (subject !== undefined && !recordsSubjects) return { items: [], next: undefined };
  const now = clock();
  return findReceivedMessages(received, { address, domain, messageId, subject, since, until }, after, size, now, async (messages) => {
    const outcomes = await findOutcomes(mail, messages, now);
    return messages.map((message, index) => {
      const recipients = outcomes[index]!;
      const isWanted = outcome === undefined || recipients.some((recipient) => outcomeName(recipient) === outcome);
      return isWanted ? receivedMessageOf(message, reads, recipients) : undefined;
    });
  });
};

/** Implements ListReceivedMessages. */
export const listReceivedMessages = (reads: ReceivedMailReads & { readonly admins: AdminsMail }) =>
  adminMethod(contract.methods.ListReceivedMessages, {
    prefetch: (request, { pageAfter }) => findPage(request, pageAfter, reads),
    run: async (_request, { caller, nextPageToken }, { items, next }) => ({
      messages: await visibleReceivedMessages(items, caller, reads.admins),
      next_page_token: await nextPageToken(next),
    }),
  });
