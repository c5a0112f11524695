import { vacationMessageRules } from '../../../contract/jmap/vacation-response.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import type { IdentityRecord } from '../../../core/mail/identity-type.ts';
import type { VacationResponseRecord } from '../../../core/mail/vacation-response-type.ts';
import { composeField, type ComposedField, type HeaderValue } from '../../../core/mime/compose/compose-header-field.ts';
import { composeMessage, bodyStructureOf, type NewPart } from '../../../core/mime/compose/compose-message.ts';
import type { HeaderField } from '../../../core/mime/header-fields.ts';
import { asMessageIds, asText } from '../../../core/mime/header-forms.ts';
import { htmlToText } from '../../../core/mime/html-to-text.ts';
import type { EmailAddress } from '../../../core/mime/parsed-email.ts';

/** The address from which a response is sent, with the properties of its Identity. */
type ResponseSender = { readonly email: string } & Partial<Pick<IdentityRecord, 'name' | 'replyTo'>>;

export type VacationMessage = {
  readonly response: Pick<VacationResponseRecord, 'subject' | 'textBody' | 'htmlBody'>;
  readonly from: ResponseSender;
  readonly to: string;
  /** The header fields of the message to which the response replies. */
  readonly fields: readonly HeaderField[];
  /** The part before the @ of the response's Message-ID. */
  readonly id: string;
  readonly date: Date;
};

const defaultSubject = 'Automatic response';
const defaultText = 'This is an automatic response. Your message was delivered, but it may take some time until it is read.\n';

const lastField = (fields: readonly HeaderField[], wanted: string): HeaderField | undefined => fields.findLast(({ name }) => name.toLowerCase() === wanted);

/** The beginning of a text, never within a surrogate pair. */
const beginningOf = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** The subject of the VacationResponse. Default: the subject of the message (RFC 3834 §3.1.5). */
const subjectOf = ({ response: { subject }, fields }: VacationMessage): string => {
  if (subject !== null && subject.trim() !== '') return subject;
  const field = lastField(fields, 'subject');
  const original = field
    ? asText(field)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim()
    : '';
  return original === '' ? defaultSubject : `Auto: ${beginningOf(original, vacationMessageRules.maxOriginalSubject)}`;
};

/** Maximum octets of a Message-ID, so that it fits on a line with its brackets and the name of its field. */
const maxMessageId = 250;

const messageIdsOf = (fields: readonly HeaderField[], name: string): string[] => {
  const field = lastField(fields, name);
  return ((field && asMessageIds(field)) || []).filter((id) => /^[!-~]+$/.test(id) && !/[<>]/.test(id) && id.length <= maxMessageId);
};

/**
 * The fields In-Reply-To and References (RFC 5322 §3.6.4). A long list keeps the first id, which began the Thread, and
 * the last ids.
 */
const threadFields = (fields: readonly HeaderField[]): readonly (readonly [string, HeaderValue])[] => {
  const [id] = messageIdsOf(fields, 'message-id');
  if (id === undefined) return [];
  const earlier = messageIdsOf(fields, 'references');
  const all = [...new Set([...(earlier.length > 0 ? earlier : messageIdsOf(fields, 'in-reply-to')), id])];
  const { maxReferences } = vacationMessageRules;
  const references = all.length <= maxReferences ? all : [all[0]!, ...all.slice(1 - maxReferences)];
  return [
    ['In-Reply-To', { form: 'asMessageIds', value: [id] }],
    ['References', { form: 'asMessageIds', value: references }],
  ];
};

/** The text of HTML, with a line for each paragraph. */
const textOfHtml = (html: string): string => {
  const lines = html.split(/<br\s*\/?>|<\/(?:p|div|li|h[1-6]|tr|blockquote)\s*>/i).map((piece) => htmlToText(piece, html.length).trim());
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
};

const textPart = (type: string, text: string): NewPart => ({ type: { value: type }, fields: [], content: { text } });

const bodyOf = ({ textBody, htmlBody }: VacationMessage['response']): NewPart => {
  const text = textBody ?? (htmlBody === null ? defaultText : textOfHtml(htmlBody));
  return bodyStructureOf({ text: textPart('text/plain', text), ...(htmlBody !== null && { html: textPart('text/html', htmlBody) }), attachments: [] });
};

const addresses = (...value: readonly EmailAddress[]): HeaderValue => ({ form: 'asAddresses', value });
const text = (value: string): HeaderValue => ({ form: 'asText', value });

/**
 * Composes a vacation response (RFC 3834 §3). Its header fields mark it as an automatic message, so that other servers
 * do not respond to it.
 * @param newBoundary as for `composeMessage`.
 */
export const composeVacationMessage = (message: VacationMessage, newBoundary: () => string): Buffer => {
  const { from, to, fields, id, date } = message;
  const values: readonly (readonly [string, HeaderValue])[] = [
    ['From', addresses({ name: from.name ? from.name : null, email: from.email })],
    ['To', addresses({ name: null, email: to })],
    ['Reply-To', addresses(...(from.replyTo ?? []))],
    ['Subject', text(subjectOf(message))],
    ['Date', { form: 'asDate', value: date.toISOString() }],
    ['Message-ID', { form: 'asMessageIds', value: [`${id}@${domainOf(from.email)}`] }],
    ...threadFields(fields),
    ['Auto-Submitted', text('auto-replied')],
    ['X-Auto-Response-Suppress', text('All')],
  ];
  const composed = values.map(([name, value]) => composeField(name, value)).filter((field): field is ComposedField => field !== undefined);
  return composeMessage({ fields: composed, root: bodyOf(message.response) }, newBoundary);
};
