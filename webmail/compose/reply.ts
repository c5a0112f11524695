import { comparableAddress, domainOf, parseEmailAddress, withoutDetail } from '../../contract/values/mail-address.ts';
import type { OriginalUse } from '../context/composers.ts';
import { isUsable, receiving, sending } from '../jmap/sending-identity.ts';
import type { Email, EmailAddress, EmailBody, Identity } from '../jmap/types.ts';
import { asFile, partsOf } from './draft-parts.ts';
import type { Draft } from './draft.ts';
import { isWritableId, oneLine, writable } from './header-text.ts';
import { forwardSubject, replySubject } from './subject.ts';

/** A message from which another one is made. */
export type ReplySource = {
  readonly email: Email;
  readonly body: EmailBody;
  readonly identities: readonly Identity[];
  readonly isOwn: (address: string) => boolean;
  /** The sanitized HTML that is quoted. Undefined for a message in plain text. */
  readonly html: string | undefined;
};

/** The beginning of a draft. `editAsNew` is a copy of a message. */
export type DraftStart = Pick<Draft, 'to' | 'cc' | 'bcc' | 'subject' | 'inReplyTo' | 'references' | 'identityId' | 'parts'>;
export type StartUse = OriginalUse | 'editAsNew';

type Recipients = Pick<DraftStart, 'to' | 'cc' | 'bcc'>;
const nobody: Recipients = { to: [], cc: [], bcc: [] };

/** Message-IDs that are kept of each end of a longer list. */
const keptIds = { first: 1, last: 20 };

/** Whether an address is the person's, in any letters, also with a detail (RFC 5233 §2). */
const ownAddresses = ({ identities, isOwn }: ReplySource): ((address: EmailAddress) => boolean) => {
  const own = new Set(identities.filter(isUsable).map(({ email }) => comparableAddress(email)));
  return ({ email }) => {
    const address = comparableAddress(email);
    return [address, withoutDetail(address)].some((each) => each !== undefined && (own.has(each) || isOwn(each)));
  };
};

/** Takes the addresses that no earlier call took. */
const once = (): ((addresses: readonly EmailAddress[]) => readonly EmailAddress[]) => {
  const taken = new Set<string>();
  return (addresses) =>
    addresses.filter(({ email }) => {
      const address = comparableAddress(email);
      return !taken.has(address) && taken.add(address);
    });
};

const includes = (addresses: readonly EmailAddress[], { email }: EmailAddress): boolean =>
  addresses.some((each) => comparableAddress(each.email) === comparableAddress(email));

/** The address of the mailing list (RFC 2369 §3.4). */
const listOf = (body: EmailBody): EmailAddress | undefined => {
  for (const url of (body['header:List-Post:asURLs'] ?? []).slice(0, 10)) {
    if (!/^mailto:/i.test(url) || url.length > 1000) continue;
    const path = URL.parse(url)?.pathname ?? '';
    const email = parseEmailAddress(path.replaceAll('%40', '@'));
    if (email !== undefined) return { name: null, email };
  }
  return undefined;
};

/** Where the author of a message wants replies. */
const replyAddresses = ({ replyTo }: Pick<EmailBody, 'replyTo'>): readonly EmailAddress[] => writable(replyTo).filter(({ email }) => email.includes('@'));

/**
 * Whether the person wrote the message. A form of a web site writes as the site, and names the visitor in Reply-To: that
 * message is the visitor's.
 */
const isOwnMessage = (source: ReplySource, isOwn: (address: EmailAddress) => boolean): boolean => {
  const [author] = writable(source.email.from);
  const ownReplies = source.identities.flatMap(({ replyTo }) => replyTo ?? []);
  return author !== undefined && isOwn(author) && replyAddresses(source.body).every((address) => isOwn(address) || includes(ownReplies, address));
};

/** The people to whom one's own message went. */
const ownRecipients = ({ email, body }: ReplySource, use: 'reply' | 'replyAll'): Recipients => {
  const [to, cc, bcc] = [writable(email.to), writable(body.cc), writable(body.bcc)];
  if (use === 'replyAll') return to.length + cc.length > 0 ? { to, cc, bcc: [] } : { ...nobody, bcc };
  if (to.length > 0) return { ...nobody, to };
  return cc.length > 0 ? { ...nobody, to: cc } : { ...nobody, bcc };
};

