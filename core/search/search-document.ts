import type { TextSort } from '../account-index/columns/text-sorts.ts';
import type { RawMessage } from '../blobs/raw-message.ts';
import type { EmailContent } from '../mail/email/email-content.ts';
import type { TextCondition } from '../mail/email/index/email-filter.ts';
import { baseSubject } from '../mime/base-subject.ts';
import { withinParseTime } from '../mime/parse-limits.ts';
import type { EmailAddress } from '../mime/parsed-email.ts';
import { bodyTexts, headerTexts, searchableText, searchedParts, type SearchableField } from './searchable-text.ts';
import { headerBlock, searchedOctets } from './searched-message.ts';
import { tokensOf } from './tokenizer.ts';

/** The fields of a segment's terms. A field's index in the list is its number, which is stored in segments. */
export const searchFields = ['from', 'to', 'cc', 'bcc', 'subject', 'body', 'attachmentNames'] as const satisfies readonly SearchableField[];

/** The number of the field whose terms are the names of header fields. */
export const headerNameField = searchFields.length;

/** The terms of a text, in order. */
export type Terms = readonly string[];

/** The searchable content of an Email. */
export type SearchDocument = {
  readonly emailId: string;
  readonly hasAttachment: boolean;
  /** The terms of each text, by field number. */
  readonly fields: readonly (readonly Terms[])[];
  /** The header fields, with their names in lower case. */
  readonly headers: readonly { readonly name: string; readonly terms: Terms }[];
  /** The texts by which Emails are sorted, not normalized. */
  readonly sortTexts: Readonly<Record<TextSort, string>>;
  /** Why body and header are missing: a fault of the parser, or the excess of its time. */
  readonly failure?: Error;
};

const termsOf = (text: string): string[] => Array.from(tokensOf(text), ({ term }) => term);

/** The name or address by which addresses are sorted (RFC 8621 §4.4.2). */
const sortedName = (addresses: readonly EmailAddress[] | undefined): string => addresses?.[0]?.name || addresses?.[0]?.email || '';

/** The texts by which an Email is sorted, taken from its record. */
const sortTextsOf = ({ from, to, subject }: EmailContent): SearchDocument['sortTexts'] => ({
  from: sortedName(from),
  to: sortedName(to),
  subject: baseSubject(subject ?? ''),
});

/**
 * Names of header fields that can be searched: printable ASCII without a colon (RFC 5322 §2.2), at most 200 characters.
 */
const headerName = /^[!-9;-~]{1,200}$/;

/**
 * The document of an Email. @param message the searched texts of the raw message. Body and header are empty if it is undefined,
 * or takes more than its share of time.
 */
export const searchDocument = (record: EmailContent, message: RawMessage | undefined): SearchDocument => {
  if (!message) return documentOf(record, undefined);
  try {
    return withinParseTime(searchedOctets(record), () => documentOf(record, message));
  } catch (error) {
    return { ...documentOf(record, undefined), failure: error instanceof Error ? error : new Error(String(error)) };
  }
};

const documentOf = (record: EmailContent, message: RawMessage | undefined): SearchDocument => {
  const texts = { ...searchableText(record, undefined), body: message ? [...bodyTexts(searchedParts(record.bodyStructure), message.bytes)] : [] };
  return {
    emailId: record.id,
    hasAttachment: record.hasAttachment,
    fields: searchFields.map((field) => texts[field].map(termsOf)),
    headers: (message ? headerTexts(message.bytes(headerBlock(record))) : [])
      .filter(({ name }) => headerName.test(name))
      .map(({ name, text }) => ({ name, terms: termsOf(text) })),
    sortTexts: sortTextsOf(record),
  };
};

/** Whether a condition needs the raw message. The stored content is enough for other conditions. */
export const needsRawMessage = (condition: TextCondition): boolean =>
  'header' in condition || ('fields' in condition && condition.fields.includes(searchFields.indexOf('body')));
