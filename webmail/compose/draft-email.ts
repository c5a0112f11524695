import { comparableAddress, domainOf } from '../../contract/values/mail-address.ts';
import { isUsable, sending } from '../jmap/sending-identity.ts';
import type { Email, EmailAddress, EmailBody, Id, Identity } from '../jmap/types.ts';
import { fileType, partName, partsOf, shownCids } from './draft-parts.ts';
import type { Draft, DraftPart } from './draft.ts';
import { isWritableId, oneLine, writable } from './header-text.ts';
import { joinedText, partText, splitText } from './quote.ts';

/** A part of an Email that is created (RFC 8621 §4.6). */
export type NewBodyPart = {
  readonly type: string;
  readonly partId?: string;
  readonly blobId?: Id;
  readonly name?: string;
  readonly disposition?: 'inline' | 'attachment';
  readonly cid?: string;
  readonly subParts?: readonly NewBodyPart[];
};

/** An Email that is created. Fields without a value are left out. */
export type NewEmail = {
  readonly mailboxIds: Readonly<Record<Id, true>>;
  readonly keywords: Readonly<Record<string, true>>;
  readonly from?: readonly EmailAddress[];
  readonly replyTo?: readonly EmailAddress[];
  readonly to?: readonly EmailAddress[];
  readonly cc?: readonly EmailAddress[];
  readonly bcc?: readonly EmailAddress[];
  readonly subject: string;
  readonly messageId: readonly string[];
  readonly inReplyTo?: readonly string[];
  readonly references?: readonly string[];
  readonly bodyStructure: NewBodyPart;
  readonly bodyValues: Readonly<Record<string, { readonly value: string }>>;
};

/** A Message-ID that no other message has, of the domain of its sender. */
export const newMessageId = (sender: string | undefined): string => {
  const domain = domainOf(comparableAddress(sender ?? ''));
  return `${crypto.randomUUID()}@${/^[a-z0-9.-]{1,253}$/.test(domain) ? domain : 'mail.invalid'}`;
};

const filePart = ({ blobId, type, name, cid }: DraftPart, disposition: 'inline' | 'attachment'): NewBodyPart => {
  const known = partName(name);
  return { blobId, type: fileType(type), disposition, ...(known !== null && { name: known }), ...(disposition === 'inline' && cid !== null && { cid }) };
};

/** The multipart of these parts; a single part alone. */
const multipart = (subtype: string, [first, ...others]: readonly [NewBodyPart, ...NewBodyPart[]]): NewBodyPart =>
  others.length === 0 ? first : { type: `multipart/${subtype}`, subParts: [first, ...others] };

/** The HTML of a message: what the person wrote, and the quote. */
const joinedHtml = ({ html, quote }: Draft): string | undefined => (html === null ? undefined : html + (quote?.html ?? ''));

/** The body. An image that the HTML does not show any more is left out: nobody would see that it is sent. */
const bodyStructureOf = (draft: Draft, html: string | undefined): NewBodyPart => {
  const cids = shownCids(html ?? '');
  const images = draft.parts.filter(({ cid }) => cid !== null && cids.has(cid) && isWritableId(cid));
  const files = draft.parts.filter(({ cid }) => html === undefined || cid === null);
  const text: NewBodyPart = { type: 'text/plain', partId: 'text' };
  const rich = multipart('related', [{ type: 'text/html', partId: 'html' }, ...images.map((part) => filePart(part, 'inline'))]);
  const body = html === undefined ? text : multipart('alternative', [text, rich]);
  return multipart('mixed', [body, ...files.map((part) => filePart(part, 'attachment'))]);
};

/** The addresses, and those of the others that are not among them. */
const withOthers = (addresses: readonly EmailAddress[], others: readonly EmailAddress[]): readonly EmailAddress[] => {
  const known = new Set(addresses.map(({ email }) => comparableAddress(email)));
  return [...addresses, ...others.filter(({ email }) => !known.has(comparableAddress(email)))];
};

const filled = <Value>(list: readonly Value[]): readonly Value[] | undefined => (list.length === 0 ? undefined : list);

/** Makes the Email of a draft. Its hidden copies go to those of the identity too. */
export const emailOf = (draft: Draft, identity: Identity | undefined, mailboxId: Id): NewEmail => {
  const html = joinedHtml(draft)?.toWellFormed();
  return {
    mailboxIds: { [mailboxId]: true },
    keywords: { $draft: true, $seen: true },
    from: filled(identity && isUsable(identity) ? writable([identity]) : []),
    replyTo: filled(writable(identity?.replyTo ?? [])),
    to: filled(writable(draft.to)),
    cc: filled(writable(draft.cc)),
    bcc: filled(withOthers(writable(draft.bcc), writable(identity?.bcc ?? []))),
    subject: oneLine(draft.subject),
    messageId: [draft.messageId],
    inReplyTo: filled(draft.inReplyTo.filter(isWritableId)),
    references: filled(draft.references.filter(isWritableId)),
    bodyStructure: bodyStructureOf(draft, html),
    bodyValues: { text: { value: (html === undefined ? draft.text : joinedText(draft)).toWellFormed() }, ...(html !== undefined && { html: { value: html } }) },
  };
};

/** A draft that is opened again. */
export type OpenedDraft = {
  readonly email: Email;
  readonly body: EmailBody;
  readonly identities: readonly Identity[];
  /** The HTML of the draft, split before the element of the quote. Undefined for a draft in plain text. */
  readonly split: { readonly own: string; readonly quote: string | undefined } | undefined;
  /** The text of its HTML, for a draft of another program that has no other text. */
  readonly htmlText?: string;
};

/** Makes the draft of an Email again. The Email does not say which message it answers, except by its thread. */
export const draftOf = ({ email, body, identities, split, htmlText = '' }: OpenedDraft): Draft => {
  const identity = sending(identities, email.from ?? []);
  const hidden = new Set((identity?.bcc ?? []).map(({ email: address }) => comparableAddress(address)));
  const written = body.textBody.filter(({ type }) => type === 'text/plain').map((part) => partText(body, part));
  const text = written.length > 0 ? written.join('\n') : htmlText;
  const texts = split?.quote === undefined ? { own: text, quote: '' } : splitText(text, split.quote);
  return {
    messageId: body.messageId?.find(isWritableId) ?? newMessageId((email.from?.[0] ?? identity)?.email),
    identityId: identity?.id,
    to: writable(email.to),
    cc: writable(body.cc),
    bcc: writable(body.bcc).filter(({ email: address }) => !hidden.has(comparableAddress(address))),
    subject: oneLine(email.subject ?? ''),
    html: split?.own ?? null,
    text: texts.own,
    quote: split?.quote === undefined ? undefined : { html: split.quote, text: texts.quote },
    parts: partsOf(body, split && split.own + (split.quote ?? '')),
    inReplyTo: body.inReplyTo ?? [],
    references: body.references ?? [],
    original: undefined,
  };
};
