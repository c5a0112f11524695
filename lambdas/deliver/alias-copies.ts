import { createHash, randomBytes } from 'node:crypto';
import type { Alias } from '../../contract/admin/aliases.ts';
import { maxSubmissionMessageBytes } from '../../contract/deployment/sending.ts';
import { domainOf } from '../../contract/values/mail-address.ts';
import type { Addresses, Receiver } from '../../core/directory/aliases/addresses.ts';
import { aliasMaySend } from '../../core/directory/aliases/may-send.ts';
import { sentForReceivedKey } from '../../core/mail/responded-senders.ts';
import { composeField, type HeaderValue } from '../../core/mime/compose/compose-header-field.ts';
import { composeMessage, bodyStructureOf, type PartOctets } from '../../core/mime/compose/compose-message.ts';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import { asText } from '../../core/mime/header-forms.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { acceptSubmission } from '../../core/sending/submission/accept-submission.ts';
import { attachedMessage } from '../../core/sending/wire/wire-message.ts';
import type { Table } from '../../core/storage/table.ts';
import { isSpamOrVirus } from './bounces/bounce-policy.ts';
import { isLoop, sentOnMemorySeconds, withMarks, type CopyMarks, type Marks } from './copy-marks.ts';
import { readWholeHeader } from './outside-message.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import type { VacationDependencies } from './vacation/send-vacation-response.ts';

/* Copies of received mail for the `bcc` of the aliases that received it (docs/specification.md#aliases). */

/** A copy. The account is that of the address, or that of the alias when no account has the address. */
type AliasCopy = { readonly accountId: string; readonly alias: string; readonly bcc: string };

export type AliasCopies = {
  /** The accounts that receive a copy, in addition to the recipients' accounts. */
  readonly accountIds: readonly string[];
  /** The address of each copy for an account, with the alias that requests it. Empty for a message that waits. */
  readonly inside: readonly AliasCopy[];
  readonly outside: readonly AliasCopy[];
  /** The copies that are not made, each with the reason. */
  readonly withheld: readonly (AliasCopy & { readonly reason: CopyObstacle })[];
};

/** No copies. */
export const noCopies: AliasCopies = { accountIds: [], inside: [], outside: [], withheld: [] };

const isAtOwnDomain = ({ alias, bcc }: AliasCopy): boolean => domainOf(bcc.toLowerCase()) === domainOf(alias);

/**
 * Finds the copies of a message that aliases request. A copy causes no further copies, so that aliases cannot form a
 * loop.
 * @param receivers the receivers of the message.
 */
export const findCopies = async (receivers: readonly Receiver[], resolve: Addresses['resolveAll']): Promise<AliasCopies> => {
  const copies = [
    ...new Map(
      receivers.flatMap(({ accountId, email, bcc }) => (bcc === undefined ? [] : [[bcc.toLowerCase(), { accountId, alias: email, bcc }] as const])),
    ).values(),
  ];
  if (copies.length === 0) return noCopies;
  const found = new Map([...(await resolve(copies.map(({ bcc }) => bcc)))].flatMap(([bcc, holder]) => ('accountId' in holder ? [[bcc, holder] as const] : [])));
  const others = copies.filter(({ bcc }) => !found.has(bcc));
  const own = new Set(receivers.map(({ accountId }) => accountId));
  const inside = copies.flatMap(({ alias, bcc }) => {
    const accountId = found.get(bcc)?.accountId;
    return accountId === undefined || own.has(accountId) ? [] : [{ accountId, alias, bcc }];
  });
  return {
    accountIds: [...new Set(inside.map(({ accountId }) => accountId))],
    inside,
    outside: others.filter((copy) => !isAtOwnDomain(copy)),
    // An address at the alias's own domain is not outside, even if it receives no mail.
    withheld: others.filter(isAtOwnDomain).map((copy) => ({ ...copy, reason: 'no account' })),
  };
};

/**
 * Makes no copy of a message with a code or a password. Whoever gets copies of a mailbox must not sign in as the people
 * who have accounts elsewhere with its addresses.
 */
export const withholdCopies = ({ inside, outside, withheld }: AliasCopies): AliasCopies => ({
  accountIds: [],
  inside: [],
  outside: [],
  withheld: [...withheld, ...[...inside, ...outside].map((copy) => ({ ...copy, reason: 'sign-in mail' as const }))],
});

/** Maximum X-Loop fields of a message that its copy keeps. */
const maxLoops = 10;

const named = (fields: readonly HeaderField[], wanted: string): readonly HeaderField[] => fields.filter(({ name }) => name.toLowerCase() === wanted);

/** The X-Loop fields of the message, which its copy keeps for other servers. Everybody can write them. */
const loopsOf = (fields: readonly HeaderField[]): readonly string[] =>
  named(fields, 'x-loop')
    .map((field) =>
      asText(field)
        .replaceAll(/[^!-~]/g, '')
        .slice(0, 254),
    )
    .filter((value) => value !== '')
    .slice(0, maxLoops);

export type CopyObstacle = 'sign-in mail' | 'no account' | 'spam or virus' | 'loop' | 'too large' | 'the address may not send';

