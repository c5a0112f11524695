import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import type { Request } from '../../../contract/rpc/rpc.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { SentMailFilter, SentMailIndex } from '../../../core/sending/submission/sent-mail-index.ts';
import type { FoundSubmission, Submissions } from '../../../core/sending/submission/submissions.ts';
import type { Page } from '../../../core/storage/page.ts';
import { sentMessageOf } from './sent-message.ts';

export type SentMailReads = {
  readonly sentMail: Pick<SentMailIndex, 'find'>;
  readonly submissions: Pick<Submissions, 'find' | 'findAll'>;
};

type ListRequest = Request<typeof contract.methods.ListSentMessages>;

/**
 * The filter of a request. @throws RpcError invalid_argument when it has none of the three filters, or more than one.
 */
const filterOf = ({ address, message_id, submission_id }: ListRequest): SentMailFilter | { readonly submission_id: string } => {
  const filters = [
    ...address === undefined ? [] : [{ address }], ...message_id === undefined ? [] : [{ message_id }],
    ...submission_id === undefined ? [] : [{ submission_id }],
  ];
  const [filter, ...others] = filters;
  if (!filter || others.length > 0) throw new RpcError('invalid_argument', 'give one of address, message_id and submission_id');
  return filter;
};

/** Finds a page of submissions, newest first. It may have fewer when submissions are removed at the same time. */
const findPage = async (
  request: ListRequest, after: string | undefined, { sentMail, submissions }: SentMailReads,
): Promise<Page<FoundSubmission>> => {
  const filter = filterOf(request);
  if ('submission_id' in filter) {
    const found = await submissions.find(filter.submission_id);
    return { items: found ? [found] : [], next: undefined };
  }
  const { items, next } = await sentMail.find(filter, after, request.page_size);
  const found = await submissions.findAll(items);
  return { items: items.flatMap(({ id }) => found.get(id) ?? []), next };
};

/** Implements ListSentMessages. The list is empty for an unknown submission_id, as for an unknown address. */
export const listSentMessages = (connections: SentMailReads) => adminMethod(contract.methods.ListSentMessages, {
  prefetch: (request, { pageAfter }) => findPage(request, pageAfter, connections),
  run: async (_request, { nextPageToken }, { items, next }) =>
    ({ messages: items.map(sentMessageOf), next_page_token: await nextPageToken(next) }),
});
