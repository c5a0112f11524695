import { coreLimits, searchLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { SearchSnippet, searchSnippetGet as contract } from '../../../contract/jmap/search-snippet.ts';
import { emptyMessage, mergeRanges, octetsOf, readRawMessage } from '../../../core/blobs/raw-message.ts';
import type { EmailContent } from '../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { EmailFilter, Phrase } from '../../../core/mail/email/index/email-filter.ts';
import { withinParseTime } from '../../../core/mime/parse-limits.ts';
import { TimeLimitExceeded } from '../../../core/runtime/time-limit.ts';
import { markedPreview, markedText } from '../../../core/search/marked-text.ts';
import { searchFields } from '../../../core/search/search-document.ts';
import { bodyTexts, searchedParts, type SearchableField } from '../../../core/search/searchable-text.ts';
import { searchedOctets } from '../../../core/search/searched-message.ts';
import { weightOf } from '../email/header-reader.ts';
import { toEmailFilter } from '../email/query.ts';
import { responseTooLarge } from '../request/api-response.ts';
import { decodeFilter } from '../request/filter-and-sort.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { MethodHandler } from '../request/method.ts';
import type { RequestContext } from '../request/request-context.ts';

/** The words and phrases of a filter that a SearchSnippet marks in the subject and in the body. */
type SnippetPhrases = { readonly subject: readonly Phrase[]; readonly body: readonly Phrase[] };

/** The phrases that the filter searches in a field, except those below NOT. */
const phrasesOn = (field: number, filter: EmailFilter): readonly Phrase[] => {
  if ('operator' in filter) return filter.operator === 'NOT' ? [] : filter.conditions.flatMap((each) => phrasesOn(field, each));
  return (filter.texts ?? []).flatMap((condition) => ('fields' in condition && condition.fields.includes(field) ? condition.phrases : []));
};

const distinctPhrases = (field: SearchableField, filter: EmailFilter): readonly Phrase[] => {
  const phrases = phrasesOn(searchFields.indexOf(field), filter);
  return [...new Map(phrases.map((phrase) => [JSON.stringify(phrase), phrase])).values()].slice(0, searchLimits.maxSnippetPhrases);
};

/** The phrases for the subject and for the body, at most `maxSnippetPhrases` each. */
const snippetPhrases = (filter: EmailFilter | undefined): SnippetPhrases => ({
  subject: filter ? distinctPhrases('subject', filter) : [],
  body: filter ? distinctPhrases('body', filter) : [],
});

/** Maximum Emails whose records are read in one batch, and maximum raw messages that are read concurrently. */
const [batchSize, concurrentReads] = [100, 8];

/**
 * The number of octets that are counted for each octet of a raw message, because it is read, decoded and divided into
 * words.
 */
const octetWeight = 4;

/** Counts Emails. @throws MethodError requestTooLarge when the calls of the request read too many Emails. */
const countEmails = (count: number, { budget }: RequestContext): void => {
  const { maxEmailContentsInRequest, maxRawMessagesInRequest } = unadvertisedLimits;
  if (budget.spend('maxEmailContentsInRequest', count) && budget.spend('maxRawMessagesInRequest', count)) return;
  throw new MethodError(
    'requestTooLarge',
    `A request may read at most ${maxEmailContentsInRequest} Emails (maxEmailContentsInRequest), ` +
      `and look into ${maxRawMessagesInRequest} of them (maxRawMessagesInRequest).`,
  );
};

/**
 * Counts the octets of bodies. @throws MethodError requestTooLarge when the calls of the request read too many octets
 * of raw messages.
 */
const weighBodies = (records: readonly EmailContent[], { budget }: RequestContext): void => {
  const weight = records.reduce((sum, { bodyStructure }) => {
    const ranges = searchedParts(bodyStructure).map(({ range }) => range);
    return sum + weightOf(mergeRanges(ranges)) + (octetWeight - 1) * octetsOf(ranges);
  }, 0);
  if (budget.spend('maxRawOctetsInRequest', weight)) return;
  const { maxRawOctetsInRequest } = unadvertisedLimits;
  throw new MethodError(
    'requestTooLarge',
    `A request may read ${maxRawOctetsInRequest} octets of raw messages, and those of snippets count ${octetWeight} times ` +
      '(maxRawOctetsInRequest). Request fewer snippets.',
  );
};

/** The preview of the first text part that matches. */
const previewOf = async (record: EmailContent, { body }: SnippetPhrases, accountId: string, { dependencies }: RequestContext): Promise<string | null> => {
  const parts = searchedParts(record.bodyStructure);
  if (body.length === 0 || parts.length === 0) return null;
  const raw = (await readRawMessage(dependencies.objects, accountId, record, mergeRanges(parts.map(({ range }) => range)))) ?? emptyMessage;
  try {
    return withinParseTime(searchedOctets(record), () => {
      for (const text of bodyTexts(parts, (range) => raw.bytes(range))) {
        const preview = markedPreview(text, body);
        if (preview !== null) return preview;
      }
      return null;
    });
  } catch (error) {
    // The indexer notes it. The other Emails keep their snippets.
    if (error instanceof TimeLimitExceeded) return null;
    throw error;
  }
};

/** The snippets of the Emails that exist. @throws MethodError requestTooLarge */
const readSnippets = async (ids: readonly string[], phrases: SnippetPhrases, accountId: string, context: RequestContext): Promise<readonly SearchSnippet[]> => {
  const { store } = context.dependencies;
  const list: SearchSnippet[] = [];
  let octets = 0;
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize);
    const recordsById = await store.emailContents(accountId, batch);
    const records = batch.flatMap((id) => recordsById.get(id) ?? []);
    if (phrases.body.length > 0) weighBodies(records, context);
    for (let first = 0; first < records.length; first += concurrentReads) {
      const snippets = await Promise.all(
        records
          .slice(first, first + concurrentReads)
          .map(async (record) => ({
            emailId: record.id,
            subject: markedText(record.subject ?? '', phrases.subject),
            preview: await previewOf(record, phrases, accountId, context),
          })),
      );
      octets += JSON.stringify(snippets).length;
      if (octets > context.responseRoom.octets) throw responseTooLarge();
      list.push(...snippets);
    }
  }
  return list;
};

/**
 * SearchSnippet/get (RFC 8621 §5.1). Emails need not match the filter. When the filter has no words, nothing is read.
 */
export const searchSnippetGet: MethodHandler<ArgumentsOf<(typeof contract)['arguments']>> = async (args, account, context) => {
  if (args.emailIds.length > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may get at most ${coreLimits.maxObjectsInGet} snippets (maxObjectsInGet).`);
  }
  const { budget } = context;
  const phrases = snippetPhrases(args.filter === null ? undefined : toEmailFilter(decodeFilter(email, args.filter, budget), budget));
  const ids = [...new Set(args.emailIds)];
  const existing = ids.filter((id) => emailsOf(account.view).has(id));
  let list: readonly SearchSnippet[] = existing.map((emailId) => ({ emailId, subject: null, preview: null }));
  if (phrases.subject.length + phrases.body.length > 0) {
    countEmails(existing.length, context);
    list = await readSnippets(existing, phrases, account.accountId, context);
  }
  const found = new Set(list.map(({ emailId }) => emailId));
  const notFound = ids.filter((id) => !found.has(id));
  return { accountId: account.accountId, list, notFound: notFound.length > 0 ? notFound : null };
};
