import { mailFeedback as contract, type SentMessage } from '../../../contract/admin/mail-feedback.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { findSentMessages, type SentMailReads as SentMail } from '../../../core/sending/submission/find-sent-messages.ts';
import type { Page } from '../../../core/storage/page.ts';
import { sentMessageOf } from './sent-message-on-wire.ts';

export type SentMailReads = SentMail & {
  /** Whether answers have subjects. */
  readonly recordsSubjects: boolean;
};

type ListRequest = Request<typeof contract.methods.ListSentMessages>;

const findPage = (request: ListRequest, after: string | undefined, reads: SentMailReads): Promise<Page<SentMessage>> => {
  const { address, domain, message_id: messageId, submission_id: submissionId, subject_contains: part, state, since, until, page_size: size } = request;
  return findSentMessages(
    { address, domain, messageId, submissionId, since, until },
    after,
    size,
    (found) => {
      const message = sentMessageOf(found, reads);
      const isWanted =
        (part === undefined || (message.subject ?? '').toLowerCase().includes(part.toLowerCase())) &&
        (state === undefined || (message.recipients ?? []).some((recipient) => recipient.state === state));
      return isWanted ? message : undefined;
    },
    reads,
  );
};

/** Implements ListSentMessages. The list is empty for an unknown submission_id, as for an unknown address. */
export const listSentMessages = (reads: SentMailReads) =>
  adminMethod(contract.methods.ListSentMessages, {
    prefetch: (request, { pageAfter }) => findPage(request, pageAfter, reads),
    run: async (_request, { nextPageToken }, { items, next }) => ({ messages: [...items], next_page_token: await nextPageToken(next) }),
  });
