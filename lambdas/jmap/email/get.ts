import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { email } from '../../../contract/jmap/email.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { RequestBudget } from '../request/request-context.ts';
import { needsPartHeaders } from './body-parts.ts';
import { emailSelection, isInRow, readEmails, type EmailSelection } from './read-emails.ts';

/** Maximum concurrently read batches of records. A record has at most 350 KB, so they take at most 140 MB. */
const concurrentBatches = 4;

const needsRawMessage = ({ properties, headers, parts, args }: EmailSelection): boolean =>
  properties.has('headers') ||
  headers.length > 0 ||
  (needsPartHeaders(parts) && ['bodyStructure', 'textBody', 'htmlBody', 'attachments'].some((name) => properties.has(name))) ||
  (properties.has('bodyValues') && (args.fetchTextBodyValues || args.fetchHTMLBodyValues || args.fetchAllBodyValues));

/**
 * Counts the Emails that a call reads from the table and from the bucket. One batch is read at a time when raw messages
 * are read.
 * @throws MethodError requestTooLarge when the calls of the request read too many.
 */
export const planEmailReads = (count: number, selection: EmailSelection, budget: RequestBudget): { readonly concurrentBatches: number } => {
  if ([...selection.properties].every(isInRow)) return { concurrentBatches: 1 };
  const { maxEmailContentsInRequest, maxRawMessagesInRequest } = unadvertisedLimits;
  if (!budget.spend('maxEmailContentsInRequest', count)) {
    throw new MethodError('requestTooLarge', `A request may read at most ${maxEmailContentsInRequest} Emails (maxEmailContentsInRequest).`);
  }
  if (!needsRawMessage(selection)) return { concurrentBatches };
  if (!budget.spend('maxRawMessagesInRequest', count)) {
    throw new MethodError(
      'requestTooLarge',
      `A request may read header fields and body values of at most ${maxRawMessagesInRequest} Emails (maxRawMessagesInRequest).`,
    );
  }
  return { concurrentBatches: 1 };
};

/** Email/get (RFC 8621 §4.2). */
export const emailGet: BehaviourOf<typeof email>['get'] = {
  checkArguments: (args, properties) => void emailSelection(properties, args),
  records(args, account, context) {
    const emails = emailsOf(account.view);
    return {
      size: emails.size,
      ids: () => emails.ids(),
      has: (id) => emails.has(id),
      planReads: (count, properties) => planEmailReads(count, emailSelection(properties, args), context.budget),
      read: (ids, properties) => readEmails(ids, properties, args, account, context),
    };
  },
};
