import { createHash, randomBytes } from 'node:crypto';
import { maxSubmissionMessageBytes } from '../../contract/deployment/sending.ts';
import type { Alias } from '../../contract/admin/aliases.ts';
import { domainOf } from '../../contract/values/mail-address.ts';
import type { Addresses, Receiver } from '../../core/directory/aliases/addresses.ts';
import { aliasMaySend } from '../../core/directory/aliases/may-send.ts';
import { sentForArrivedKey } from '../../core/mail-types/vacation-response/responded-senders.ts';
import { composeField, type HeaderValue } from '../../core/mime/compose/compose-header-field.ts';
import { composeMessage, type PartOctets } from '../../core/mime/compose/compose-message.ts';
import { bodyStructureOf } from '../../core/mime/compose/compose-structure.ts';
import type { HeaderField } from '../../core/mime/header/header-fields.ts';
import { asText } from '../../core/mime/header/header-forms.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { acceptSubmission } from '../../core/sending/submission/accept-submission.ts';
import type { Table } from '../../core/storage/table.ts';
import { headerFieldsOf, isSpamOrVirus } from './bounces/bounce-policy.ts';
import { headerOctets } from './received/raw-message.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import type { VacationDependencies } from './vacation/vacation-response.ts';

/* Copies of received mail for the `bcc` of the aliases that received it (docs/specification.md#aliases). */

/** A copy. The account is that of the address, or that of the alias when no account has the address. */
type AliasCopy = { readonly accountId: string; readonly alias: string; readonly bcc: string };

export type AliasCopies = {
  /** The accounts that receive a copy, in addition to the recipients' accounts. */
  readonly accountIds: readonly string[];
  /** The address of each copy for an account, with the alias that requests it. Empty for a message that waits. */
  readonly inside: readonly AliasCopy[];
  readonly outside: readonly AliasCopy[];
  /** The copies that are not made, and the reason. */
  readonly withheld?: { readonly copies: readonly AliasCopy[]; readonly reason: CopyObstacle };
};

/**
 * Finds the copies of a message that aliases request. A copy causes no further copies, so that aliases cannot form a
 * loop.
 * @param receivers the receivers of the message.
 */
export const findCopies = async (receivers: readonly Receiver[], resolve: Addresses['resolve']): Promise<AliasCopies> => {
  const copies = [...new Map(receivers.flatMap(({ accountId, email, bcc }) =>
    (bcc === undefined ? [] : [[bcc.toLowerCase(), { accountId, alias: email, bcc }] as const]))).values()];
  if (copies.length === 0) return { accountIds: [], inside: [], outside: [] };
  const found = await resolve(copies.map(({ bcc }) => bcc));
  const own = new Set(receivers.map(({ accountId }) => accountId));
  const inside = copies.flatMap(({ alias, bcc }) => {
    const accountId = found.get(bcc)?.accountId;
    return accountId === undefined || own.has(accountId) ? [] : [{ accountId, alias, bcc }];
  });
  return {
    accountIds: [...new Set(inside.map(({ accountId }) => accountId))],
    inside,
    // An address at the alias's own domain is not outside, even if it receives no mail.
    outside: copies.filter(({ alias, bcc }) => !found.has(bcc) && domainOf(bcc.toLowerCase()) !== domainOf(alias)),
  };
};

/**
 * Makes no copy of a message with a code or a password. Whoever gets copies of a mailbox must not sign in as the people
 * who have accounts elsewhere with its addresses.
 */
export const withholdCopies = ({ inside, outside }: AliasCopies): AliasCopies =>
  ({ accountIds: [], inside: [], outside: [], withheld: { copies: [...inside, ...outside], reason: 'sign-in mail' } });

/** Maximum servers and maximum copies in the history of a message that is copied. */
const [maxHops, maxCopies] = [50, 10];

const named = (fields: readonly HeaderField[], wanted: string): readonly HeaderField[] =>
  fields.filter(({ name }) => name.toLowerCase() === wanted);

/** The aliases that have already made a copy of the message. Each copy keeps the X-Loop fields of its original. */
const loopsOf = (fields: readonly HeaderField[]): readonly string[] =>
  named(fields, 'x-loop').map((field) => asText(field).replaceAll(/[^!-~]/g, '').slice(0, 254)).filter((value) => value !== '');

export type CopyObstacle = 'sign-in mail' | 'spam or virus' | 'unreadable header' | 'loop' | 'too large' | 'the address may not send';

const copyProblem = (
  { isJunk, verdicts }: ReceivedMail, fields: readonly HeaderField[] | undefined, alias: string,
): CopyObstacle | undefined => {
  if (isJunk || isSpamOrVirus(verdicts)) return 'spam or virus';
  if (!fields) return 'unreadable header';
  const loops = loopsOf(fields);
  const isLoop = loops.some((loop) => loop.toLowerCase() === alias) || loops.length >= maxCopies || named(fields, 'received').length > maxHops;
  return isLoop ? 'loop' : undefined;
};