const copyProblem = ({ isJunk, verdicts }: ReceivedMail, marks: Marks, alias: string): CopyObstacle | undefined => {
  if (isJunk || isSpamOrVirus(verdicts)) return 'spam or virus';
  return isLoop(marks, alias) ? 'loop' : undefined;
};

type CopyMessage = {
  readonly raw: Buffer;
  readonly fields: readonly HeaderField[];
  /** The fields with the marks of the copy: those of the message, and its own. */
  readonly marks: readonly (readonly [name: string, value: string])[];
  readonly from: Alias;
  readonly to: string;
};

/** The copy for an outside address: a message from the alias, with the original attached in a form that every relay accepts. */
const composeCopy = ({ raw, fields, marks, from, to }: CopyMessage, id: string, date: Date): Buffer => {
  const text = (value: string): HeaderValue => ({ form: 'asText', value });
  const address = (email: string, name: string | null): HeaderValue => ({ form: 'asAddresses', value: [{ name, email }] });
  const [subject] = named(fields, 'subject');
  const original = subject
    ? asText(subject)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, ' ')
        .trim()
        .slice(0, 200)
        .toWellFormed()
    : '';
  const values: readonly (readonly [string, HeaderValue])[] = [
    ['From', address(from.email, from.name ?? null)],
    ['To', address(to, null)],
    ['Subject', text(original === '' ? `A message to ${from.email}` : original)],
    ['Date', { form: 'asDate', value: date.toISOString() }],
    ['Message-ID', { form: 'asMessageIds', value: [`${id}@${domainOf(from.email)}`] }],
    ['Auto-Submitted', text('auto-generated')],
    ...[...loopsOf(fields), from.email].map((loop) => ['X-Loop', text(loop)] as const),
    ...marks.map(([name, value]) => [name, text(value)] as const),
  ];
  const attached = attachedMessage(raw);
  const root = bodyStructureOf<PartOctets>({
    text: { type: { value: 'text/plain' }, fields: [], content: { text: `A copy of a message that arrived for ${from.email} is attached.\n` } },
    attachments: [{ type: { value: attached.type }, name: 'message.eml', fields: [], content: { octets: attached.octets } }],
  });
  const composed = values.flatMap(([name, value]) => composeField(name, value) ?? []);
  return composeMessage({ fields: composed, root }, () => randomBytes(18).toString('base64url'));
};

type Dependencies = {
  readonly vacation: VacationDependencies;
  readonly copyMarks: CopyMarks;
  readonly mailTable: Table;
  readonly withMessage: <T>(mail: ReceivedMail, use: (message: Buffer) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly log: Log;
};

/** The alias, if it may send; undefined otherwise. */
const sendingAlias = async ({ accountId, alias }: AliasCopy, { aliases, domains }: VacationDependencies): Promise<Alias | undefined> => {
  const from = (await aliases.findByAccount(accountId)).find(({ email }) => email === alias);
  const domain = from && (await domains.find(from.domain_id));
  return from && domain && aliasMaySend(from, domain) ? from : undefined;
};

/**
 * Accepts the copy as a submission, once for each message, in one transaction.
 * @returns the reason why the copy is not sent; undefined when it is.
 * @throws RawMessageMissing
 */
export const sendCopy = async (copy: AliasCopy, mail: ReceivedMail, dependencies: Dependencies): Promise<CopyObstacle | undefined> => {
  const { vacation, copyMarks, mailTable, withMessage, clock, log } = dependencies;
  const details = { accountId: copy.accountId, sesMessageId: mail.messageId };
  const skip = (reason: CopyObstacle): CopyObstacle => {
    log.warn('the copy for the bcc of an alias was not sent', { ...details, reason });
    return reason;
  };
  const digest = createHash('sha256').update(`${mail.messageId} ${copy.bcc}`).digest('base64url').slice(0, 32);
  const key = sentForReceivedKey(copy.accountId, `copy#${digest}`);
  const [known, from] = await Promise.all([mailTable.get(key), sendingAlias(copy, vacation)]);
  if (known) return undefined;
  if (!from) return skip('the address may not send');
  return withMessage(mail, async (raw) => {
    const { fields } = readWholeHeader(raw);
    const marks = await copyMarks.validMarks(fields);
    const problem = copyProblem(mail, marks, copy.alias);
    if (problem) return skip(problem);
    const [submissionId, now] = [vacation.newId('submission'), clock()];
    const all = withMarks(marks, [await copyMarks.markOf(copy.alias)]);
    const message = composeCopy({ raw, fields, marks: all, from, to: copy.bcc }, submissionId, now);
    if (message.length > maxSubmissionMessageBytes) return skip('too large');
    const memory = { put: { ...key, expiresAt: secondsNow(() => now) + sentOnMemorySeconds }, if: { absent: true }, inTable: mailTable.reference } as const;
    const isAccepted = await acceptSubmission(
      {
        submission_id: submissionId,
        account_id: copy.accountId,
        identity_id: from.alias_id,
        message_class: 'TRANSACTIONAL',
        mail_from: from.email,
        send_at: now.toISOString(),
        created_at: now.toISOString(),
        ignores_suppression: false,
        recipients: [copy.bcc],
        message,
      },
      vacation.sending,
      [memory],
    );
    if (isAccepted) log.info('the copy for the bcc of an alias was accepted', details);
    return undefined;
  });
};
