import { mailKeys } from '../../contract/deployment/keys.ts';
import { groupMessageClass, maxRecipientsPerSubmission, maxSubmissionMessageBytes } from '../../contract/deployment/sending.ts';
import { domainOf, localPartOf } from '../../contract/values/mail-address.ts';
import type { Groups, StoredGroup } from '../../core/directory/groups/groups.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { prepareSubmission } from '../../core/sending/submission/accept-submission.ts';
import { UnsendableMessage } from '../../core/sending/wire/wire-header.ts';
import type { Table } from '../../core/storage/table.ts';
import { isSpamOrVirus } from './bounces/bounce-policy.ts';
import { sentOnMemorySeconds, withMarks, type CopyMarks, type Marks } from './copy-marks.ts';
import { composeForOutside, domainMaySend, keepsAuthor, type ReadHeader } from './outside-message.ts';
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

/** Maximum members outside that get one message. Their submissions are accepted in one transaction. */
const maxOutside = 3 * maxRecipientsPerSubmission;

/** A message of a group, with the valid marks of its header. */
type OutsideMail = {
  readonly mail: ReceivedMail;
  readonly header: ReadHeader;
  readonly marks: Marks;
  readonly groupId: string;
  readonly addresses: readonly string[];
};

/** The fields of the message of a group. */
const listFieldsOf = ({ email, writers }: StoredGroup): string[] => {
  const [local, domain] = [localPartOf(email), domainOf(email)];
  return [
    `List-Id: <${local}.${domain}>`,
    `List-Post: ${writers === 'ANYONE' ? `<mailto:${encodeURIComponent(local)}@${domain}>` : 'NO'}`,
    'Precedence: list',
    `X-Loop: ${email}`,
  ];
};

/**
 * Accepts the message for the members outside as submissions, once for each received message, in one transaction. The
 * envelope sender is the group, so that bounces come to the deployment, and SES's events name the member.
 * @returns the reason why the message is not sent on; undefined when it is.
 */
export const sendToMembersOutside = async (
  { mail, header, marks: earlier, groupId, addresses }: OutsideMail,
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
  if (!group || !domainMaySend(domain)) return skip('the address may not send');
  const [keepsFrom, own] = await Promise.all([keepsAuthor(mail, header, vacation.domains), copyMarks.markOf(group.email)]);
  const now = clock();
  const chunks = Array.from({ length: Math.ceil(addresses.length / maxRecipientsPerSubmission) }, (_, index) =>
    addresses.slice(index * maxRecipientsPerSubmission, (index + 1) * maxRecipientsPerSubmission),
  );
  let composed: Buffer;
  try {
    const sentOn = { sender: group, keepsFrom, marks: withMarks(earlier, [own]), listFields: listFieldsOf(group) };
    composed = composeForOutside(header, sentOn, `${vacation.newId('submission')}@${domainOf(group.email)}`, now);
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
  const memory = { put: { ...key, expiresAt: secondsNow(() => now) + sentOnMemorySeconds }, if: { absent: true }, inTable: mailTable.reference } as const;
  const isAccepted = await vacation.sending.submissions.write([...prepared.flatMap(({ writes }) => writes), memory]);
  await mapConcurrently(prepared, (each) => (isAccepted ? each.enqueue() : each.discard()));
  if (isAccepted) log.info('the message for members outside was accepted', { groupId, sesMessageId: mail.messageId, recipients: addresses.length });
  return undefined;
};