/** The people to whom a reply to all of a message of somebody else goes, with all addresses that it names. */
const othersOf = ({ email, body }: ReplySource, isOwn: (address: EmailAddress) => boolean): Recipients => {
  const [from, replyTo] = [writable(email.from), replyAddresses(body)];
  const followup = writable(body['header:Mail-Followup-To:asAddresses']).filter((each) => parseEmailAddress(each.email) !== undefined);
  if (followup.some((each) => !isOwn(each))) return { ...nobody, to: followup };
  const list = listOf(body);
  // The list wrote itself into Reply-To. Who wrote the message is in From alone.
  const isMunged = list !== undefined && includes(replyTo, list);
  const authors = isMunged ? [...from, ...replyTo] : replyTo.length > 0 ? replyTo : from;
  return { to: [...authors, ...writable(email.to)], cc: [...writable(body.cc), ...(list ? [list] : [])], bcc: [] };
};

/** The recipients of a reply. The person is one of them only where nobody else is. */
const repliedTo = (source: ReplySource, use: 'reply' | 'replyAll'): Recipients => {
  const isOwn = ownAddresses(source);
  const [from, replyTo] = [writable(source.email.from), replyAddresses(source.body)];
  const authors = once()(replyTo.length > 0 ? replyTo : from);
  const isFromPerson = isOwnMessage(source, isOwn);
  if (use === 'reply' && !isFromPerson) return { ...nobody, to: authors };
  const { to, cc, bcc } = isFromPerson ? ownRecipients(source, use) : othersOf(source, isOwn);
  const take = once();
  const others = (addresses: readonly EmailAddress[]): readonly EmailAddress[] => take(addresses.filter((each) => !isOwn(each)));
  const found = { to: others(to), cc: others(cc), bcc: others(bcc) };
  if (found.to.length + found.cc.length + found.bcc.length > 0) return found;
  return { ...nobody, to: isFromPerson ? once()(to.length > 0 ? to : from) : authors };
};

/** The thread of an answer (RFC 5322 §3.6.4). */
export const threadOf = ({ messageId, inReplyTo, references }: EmailBody): Pick<Draft, 'inReplyTo' | 'references'> => {
  const own = (messageId ?? []).filter(isWritableId).slice(0, 1);
  const single = inReplyTo?.length === 1 ? inReplyTo : [];
  const before = (references?.length ? references : single).filter((id) => isWritableId(id) && !own.includes(id));
  const all = [...new Set(before), ...own];
  const { first, last } = keptIds;
  return { inReplyTo: own, references: all.length > first + last ? [...all.slice(0, first), ...all.slice(-last)] : all };
};

/** Makes the beginning of a message that answers, forwards or copies another one. */
export const draftStart = (use: StartUse, source: ReplySource): DraftStart => {
  const { email, body, identities, html } = source;
  const isFromPerson = (email.from ?? []).some(ownAddresses(source));
  const received = [...(email.to ?? []), ...(body.cc ?? []), ...(body.bcc ?? [])];
  const identityId = (isFromPerson ? sending(identities, email.from ?? []) : receiving(identities, received))?.id;
  const parts = partsOf(body, html);
  switch (use) {
    case 'reply':
    case 'replyAll':
      return { ...repliedTo(source, use), ...threadOf(body), subject: replySubject(email.subject), identityId, parts: parts.filter(({ cid }) => cid !== null) };
    case 'forward':
    case 'forwardAsAttachment': {
      // Without In-Reply-To, because nobody is answered; its thread shows what was forwarded.
      const thread = { ...threadOf(body), inReplyTo: [] };
      return { ...nobody, ...thread, subject: forwardSubject(email.subject), identityId, parts: use === 'forward' ? parts : [asFile(email)] };
    }
    case 'editAsNew':
    default: {
      const recipients = { to: writable(email.to), cc: writable(body.cc), bcc: writable(body.bcc) };
      return { ...recipients, subject: oneLine(email.subject ?? ''), inReplyTo: [], references: [], identityId, parts };
    }
  }
};

/** Whether replies to a message go to another domain than that of its author. */
export const replyToDiffers = ({ from }: Pick<Email, 'from'>, body: Pick<EmailBody, 'replyTo'>): boolean => {
  const domains = new Set(writable(from).map(({ email }) => domainOf(comparableAddress(email))));
  return domains.size > 0 && replyAddresses(body).some(({ email }) => !domains.has(domainOf(comparableAddress(email))));
};
