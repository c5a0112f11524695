import { mailKeys } from '../../contract/deployment/keys.ts';
import { groupMessageClass, maxRecipientsPerSubmission, maxSubmissionMessageBytes } from '../../contract/deployment/sending.ts';
import { comparableAddress, domainOf, localPartOf } from '../../contract/values/mail-address.ts';
import type { StoredDomain } from '../../core/directory/domains/domains.ts';
import type { Groups, StoredGroup } from '../../core/directory/groups/groups.ts';
import { BoundaryScanner } from '../../core/mime/body/boundary-scanner.ts';
import { composeField } from '../../core/mime/compose/compose-header-field.ts';
import { parseHeaderFields, type HeaderField } from '../../core/mime/header-fields.ts';
import { asAddresses } from '../../core/mime/header-forms.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { prepareSubmission } from '../../core/sending/submission/accept-submission.ts';
import { UnsendableMessage } from '../../core/sending/wire/wire-header.ts';
import { wireMessage } from '../../core/sending/wire/wire-message.ts';
import type { Table } from '../../core/storage/table.ts';
import { authorOf, isAuthorProven, isSpamOrVirus } from './bounces/bounce-policy.ts';
import type { CopyMarks } from './copy-marks.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import type { VacationDependencies } from './vacation/send-vacation-response.ts';

/* Mail of groups for their members outside (docs/specification.md#groups-and-catch-alls). */

export type OutsideDependencies = {
  readonly groups: Pick<Groups, 'find'>;
  readonly vacation: Pick<VacationDependencies, 'domains' | 'sending' | 'newId'>;
  readonly copyMarks: CopyMarks;
  readonly mailTable: Table;
  readonly clock: Clock;
  readonly log: Log;
};

type Marks = Awaited<ReturnType<CopyMarks['validMarks']>>;

/** Maximum groups and aliases that have sent a message on. */
const maxMarks = 10;

/** Whether the group has sent the message on already, or too many others have. */
export const isLoop = (marks: Marks, email: string): boolean => marks.length >= maxMarks || marks.some(({ alias }) => alias === email);

/** Seconds for which it is known that the message was sent on: longer than it may be in the queue and the dead letters. */
const memorySeconds = 30 * 86_400;

/** Maximum members outside that get one message. Their submissions are accepted in one transaction. */
const maxOutside = 3 * maxRecipientsPerSubmission;

type OutsideMail = { readonly mail: ReceivedMail; readonly message: Buffer; readonly groupId: string; readonly addresses: readonly string[] };

/** Fields that would be wrong in the message of a group, or that it writes itself. */
const replaced = new Set(['sender', 'precedence', 'authentication-results']);
const isReplaced = (name: string): boolean => replaced.has(name) || name.startsWith('list-') || name.startsWith('arc-');
/** Fields that a message may have several times. SES accepts most others only once. */
const isRepeatable = (name: string): boolean => name === 'received' || name.startsWith('x-') || name.startsWith('resent-');

const maxName = 100;

/** `"Ada via Sales" <sales@…>`, with the author in Reply-To: SES sends no mail for a foreign author. */
const viaFields = (authors: ReturnType<typeof asAddresses>, hasReplyTo: boolean, { name, email }: StoredGroup): string[] => {
  const [author] = authors;
  const shown = (author?.name ?? (author && localPartOf(author.email)) ?? '').replaceAll(/\p{Cc}/gu, ' ').trim();
  const from = shown === '' ? name : `${Array.from(shown).slice(0, maxName).join('')} via ${name}`;
  return [
    composeField('From', { form: 'asAddresses', value: [{ name: from, email }] })!.text,
    ...(hasReplyTo || !author ? [] : [composeField('Reply-To', { form: 'asAddresses', value: authors })!.text]),
  ];
};

type Composed = { readonly group: StoredGroup; readonly keepsFrom: boolean; readonly marks: readonly (readonly [name: string, value: string])[] };

/** The message as members outside get it. @throws UnsendableMessage */
const composeForOutside = (message: Buffer, { group, keepsFrom, marks }: Composed, messageId: string, date: Date): Buffer => {
  const { end, bodyStart } = new BoundaryScanner(message).headerEnd(0);
  const fields = parseHeaderFields(message.subarray(0, end));
  const seen = new Set<string>();
  const kept = fields.filter(({ name }) => {
    const lower = name.toLowerCase();
    if (isReplaced(lower) || (lower === 'from' && !keepsFrom)) return false;
    const isSecond = seen.has(lower) && !isRepeatable(lower);
    seen.add(lower);
    return !isSecond;
  });
  const authors = fields.filter(({ name }) => name.toLowerCase() === 'from').flatMap(asAddresses);
  const [local, domain] = [localPartOf(group.email), domainOf(group.email)];
  const own = [
    ...(keepsFrom ? [] : viaFields(authors, seen.has('reply-to'), group)),
    `List-Id: <${local}.${domain}>`,
    `List-Post: ${group.writers === 'ANYONE' ? `<mailto:${encodeURIComponent(local)}@${domain}>` : 'NO'}`,
    'Precedence: list',
    `X-Loop: ${group.email}`,
  ];
  const header = [
    ...kept.map(({ name, value }) => Buffer.concat([Buffer.from(`${name}:`, 'latin1'), value, ...(value.at(-1) === 0x0a ? [] : [Buffer.from('\r\n')])])),
    ...own.map((line) => Buffer.from(`${line}\r\n`)),
  ];
  const wire = wireMessage(Buffer.concat([...header, Buffer.from('\r\n'), message.subarray(bodyStart)]), { messageId, date });
  return Buffer.concat([Buffer.from(marks.map(([name, value]) => `${name}: ${value}\r\n`).join('')), wire]);
};