type CopyMessage = { readonly raw: Buffer; readonly fields: readonly HeaderField[]; readonly from: Alias; readonly to: string };

/** The copy for an outside address: a message from the alias, with the unchanged original attached. */
const composeCopy = ({ raw, fields, from, to }: CopyMessage, id: string, date: Date): Buffer => {
  const text = (value: string): HeaderValue => ({ form: 'asText', value });
  const address = (email: string, name: string | null): HeaderValue => ({ form: 'asAddresses', value: [{ name, email }] });
  const [subject] = named(fields, 'subject');
  const original = subject ? asText(subject).toWellFormed().replaceAll(/\p{Cc}/gu, ' ').trim().slice(0, 200).toWellFormed() : '';
  const values: readonly (readonly [string, HeaderValue])[] = [
    ['From', address(from.email, from.name ?? null)],
    ['To', address(to, null)],
    ['Subject', text(original === '' ? `A message to ${from.email}` : original)],
    ['Date', { form: 'asDate', value: date.toISOString() }],
    ['Message-ID', { form: 'asMessageIds', value: [`${id}@${domainOf(from.email)}`] }],
    ['Auto-Submitted', text('auto-generated')],
    ...[...loopsOf(fields), from.email].map((loop) => ['X-Loop', text(loop)] as const),
  ];
  const root = bodyStructureOf<PartOctets>({
    text: { type: { value: 'text/plain' }, fields: [], content: { text: `A copy of a message that arrived for ${from.email} is attached.\n` } },
    attachments: [{ type: { value: 'message/rfc822' }, name: 'message.eml', fields: [], content: { octets: raw } }],
  });
  const composed = values.flatMap(([name, value]) => composeField(name, value) ?? []);
  return composeMessage({ fields: composed, root }, () => randomBytes(18).toString('base64url'));
};

type Dependencies = {
  readonly vacation: VacationDependencies;
  readonly mailTable: Table;
  readonly withMessage: <T>(mail: ReceivedMail, use: (message: Buffer) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Seconds for which a copy is remembered: longer than a notification may stay in the queue and its dead-letter queue.
 */
const memorySeconds = 30 * 86_400;

/** The alias, if it may send; undefined otherwise. */
const sendingAlias = async ({ accountId, alias }: AliasCopy, { aliases, domains }: VacationDependencies): Promise<Alias | undefined> => {
  const from = (await aliases.findByAccount(accountId)).find(({ email }) => email === alias);
  const domain = from && await domains.find(from.domain_id);
  return from && domain && aliasMaySend(from, domain) ? from : undefined;
};

/**
 * Accepts the copy as a submission, once for each message, in one transaction.
 * @returns the reason why the copy is not sent; undefined when it is.
 * @throws RawMessageMissing
 */
export const sendCopy = async (copy: AliasCopy, mail: ReceivedMail, dependencies: Dependencies): Promise<CopyObstacle | undefined> => {
  const { vacation, mailTable, withMessage, clock, log } = dependencies;
  const details = { accountId: copy.accountId, sesMessageId: mail.messageId };
  const skip = (reason: CopyObstacle): CopyObstacle => {
    log.warn('the copy for the bcc of an alias was not sent', { ...details, reason });
    return reason;
  };
  const digest = createHash('sha256').update(`${mail.messageId} ${copy.bcc}`).digest('base64url').slice(0, 32);
  const key = sentForArrivedKey(copy.accountId, `copy#${digest}`);
  const [known, from] = await Promise.all([mailTable.get(key), sendingAlias(copy, vacation)]);
  if (known) return undefined;
  if (!from) return skip('the address may not send');
  return withMessage(mail, async (raw) => {
    const fields = headerFieldsOf({ bytes: raw.subarray(0, headerOctets), size: raw.length });
    const problem = copyProblem(mail, fields, copy.alias);
    if (problem) return skip(problem);
    const [submissionId, now] = [vacation.newId('submission'), clock()];
    const message = composeCopy({ raw, fields: fields!, from, to: copy.bcc }, submissionId, now);
    if (message.length > maxSubmissionMessageBytes) return skip('too large');
    const memory = { put: { ...key, expiresAt: secondsNow(() => now) + memorySeconds }, if: { absent: true }, inTable: mailTable.reference } as const;
    const isAccepted = await acceptSubmission({
      submission_id: submissionId, account_id: copy.accountId, identity_id: from.alias_id, message_class: 'TRANSACTIONAL',
      mail_from: from.email, send_at: now.toISOString(), created_at: now.toISOString(), ignores_suppression: false, recipients: [copy.bcc], message,
    }, vacation.sending, [memory]);
    if (isAccepted) log.info('the copy for the bcc of an alias was accepted', details);
    return undefined;
  });
};
