import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import { findPlaces, type DeliveredTo } from '../../../core/mail/delivery/email-places.ts';
import { parseReceivedId, receivedMessageOf as storedMessageOf, recordKey, type ReceivedMessage } from '../../../core/mail/delivery/received-message.ts';
import { emailIdIn, findOutcomes } from '../../../core/mail/delivery/received-outcomes.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { receivedMessageOf, type ReceivedMailReads } from './received-message-on-wire.ts';
import { visibleReceivedMessages, type AdminsMail } from './without-admins.ts';

/** The Emails that the accounts of the recipients have, if the message was delivered to them. */
const possibleEmails = (message: ReceivedMessage): readonly DeliveredTo[] => {
  const accounts = new Set(Object.values(message.recipients).flatMap(({ account }) => account ?? []));
  return [...accounts].map((accountId) => ({ accountId, emailId: emailIdIn(accountId, message), role: message.isJunk ? 'junk' : 'inbox' }));
};

/** Implements GetReceivedMessage. A record whose retention has ended is not found, even if it is not deleted yet. */
export const getReceivedMessage = (reads: ReceivedMailReads & { readonly admins: AdminsMail }) =>
  adminMethod(contract.methods.GetReceivedMessage, {
    prefetch: async ({ received_id: id }) => {
      const reference = parseReceivedId(id);
      return reference && reads.received.get(recordKey(reference));
    },
    async run(_request, { caller }, item) {
      const { mail, clock } = reads;
      const now = clock();
      if (!item || Number(item['expiresAt']) * 1000 <= now.getTime()) throw notFound('received message');
      const message = storedMessageOf(item);
      const emails = possibleEmails(message);
      const [[outcomes], places] = await Promise.all([findOutcomes(mail, [message], now), findPlaces(mail, emails, now)]);
      const placeIn = new Map(emails.map(({ accountId }, index) => [accountId, places[index]]));
      const onWire = receivedMessageOf(
        message,
        reads,
        outcomes!,
        outcomes!.map(({ entry }) => placeIn.get(entry.account ?? '')),
      );
      const [visible] = await visibleReceivedMessages([onWire], caller, reads.admins);
      if (!visible) throw notFound('received message');
      return { message: visible };
    },
  });