const maySend = (domain: StoredDomain | undefined): boolean => domain?.state === 'ready' && domain.send_enabled;

/** Whether SES may send for the author, so that DMARC passes at the receiver: a proven author at a domain of the deployment. */
const keepsAuthor = async (mail: ReceivedMail, fields: readonly HeaderField[], { vacation: { domains } }: OutsideDependencies): Promise<boolean> => {
  const author = isAuthorProven(mail, fields) ? authorOf(fields) : undefined;
  if (author === undefined) return false;
  const id = await domains.findIdByName(domainOf(comparableAddress(author)));
  const domain = id === undefined ? undefined : await domains.find(id);
  return maySend(domain) && domain?.verification_status === 'SUCCESS' && domain.dkim_status === 'SUCCESS';
};

/**
 * Accepts the message for the members outside as submissions, once for each received message, in one transaction. The
 * envelope sender is the group, so that bounces come to the deployment, and SES's events name the member.
 * @returns the reason why the message is not sent on; undefined when it is.
 */
export const sendToMembersOutside = async (
  { mail, message, groupId, addresses }: OutsideMail,
  dependencies: OutsideDependencies,
): Promise<string | undefined> => {
  const { groups, vacation, copyMarks, mailTable, clock, log } = dependencies;
  const skip = (reason: string): string => {
    log.warn('the message was not sent to the members outside', { groupId, sesMessageId: mail.messageId, reason });
    return reason;
  };
  if (mail.isJunk || isSpamOrVirus(mail.verdicts)) return skip('spam or virus');
  if (addresses.length > maxOutside) return skip(`more than ${maxOutside} members outside`);
  const key = mailKeys.groupMail(mail.messageId, groupId);
  const [known, group] = await Promise.all([mailTable.get(key), groups.find(groupId)]);
  if (known) return undefined;
  const domain = group && (await vacation.domains.find(group.domain_id));
  if (!group || !maySend(domain)) return skip('the address may not send');
  const fields = parseHeaderFields(message.subarray(0, new BoundaryScanner(message).headerEnd(0).end));
  const [keepsFrom, earlier, own] = await Promise.all([keepsAuthor(mail, fields, dependencies), copyMarks.validMarks(fields), copyMarks.markOf(group.email)]);
  const now = clock();
  const marks = [...earlier.map(({ value }) => [own[0], value] as const), own];
  const chunks = Array.from({ length: Math.ceil(addresses.length / maxRecipientsPerSubmission) }, (_, index) =>
    addresses.slice(index * maxRecipientsPerSubmission, (index + 1) * maxRecipientsPerSubmission),
  );
  let composed: Buffer;
  try {
    composed = composeForOutside(message, { group, keepsFrom, marks }, `${vacation.newId('submission')}@${domainOf(group.email)}`, now);
  } catch (error) {
    if (error instanceof UnsendableMessage) return skip('the message cannot be sent on');
    throw error;
  }
  if (composed.length > maxSubmissionMessageBytes) return skip('too large');
  const prepared = await mapConcurrently(chunks, (recipients) =>
    prepareSubmission(
      {
        submission_id: vacation.newId('submission'),
        identity_id: group.domain_id,
        message_class: groupMessageClass,
        mail_from: group.email,
        send_at: now.toISOString(),
        created_at: now.toISOString(),
        ignores_suppression: false,
        recipients,
        message: composed,
      },
      vacation.sending,
    ),
  );
  const memory = { put: { ...key, expiresAt: secondsNow(() => now) + memorySeconds }, if: { absent: true }, inTable: mailTable.reference } as const;
  const isAccepted = await vacation.sending.submissions.write([...prepared.flatMap(({ writes }) => writes), memory]);
  await mapConcurrently(prepared, (each) => (isAccepted ? each.enqueue() : each.discard()));
  if (isAccepted) log.info('the message for members outside was accepted', { groupId, sesMessageId: mail.messageId, recipients: addresses.length });
  return undefined;
};
