import type { ComposeRequest, OriginalUse } from '../context/composers.ts';
import type { MailAccount } from '../context/mail-context.ts';
import { callsIn, type Requests } from '../jmap/requests.ts';
import { isUsable } from '../jmap/sending-identity.ts';
import type { Email, EmailBody, GetResponse, Id, Identity, Thread } from '../jmap/types.ts';
import { rawHtmlOf, roughText } from '../message/body-html.ts';
import { isWithinLimits } from '../message/html-limits.ts';
import { bodyProperties, listProperties, partProperties } from '../store/read-properties.ts';
import type { SendingMailboxes } from '../submissions/submissions.ts';
import { composerWords as words } from '../words/composer-words.ts';
import { readAllAddresses, withAdded } from './addresses.ts';
import type { Cleaner } from './cleaning-frame.ts';
import { draftsOnDevice } from './device-drafts.ts';
import { draftOf, newMessageId } from './draft-email.ts';
import { findByMessageId, type SavedDraft } from './draft-saver.ts';
import type { Draft, DraftPart } from './draft.ts';
import { plainQuote, quoteOf } from './quote.ts';
import { quotedHtml, splitHtml } from './quoted-html.ts';
import { draftStart, replyToDiffers } from './reply.ts';
import { newBody } from './signature.ts';

export type StartDependencies = {
  readonly requests: Requests;
  readonly account: Pick<MailAccount, 'id' | 'isFirst'>;
  readonly mailboxes: SendingMailboxes;
  /** Copies files, which outlive the message that they are from then. */
  readonly copyParts: (parts: readonly DraftPart[]) => Promise<readonly DraftPart[]>;
  readonly clean: Cleaner | undefined;
  readonly identities: readonly Identity[];
  readonly isOwn: (address: string) => boolean;
};

/** A draft with which a composer begins, and what a person should know about it. */
export type Started = {
  readonly draft: Draft;
  readonly saved?: SavedDraft | undefined;
  /** Whether the device has what the server may lack. */
  readonly isUnsaved?: boolean;
  readonly note?: string;
};

/** Octets of a body that is written on. It is read whole: what is cut would be lost. */
const maxBodyValueBytes = 0;

/** Reads the Identities that can send. */
export const readIdentities = async (requests: Requests, accountId: Id): Promise<readonly Identity[]> => {
  const { list } = await requests.call<GetResponse<Identity>>('Identity/get', { accountId, ids: null }).result;
  return list.filter(isUsable);
};

/** A message that says nothing yet. */
export const emptyDraft = (identity: Identity): Draft => ({
  messageId: newMessageId(identity.email),
  identityId: identity.id,
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  html: '',
  text: '',
  quote: undefined,
  parts: [],
  inReplyTo: [],
  references: [],
  original: undefined,
});

/** A message that was read whole. */
export type Read = { readonly email: Email; readonly body: EmailBody };

/** Reads a message whole. @throws Error when it is gone. */
export const readWhole = async ({ requests, account }: Pick<StartDependencies, 'requests' | 'account'>, id: Id): Promise<Read> => {
  const properties = [...new Set([...listProperties, ...bodyProperties])];
  const values = { fetchTextBodyValues: true, fetchHTMLBodyValues: true, maxBodyValueBytes };
  const args = { accountId: account.id, ids: [id], properties, bodyProperties: partProperties, ...values };
  const [found] = (await requests.call<GetResponse<Email & EmailBody>>('Email/get', args).result).list;
  if (!found) throw new Error(words.notThere);
  return { email: found, body: found };
};

const begin = (dependencies: StartDependencies, use: OriginalUse | 'editAsNew', { email, body }: Read): Started => {
  const { clean, identities, isOwn } = dependencies;
  const raw = rawHtmlOf(body);
  const quoted = raw !== '' && clean ? quotedHtml(raw, clean) : undefined;
  const html = quoted?.html;
  const start = draftStart(use, { email, body, identities, isOwn, html });
  const identity = identities.find(({ id }) => id === start.identityId) ?? identities[0]!;
  const base: Draft = { ...emptyDraft(identity), ...start, identityId: identity.id };
  if (use === 'editAsNew') {
    const split = splitOf(raw, clean);
    const { html: own, text, quote } = draftOf({ email, body, identities, split, htmlText: split?.text ?? roughText(raw) });
    return { draft: { ...base, html: own, text, quote } };
  }
  const original = { emailId: email.id, use };
  if (use === 'forwardAsAttachment') return { draft: { ...base, ...newBody(identity, clean === undefined), original } };
  const source = { email, body, html, htmlText: raw === '' ? undefined : (quoted?.text ?? roughText(raw)) };
  const draft =
    raw === '' || !clean
      ? { ...base, ...newBody(identity, true, plainQuote(use, source)) }
      : { ...base, ...newBody(identity, false), quote: quoteOf(use, source) };
  const replyTo = body.replyTo?.[0]?.email;
  const note = use !== 'forward' && replyTo !== undefined && replyToDiffers(email, body) ? words.replyToDiffers(replyTo) : '';
  return { draft: { ...draft, original }, note };
};

const splitOf = (raw: string, clean: Cleaner | undefined) => (raw === '' || !clean ? undefined : splitHtml(raw, clean));

/** Finds the message that a saved draft answers or forwards, in its conversation. */
const originalOf = async ({ requests, account }: StartDependencies, { email, body }: Read): Promise<Draft['original']> => {
  const isReply = (body.inReplyTo ?? []).length > 0;
  const original = isReply ? body.inReplyTo?.[0] : body.references?.at(-1);
  if (original === undefined) return undefined;
  const accountId = account.id;
  const thread = requests.call<GetResponse<Thread>>('Thread/get', { accountId, ids: [email.threadId] });
  const emails = requests.call<GetResponse<{ readonly id: Id; readonly messageId: readonly string[] | null }>>('Email/get', {
    accountId,
    '#ids': thread.ref('/list/*/emailIds'),
    properties: ['id', 'messageId'],
  });
  const [, { list }] = await Promise.all([thread.result, emails.result]);
  const found = list.find(({ id, messageId }) => id !== email.id && messageId?.includes(original));
  return found && { emailId: found.id, use: isReply ? 'reply' : 'forward' };
};

/** Thrown for a draft that was sent before the tab ended. */
export class AlreadySent extends Error {
  override readonly name = 'AlreadySent';
}

/** Finds what the server has of a draft that was kept on the device. */
const restored = async (dependencies: StartDependencies, messageId: string): Promise<Started> => {
  const kept = draftsOnDevice().find(({ draft }) => draft.messageId === messageId);
  if (!kept) throw new Error(words.notThere);
  const { draft } = kept;
  const call = callsIn(dependencies.requests, dependencies.account.id);
  const { draftsId, sentId } = dependencies.mailboxes;
  const find = (mailboxId: Id): Promise<readonly Id[]> => findByMessageId(call, mailboxId, draft.messageId);
  const [[emailId, ...others], sent] = await Promise.all([find(draftsId), find(sentId)]);
  if (sent.length > 0) throw new AlreadySent();
  if (others.length > 0) await call('Email/set', { destroy: others }).result;
  return { draft, saved: emailId === undefined ? undefined : { draft: { ...draft }, emailId }, isUnsaved: true };
};

/** Opens a saved draft again. Its files have to outlive its Email, which the next save destroys. */
const continued = async (dependencies: StartDependencies, emailId: Id): Promise<Started> => {
  const { account, identities, clean, copyParts } = dependencies;
  // A draft has a text beside a quote that is within the limits. In a shared account somebody else may have made it.
  const isBearable = (html: string): boolean => account.isFirst || isWithinLimits(html, 2);
  const read = await readWhole(dependencies, emailId);
  const raw = rawHtmlOf(read.body);
  const split = splitOf(raw, clean && ((html, use) => (isBearable(html) ? clean(html, use, true) : undefined)));
  // Its text alone would be saved in place of it.
  if (raw !== '' && !split) throw new Error(words.cannotEdit);
  const opened = draftOf({ ...read, identities, split, htmlText: split?.text ?? roughText(raw) });
  const [original, parts] = await Promise.all([originalOf(dependencies, read), copyParts(opened.parts)]);
  const draft = { ...opened, original, parts };
  return { draft, saved: { draft, emailId } };
};

/** Makes the draft with which a composer begins. @throws Error with words for a person. */
export const startDraft = async (dependencies: StartDependencies, request: ComposeRequest): Promise<Started> => {
  const { identities, clean } = dependencies;
  const [identity] = identities;
  if (!identity) throw new Error(words.noIdentity);
  switch (request.kind) {
    case 'new': {
      const to = withAdded([], readAllAddresses(request.to ?? ''));
      return { draft: { ...emptyDraft(identity), ...newBody(identity, clean === undefined), to } };
    }
    case 'restored':
      return restored(dependencies, request.messageId);
    case 'continue':
      return continued(dependencies, request.emailId);
    case 'editAsNew': {
      const started = begin(dependencies, 'editAsNew', await readWhole(dependencies, request.emailId));
      if (request.to === undefined) return started;
      // Those alone whom the message did not reach.
      return { ...started, draft: { ...started.draft, to: request.to.map((email) => ({ name: null, email })), cc: [], bcc: [] } };
    }
    case 'reply':
    case 'replyAll':
    case 'forward':
    case 'forwardAsAttachment':
    default:
      return begin(dependencies, request.kind, await readWhole(dependencies, request.emailId));
  }
};
